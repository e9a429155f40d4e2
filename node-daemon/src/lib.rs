//! The node daemon: one outbound WebSocket, an executor, a vitals sampler.
//!
//! * [`cli`]: the verbs, one a file; [`cli::run`] wires the daemon together.
//! * [`channel`]: the daemon's end of the node channel; [`reporter`]: hello, heartbeats, tools.
//! * [`vitals`]: what this machine is like, one source a file.
//! * [`control_socket`]: how the owner asks the running daemon.
//! * [`state`]: identity, owner's policy, pause, on disk; [`enrol`]: the join code; [`mod@unit`]: the service.
//!
//! Operations are not carried out here: that is the executor of `roost-sandbox-driver`, which the gateway's local
//! engine uses as well.

pub mod channel;
pub mod cli;
pub mod control_socket;
pub mod doctor;
pub mod enrol;
pub mod reporter;
pub mod state;
pub mod unit;
pub mod vitals;
