//! The typed contract of the node channel: the messages of the gateway and of the machine.
//!
//! No tokio, no I/O: only types, limits, encoding and pure state machines, so that a seeded simulation can run both
//! ends through thousands of histories. Reading order:
//!
//! * [`frame`]: the two message enums and the envelope around them.
//! * [`hello`]: how a connection begins; [`version`]: how versions are negotiated.
//! * [`operation`]: the closed list of work; [`report`]: how work ends; [`output`]: output of work.
//! * [`control`]: frames that act on existing operations and sandboxes and carry no command.
//! * [`sandbox`]: the spec that crosses the channel. It does not contain hardening, so no caller can weaken it.
//! * [`snapshot`]: what a machine stored of a workspace.
//! * [`caps`]: the limits of what a machine lends, and whether there is room.
//! * [`vitals`]: heartbeats and tool reports; [`inventory`]: what a machine holds; [`verify`]: what it measured.
//! * [`validate`]: whether a request is valid; [`clean`]: bounds for messages of a hostile node.
//! * [`machine`]: the decisions of both ends as pure state machines.
//! * [`guest`]: the framed protocol with a sandbox's first process.

// A peer chooses every number that it sends. No number may end this process or wrap around into a valid one.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

pub mod caps;
pub mod clean;
pub mod control;
pub mod frame;
pub mod guest;
pub mod hello;
pub mod ids;
pub mod inventory;
pub mod limits;
pub mod machine;
pub mod operation;
pub mod output;
pub mod report;
pub mod sandbox;
pub mod snapshot;
pub mod text;
pub mod validate;
pub mod verify;
pub mod version;
pub mod vitals;
