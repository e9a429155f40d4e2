//! What a machine holds. It is sent in `hello` and after every change without a request.
use serde::{Deserialize, Serialize};

use crate::ids::OperationId;
use crate::report::Ended;
use crate::sandbox::SandboxFacts;
use crate::snapshot::Stored;

/// Sandboxes with our labels, and operations whose end is not acknowledged yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inventory {
    #[serde(default)]
    pub sandboxes: Vec<SandboxFacts>,
    #[serde(default)]
    pub operations: Vec<LedgerEntry>,
    /// The engine did not answer, so `sandboxes` is unknown, not empty.
    #[serde(default)]
    pub engine_silent: bool,
    /// The latest snapshot of each agent, newest first, at most [`crate::limits::MAX_INVENTORY`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stored: Vec<Stored>,
}

/// An operation in the node's ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    pub operation: OperationId,
    /// Offset after the last byte of output so far.
    pub output_end: u64,
    /// The end, if the operation has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
}
