//! The node daemon: one outbound WebSocket, an executor, a vitals sampler.
//!
//! * [`cli`]: the verbs, one a file; [`cli::run`] wires the daemon together.
//! * [`channel`]: the daemon's end of the node channel; [`reporter`]: hello, heartbeats, tools.
//! * `chunks`: the gateway's store of snapshots.
//! * [`vitals`]: measurements of this machine, one source a file.
//! * [`control_socket`]: the owner's requests to the running daemon.
//! * [`state`]: identity, owner's policy and pause, on disk; [`enrol`]: the join code; [`mod@unit`]: the service.
//!
//! The daemon does not run operations itself: the executor of `roost-sandbox-driver` does, and the gateway's local
//! engine uses the same executor.

pub mod channel;
mod chunks;
pub mod cli;
pub mod control_socket;
pub mod doctor;
pub mod enrol;
mod images;
pub mod reporter;
pub mod state;
pub mod unit;
pub mod vitals;
