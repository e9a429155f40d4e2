//! Messages between the host and the guest.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{InstanceId, OperationId};
use crate::operation::TtySize;
use crate::output::Piece;

/// From the driver to the guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToGuest {
    /// Requests [`FromGuest::Hello`] with the same nonce. The answer proves that this stream works.
    Hello { nonce: u64 },
    /// Starts a command. A known id starts nothing; the guest answers with its present state.
    Start {
        operation: OperationId,
        argv: Vec<String>,
        cwd: String,
        env: BTreeMap<String, String>,
        stdin: bool,
        #[serde(default)]
        tty: Option<TtySize>,
        deadline_ms: u64,
        /// Most bytes of output that are numbered and sent. The rest is counted and dropped.
        stream_cap: u64,
    },
    Stdin {
        operation: OperationId,
        offset: u64,
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
        eof: bool,
    },
    /// Output may be sent up to this offset. Bytes before `acked` are stored and may leave the ring.
    Credit {
        operation: OperationId,
        up_to: u64,
        acked: u64,
    },
    /// Sends output again from this offset (after a new attach).
    Replay { operation: OperationId, from: u64 },
    Resize {
        operation: OperationId,
        size: TtySize,
    },
    /// Kills the whole process tree.
    Cancel { operation: OperationId },
    /// The end is stored: drops the ring.
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
        /// Id of this guest process; it changes only when the sandbox is started again.
        instance: InstanceId,
        processes: Vec<Process>,
    },
    Started {
        operation: OperationId,
    },
    /// The program could not be started; `errno` from the kernel.
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
        /// Exit code, or 128 + signal number.
        code: i32,
        cause: ExitCause,
        output_end: u64,
        output_dropped: u64,
        duration_ms: u64,
    },
    /// The guest does not know this operation.
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

/// A command in the guest: running, or ended and not yet forgotten.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Process {
    pub operation: OperationId,
    pub running: bool,
    pub output_end: u64,
}
