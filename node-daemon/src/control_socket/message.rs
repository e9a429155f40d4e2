//! Requests of the owner and answers of the daemon.
use roost_sandbox_driver::executor::ExecutorStatus;
use serde::{Deserialize, Serialize};

use crate::channel::reconnect::Link;

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    Status,
    Pause,
    Resume,
    /// End every sandbox of this machine, then stop: the first half of `roostd leave`.
    Leave,
}

/// An answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    Status(Box<Status>),
    Done,
    /// How many sandboxes were ended.
    Left {
        sandboxes: u32,
    },
    Failed {
        detail: String,
    },
}

/// The daemon's whole live state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Status {
    pub daemon_version: String,
    pub node_id: String,
    pub workspace: String,
    pub gateway: String,
    pub link: Link,
    pub executor: ExecutorStatus,
}
