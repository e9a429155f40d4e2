//! Snapshots in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entity::Model;
use roost_platform::ids::{SandboxId, SnapshotId};

/// A snapshot of an agent's workspace.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Snapshot {
    pub id: SnapshotId,
    /// The address of its root, hex.
    pub digest: String,
    /// Number of files.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// By the clock of the machine that took it.
    pub taken_at: DateTime<Utc>,
    /// What is not in it, with the reason, one line each.
    pub left_out: Vec<String>,
    /// Whether the gateway's store has all of it, so that any machine can restore it.
    pub uploaded: bool,
    /// The sandbox that had these files last.
    pub sandbox_id: SandboxId,
    /// The machine that took it last: `local`, or the id of a node.
    pub node_id: String,
}

impl From<Model> for Snapshot {
    fn from(row: Model) -> Self {
        Self {
            id: row.id,
            digest: row.digest,
            files: u64::try_from(row.files).unwrap_or(0),
            bytes: u64::try_from(row.bytes).unwrap_or(0),
            taken_at: row.taken_at,
            left_out: serde_json::from_value(row.left_out).unwrap_or_default(),
            uploaded: row.uploaded_at.is_some(),
            sandbox_id: row.sandbox_id,
            node_id: row.node_id,
        }
    }
}

/// The files that a sandbox began with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RestoredFrom {
    /// The digest of a snapshot, or the SHA-256 of an archive of an older version.
    pub digest: String,
    pub taken_at: DateTime<Utc>,
}
