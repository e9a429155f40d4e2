//! A snapshot of a workspace, as the machine that took it reports it.
use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, SandboxId, WorkspaceId};

/// A snapshot that is on the machine's disk. Its digest is the address of its root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    pub sandbox: SandboxId,
    pub workspace: WorkspaceId,
    pub agent: AgentId,
    /// 64 hex digits.
    pub digest: String,
    /// Number of files.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Seconds since the epoch, by the machine's clock. Rises with each snapshot of an agent.
    pub taken_at_s: i64,
    /// Files and folders that are not in it, with the reason, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}
