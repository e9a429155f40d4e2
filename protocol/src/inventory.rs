//! What a machine holds: sent in `hello` and whenever it changes on its own.
use serde::{Deserialize, Serialize};

use crate::ids::OperationId;
use crate::report::Ended;
use crate::sandbox::SandboxFacts;

/// Sandboxes with our labels, and operations whose end was not acknowledged yet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inventory {
    #[serde(default)]
    pub sandboxes: Vec<SandboxFacts>,
    #[serde(default)]
    pub operations: Vec<LedgerEntry>,
    /// The engine did not answer, so `sandboxes` is unknown rather than empty.
    #[serde(default)]
    pub engine_silent: bool,
}

/// An operation in the node's ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    pub operation: OperationId,
    /// Offset after the last byte of output so far.
    pub output_end: u64,
    /// The end, when it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
}
