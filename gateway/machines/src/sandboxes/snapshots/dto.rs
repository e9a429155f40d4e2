//! Snapshots in JSON.

use chrono::{DateTime, Utc};
use roost_snapshot::Address;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::entity::Model;
use roost_platform::ids::{SandboxId, SnapshotId, WorkspaceId};
use roost_web::json::{Check, Mistakes};

/// Most chunks in one question.
const MOST_ASKED: usize = 4_096;

/// A snapshot of the files of an agent or a team.
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

/// The kind of an entry of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    Folder,
    File,
    Link,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FileEntry {
    /// Bytes that are not UTF-8 are replaced.
    pub name: String,
    pub kind: FileKind,
    /// Size of a file.
    pub bytes: Option<u64>,
    /// Permission bits, octal.
    pub mode: String,
    pub modified_at: DateTime<Utc>,
    /// The target of a symbolic link.
    pub target: Option<String>,
}

/// A folder of a snapshot.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileList {
    pub entries: Vec<FileEntry>,
    /// There are more entries than these.
    pub more: bool,
}

/// How a file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    Added,
    Removed,
    Changed,
}

/// A file or link that differs between two snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FileChange {
    pub path: String,
    pub difference: Difference,
    pub bytes_before: Option<u64>,
    pub bytes_after: Option<u64>,
}

/// What differs between two snapshots.
#[derive(Debug, Serialize, ToSchema)]
pub struct FileChanges {
    pub changes: Vec<FileChange>,
    /// There are more changes than these.
    pub more: bool,
}

/// A path in a snapshot.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FileQuery {
    /// Relative to the workspace; empty is the workspace itself.
    #[serde(default)]
    pub path: String,
}

/// The snapshot to compare with.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CompareQuery {
    /// The earlier snapshot, of the same owner.
    pub before: SnapshotId,
}

/// The files that a sandbox began with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RestoredFrom {
    /// The digest of a snapshot, or the SHA-256 of an archive of an older version.
    pub digest: String,
    pub taken_at: DateTime<Utc>,
}

/// Chunks that a machine has.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldChunks {
    /// The workspace of the snapshot.
    pub workspace: WorkspaceId,
    /// Addresses, hex.
    #[schema(max_items = 4096)]
    pub chunks: Vec<String>,
}

impl Check for HeldChunks {
    fn check(&self, mistakes: &mut Mistakes) {
        if self.chunks.len() > MOST_ASKED {
            mistakes.add(
                "/chunks",
                format!("must have at most {MOST_ASKED} addresses"),
            );
        }
        for (index, chunk) in self.chunks.iter().take(MOST_ASKED).enumerate() {
            if let Err(bad) = chunk.parse::<Address>() {
                mistakes.add(&format!("/chunks/{index}"), bad.to_string());
                return;
            }
        }
    }
}

/// Chunks that the gateway's store does not have.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissingChunks {
    /// Addresses, hex, in the order of the question.
    pub missing: Vec<String>,
}

/// The workspace of a snapshot.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnapshotOf {
    pub workspace: WorkspaceId,
}

impl Check for SnapshotOf {
    fn check(&self, _: &mut Mistakes) {}
}

/// Where a chunk belongs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ChunkQuery {
    /// The workspace of the chunk.
    pub workspace: WorkspaceId,
}

/// For what a chunk is read.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RestoreQuery {
    /// The workspace of the chunk.
    pub workspace: WorkspaceId,
    /// The digest of the snapshot that is restored.
    pub snapshot: String,
}
