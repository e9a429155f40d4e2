//! A node's reports on an operation: accepted, progress, and exactly one end (promise P1).
use serde::{Deserialize, Serialize};

use crate::ids::OperationId;
use crate::sandbox::{SandboxFacts, SandboxHealth, WorkspaceState};
use crate::snapshot::Stored;
use crate::verify::VerifyReport;

/// A report on one operation. A reconnect may repeat reports; the receiver's state machine ignores known ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationReport {
    pub operation: OperationId,
    pub report: Report,
}

/// The stage of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub enum Report {
    /// The ledger holds the operation, synced. It will end in exactly one terminal state.
    Accepted,
    /// Human-readable progress of long work, e.g. `creating the container`.
    Progress { detail: String },
    /// The end.
    Ended(Ended),
    /// The node does not know this id (answer to a reconcile).
    NeverSeen,
    #[serde(other)]
    Unknown,
}

/// How an operation ended. `output_end` is the offset after its last streamed byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    pub state: Terminal,
    pub outcome: Outcome,
    #[serde(default)]
    pub output_end: u64,
    /// Bytes beyond the streaming cap. They were counted and dropped.
    #[serde(default)]
    pub output_dropped: u64,
    /// Milliseconds from start to end on the node's monotonic clock.
    #[serde(default)]
    pub duration_ms: u64,
}

impl Ended {
    /// An end without a result and without output.
    pub fn without_result(state: Terminal, kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self {
            state,
            outcome: Outcome::Error {
                error: OperationError::new(kind, detail),
            },
            output_end: 0,
            output_dropped: 0,
            duration_ms: 0,
        }
    }
}

impl From<OperationError> for Ended {
    /// A refusal: failed, and nothing was started.
    fn from(error: OperationError) -> Self {
        Self {
            outcome: Outcome::Error { error },
            ..Self::without_result(Terminal::Failed, ErrorKind::Internal, "")
        }
    }
}

/// The four terminal states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Terminal {
    Done,
    Failed,
    Cancelled,
    /// It may have run; its result can no longer be known.
    Lost,
}

/// The result, by operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Outcome {
    Verified {
        report: VerifyReport,
    },
    Provisioned {
        sandbox: SandboxFacts,
        workspace: WorkspaceState,
    },
    /// The process ended by itself: an exit code, or 128 + signal number.
    Exited {
        code: i32,
    },
    Destroyed {
        archive: Option<ArchiveFacts>,
    },
    Healthy {
        health: SandboxHealth,
    },
    Listed {
        sandboxes: Vec<SandboxFacts>,
    },
    /// The latest snapshot.
    Flushed {
        snapshot: Stored,
    },
    Error {
        error: OperationError,
    },
    #[serde(other)]
    Unknown,
}

/// A stored workspace archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveFacts {
    /// SHA-256 of the archive, hex.
    pub digest: String,
    pub bytes: u64,
}

/// Why it failed: a closed kind and a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{kind:?}: {detail}")]
pub struct OperationError {
    pub kind: ErrorKind,
    pub detail: String,
    /// JSON pointer to the wrong field of the request, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

impl OperationError {
    /// An error without a field.
    pub fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            pointer: None,
        }
    }
}

/// The closed list of causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// This version of the daemon does not know the operation.
    Unsupported,
    /// The request is not valid (empty argv, path with `..`, limits out of range).
    Invalid,
    /// The owner's policy file forbids it.
    OwnerPolicy,
    /// The machine is paused by its owner.
    Paused,
    /// The machine is draining.
    Draining,
    /// No container engine answers.
    EngineUnavailable,
    /// The engine refused a field of the policy; no weaker sandbox was started.
    EngineRefused,
    /// The image is missing, or is not the wanted one.
    ImageMissing,
    /// The engine's result differs from the request; it was destroyed.
    PolicyMismatch,
    /// The sandbox does not exist here.
    NoSandbox,
    /// The sandbox's first process does not answer.
    GuestSilent,
    /// The program could not be started (not found, not executable).
    NotStarted,
    /// The deadline passed and the process tree was killed.
    Deadline,
    /// Cancelled on request.
    Cancelled,
    /// The disk is full: nothing was started.
    DiskFull,
    /// The daemon or engine stopped while it ran.
    Interrupted,
    /// Too many operations at once, or no room for another sandbox. The same request may be accepted later.
    Busy,
    #[serde(other)]
    Internal,
}
