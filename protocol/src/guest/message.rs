//! What the host and the guest say to each other.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{InstanceId, OperationId};
use crate::operation::TtySize;
use crate::output::Piece;

/// From the driver to the guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToGuest {
    /// Asks for [`FromGuest::Hello`] with the same nonce: the answer proves that this stream is live.
    Hello { nonce: u64 },
    /// Start a command. The same id again is answered with its present state and starts nothing.
    Start {
        operation: OperationId,
        argv: Vec<String>,
        cwd: String,
        env: BTreeMap<String, String>,
        stdin: bool,
        #[serde(default)]
        tty: Option<TtySize>,
        deadline_ms: u64,
        /// Bytes of output that are numbered and sent; the rest is counted and dropped.
        stream_cap: u64,
    },
    Stdin {
        operation: OperationId,
        offset: u64,
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
        eof: bool,
    },
    /// Output may be sent up to this offset. The bytes before `acked` are stored and may leave the ring.
    Credit {
        operation: OperationId,
        up_to: u64,
        acked: u64,
    },
    /// Send again from this offset (after a new attach).
    Replay { operation: OperationId, from: u64 },
    Resize {
        operation: OperationId,
        size: TtySize,
    },
    /// Kill the whole process tree.
    Cancel { operation: OperationId },
    /// The end is stored; drop the ring.
    Forget { operation: OperationId },
    #[serde(other)]
    Unknown,
}

/// From the guest to the driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromGuest {
    Hello {
        nonce: u64,
        /// One life of this guest; it changes only when the sandbox was started again.
        instance: InstanceId,
        processes: Vec<Process>,
    },
    Started {
        operation: OperationId,
    },
    /// The program could not be started; `errno` as the kernel gave it.
    NotStarted {
        operation: OperationId,
        errno: i32,
        detail: String,
    },
    Output {
        operation: OperationId,
        piece: Piece,
    },
    StdinTaken {
        operation: OperationId,
        offset: u64,
    },
    Exited {
        operation: OperationId,
        /// Exit code, or 128 + signal.
        code: i32,
        cause: ExitCause,
        output_end: u64,
        output_dropped: u64,
        duration_ms: u64,
    },
    /// Nothing is known of this operation.
    NoSuch {
        operation: OperationId,
    },
    #[serde(other)]
    Unknown,
}

/// Why a process tree ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitCause {
    Exited,
    Deadline,
    Cancelled,
    #[serde(other)]
    Unknown,
}

/// A command that the guest holds, running or ended and not yet forgotten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Process {
    pub operation: OperationId,
    pub running: bool,
    pub output_end: u64,
}
