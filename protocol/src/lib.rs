//! The typed contract of the node channel: what a gateway may say to a machine and what the machine may answer.
//!
//! No tokio, no I/O: types, limits, encoding and pure state machines only, so that a seeded simulation can drive both
//! ends through thousands of histories. Reading order:
//!
//! * [`frame`]: the two message enums and the envelope around them.
//! * [`hello`]: how a connection begins; [`version`]: which versions meet.
//! * [`operation`]: the closed list of work; [`report`]: how work ends; [`output`]: what work says meanwhile.
//! * [`control`]: frames that act on what exists and carry no command.
//! * [`sandbox`]: the spec that crosses the channel; hardening is not in it, so no caller can weaken it.
//! * [`vitals`]: heartbeats and tool reports; [`inventory`]: what a machine holds; [`verify`]: what it measured.
//! * [`validate`]: whether a request can be carried out at all; [`clean`]: bounding what a hostile node says.
//! * [`machine`]: the decisions of both ends as pure state machines.
//! * [`guest`]: the framed protocol with a sandbox's first process.

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
pub mod text;
pub mod validate;
pub mod verify;
pub mod version;
pub mod vitals;
