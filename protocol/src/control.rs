//! Control frames: they act on what exists and carry no command, so they are an enum of their own.
use serde::{Deserialize, Serialize};

use crate::ids::{OperationId, SandboxId};
use crate::operation::TtySize;

/// From the gateway.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "control", rename_all = "snake_case")]
pub enum Control {
    /// Stop an operation: the whole process tree of an exec is killed.
    Cancel {
        operation: OperationId,
    },
    /// Bytes for stdin at an offset; an offset seen before is ignored, so a retry is safe.
    Stdin {
        operation: OperationId,
        offset: u64,
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
        #[serde(default)]
        eof: bool,
    },
    /// Output may be sent up to this offset (not included).
    Credit {
        operation: OperationId,
        up_to: u64,
    },
    /// Send output from this offset on, with the initial credit beyond it. On each connection after an operation's first
    /// its output waits for this.
    Replay {
        operation: OperationId,
        from: u64,
    },
    Resize {
        operation: OperationId,
        size: TtySize,
    },
    /// The caller has stored the end of this operation: the node may forget it after the retention.
    Ack {
        operation: OperationId,
    },
    /// Sandboxes in use: their leases are renewed.
    Lease {
        sandboxes: Vec<SandboxId>,
        lease_s: u64,
    },
    /// Accept no new sandbox (`true`) or accept again (`false`). The answer names the same turn; see [`crate::machine::drain`].
    Drain {
        on: bool,
        #[serde(default)]
        turn: u64,
    },
    /// The gateway's view: which operations it still waits for and which sandboxes should exist.
    Reconcile {
        waiting: Vec<OperationId>,
        sandboxes: Vec<SandboxId>,
        grace_s: u64,
    },
    Ping {
        nonce: u64,
    },
    #[serde(other)]
    Unknown,
}

/// The node's answers to control frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum ControlReply {
    Pong {
        nonce: u64,
    },
    /// Stdin was taken up to this offset.
    StdinTaken {
        operation: OperationId,
        offset: u64,
    },
    /// Draining is on or off as of the turn asked for; `empty` says the node itself counts no sandbox and has no provision
    /// under way (promise P7). Sent again when `empty` changes.
    Draining {
        on: bool,
        #[serde(default)]
        turn: u64,
        empty: bool,
    },
    /// A sandbox ended without being asked (lease, crash, owner).
    SandboxGone {
        sandbox: SandboxId,
        cause: GoneCause,
    },
    /// The owner paused or resumed this machine.
    Paused {
        on: bool,
    },
    #[serde(other)]
    Unknown,
}

/// Why a sandbox is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoneCause {
    LeaseOver,
    Exited,
    OutOfMemory,
    Owner,
    Orphan,
    #[serde(other)]
    Unknown,
}
