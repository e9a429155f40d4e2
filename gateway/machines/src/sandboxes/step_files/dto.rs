//! The files around steps in JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::entity::{around, start};
use super::model::Start;
use roost_platform::ids::{ClawId, SandboxId, SnapshotId};

/// The files of a sandbox at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FilesAt {
    pub at: DateTime<Utc>,
    /// The snapshot, of the agent that the sandbox belongs to.
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
    /// The agent whose sandbox the step worked in: the step's own, or the one whose sandbox the team shares.
    pub agent_id: ClawId,
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
    /// The agent whose sandbox it is. Absent: each agent of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<SnapshotId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The step that had these files.
    pub step: String,
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
            agent_id: row.agent_id,
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
            agent_id: Some(start.agent),
            snapshot_id: start.files.snapshot_id,
            digest: start.files.digest,
            step: start.step,
            missing: start.files.missing,
            restored_at: None,
        }
    }
}

impl From<start::Model> for StartFiles {
    fn from(row: start::Model) -> Self {
        Self {
            agent_id: (!row.is_for_each()).then_some(row.agent_id),
            snapshot_id: Some(row.snapshot_id),
            digest: Some(row.digest),
            step: row.step,
            missing: None,
            restored_at: row.restored_at,
        }
    }
}
