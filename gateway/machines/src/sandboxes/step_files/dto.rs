//! The files around steps in JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::entity::{around, start};
use super::model::Start;
use crate::sandboxes::OwnerKind;
use roost_platform::ids::{SandboxId, SandboxOwnerId, SnapshotId};

/// The files of a sandbox at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FilesAt {
    pub at: DateTime<Utc>,
    /// The snapshot, of the owner of the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<SnapshotId>,
    /// The address of its root, hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Why there is no snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// The files of a sandbox when a step began and when it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct StepFiles {
    /// What the sandbox belongs to: the agent of the step, or the team that shares one.
    pub owner_kind: OwnerKind,
    pub owner_id: SandboxOwnerId,
    pub sandbox_id: SandboxId,
    /// The machine: `local`, or the id of a node.
    pub node_id: String,
    pub began: FilesAt,
    /// Absent until it was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<FilesAt>,
}

/// The files that a sandbox of a run begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct StartFiles {
    /// What the sandbox belongs to. Absent: each sandbox of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_kind: Option<OwnerKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<SandboxOwnerId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<SnapshotId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The step that had these files. Absent when the sandboxes begin without files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Why there is no snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// When the sandbox had them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restored_at: Option<DateTime<Utc>>,
}

impl From<&around::Model> for StepFiles {
    fn from(row: &around::Model) -> Self {
        Self {
            owner_kind: row.owner_kind,
            owner_id: row.owner_id,
            sandbox_id: row.sandbox_id,
            node_id: row.node_id.clone(),
            began: row.began(),
            ended: row.ended(),
        }
    }
}

impl From<Start> for StartFiles {
    fn from(start: Start) -> Self {
        Self {
            owner_kind: Some(start.owner.kind()),
            owner_id: Some(start.owner.id()),
            snapshot_id: start.files.snapshot_id,
            digest: start.files.digest,
            step: Some(start.step),
            missing: start.files.missing,
            restored_at: None,
        }
    }
}

impl From<start::Model> for StartFiles {
    fn from(row: start::Model) -> Self {
        Self {
            owner_kind: (!row.is_for_each()).then_some(row.owner_kind),
            owner_id: (!row.is_for_each()).then_some(row.owner_id),
            snapshot_id: (!row.is_empty()).then_some(row.snapshot_id),
            digest: (!row.is_empty()).then(|| row.digest.clone()),
            step: (!row.is_empty()).then(|| row.step.clone()),
            missing: None,
            restored_at: row.restored_at,
        }
    }
}
