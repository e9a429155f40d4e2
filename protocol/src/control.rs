//! Control frames: they act on existing operations and sandboxes and carry no command, so they are a separate enum.
use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, OperationId, SandboxId};
use crate::operation::TtySize;
use crate::snapshot::Stored;

/// From the gateway to a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "control", rename_all = "snake_case")]
pub enum Control {
    /// Stop an operation: the whole process tree of an exec is killed.
    Cancel {
        operation: OperationId,
    },
    /// Bytes for stdin at an offset. A known offset is ignored, so a retry is safe.
    Stdin {
        operation: OperationId,
        offset: u64,
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
        #[serde(default)]
        eof: bool,
    },
    /// Output may be sent up to this offset (exclusive).
    Credit {
        operation: OperationId,
        up_to: u64,
    },
    /// Requests output from this offset on, with the initial credit beyond it. On each connection after an operation's
    /// first, the node sends no output before this.
    Replay {
        operation: OperationId,
        from: u64,
    },
    Resize {
        operation: OperationId,
        size: TtySize,
    },
    /// The caller has stored the end of this operation. The node may forget it after the retention.
    Ack {
        operation: OperationId,
    },
    /// Sandboxes in use. The node renews their leases.
    Lease {
        sandboxes: Vec<SandboxId>,
        lease_s: u64,
    },
    /// Refuse new sandboxes (`true`) or accept them again (`false`). The answer carries the same turn; see
    /// [`crate::machine::drain`].
    Drain {
        on: bool,
        #[serde(default)]
        turn: u64,
    },
    /// The gateway's view: the operations that it waits for, and the sandboxes that should exist.
    Reconcile {
        waiting: Vec<OperationId>,
        sandboxes: Vec<SandboxId>,
        grace_s: u64,
        /// The stored workspaces to keep; absent changes nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<Kept>,
    },
    /// An agent was purged: remove its stored workspaces. Its known archives are named, because a machine may have
    /// stored them before it recorded their agents. Sent again until the machine answers with
    /// [`ControlReply::Forgotten`].
    Forget {
        agent: AgentId,
        #[serde(default)]
        archives: Vec<String>,
        /// Remove its operations too, with their output: nobody reads them any more.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        results: bool,
    },
    Ping {
        nonce: u64,
    },
    #[serde(other)]
    Unknown,
}

/// The stored workspaces that a machine must keep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Existing agents. Workspaces of other agents are removed after the grace period.
    pub agents: Vec<AgentId>,
    /// Archives (SHA-256, hex) for coming sandboxes. They are never removed to make room.
    pub archives: Vec<String>,
}

/// A node's answers to control frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum ControlReply {
    Pong {
        nonce: u64,
    },
    /// Stdin was accepted up to this offset.
    StdinTaken {
        operation: OperationId,
        offset: u64,
    },
    /// Draining is on or off as of the given turn. `empty` means that the node counts no sandbox and no running
    /// provision (promise P7). Sent again when `empty` changes.
    Draining {
        on: bool,
        #[serde(default)]
        turn: u64,
        empty: bool,
    },
    /// A sandbox ended without a request (lease, crash, owner).
    SandboxGone {
        sandbox: SandboxId,
        cause: GoneCause,
    },
    /// A snapshot of a workspace is on the machine's disk. The next inventory repeats the latest one of each agent.
    Stored {
        snapshot: Stored,
    },
    /// A snapshot could not be taken; the earlier ones are unchanged. `detail` says what to do.
    NotStored {
        sandbox: SandboxId,
        detail: String,
    },
    /// Nothing is left on this machine of what [`Control::Forget`] named. The answer to each of them, when it is done.
    Forgotten {
        agent: AgentId,
    },
    /// The owner paused or resumed this machine.
    Paused {
        on: bool,
    },
    #[serde(other)]
    Unknown,
}

/// Why a sandbox ended.
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
