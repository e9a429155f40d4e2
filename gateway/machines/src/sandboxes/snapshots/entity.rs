//! Rows of `workspace_snapshots`.

use sea_orm::entity::prelude::*;

use roost_platform::db::TenantEntity;
use roost_platform::ids::{SandboxId, SandboxOwnerId, SnapshotId, WorkspaceId};

use crate::sandboxes::{OwnerKind, SandboxOwner};

/// A snapshot of the files of an owner. One row for each digest of an owner.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "workspace_snapshots")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: SnapshotId,
    pub workspace_id: WorkspaceId,
    pub owner_kind: OwnerKind,
    pub owner_id: SandboxOwnerId,
    /// The sandbox that had these files last.
    pub sandbox_id: SandboxId,
    /// The machine that took it last: a node's id, or `local`.
    pub node_id: String,
    /// The address of its root, 64 hex digits.
    pub digest: String,
    /// Number of files.
    pub files: i64,
    /// Bytes of all files.
    pub bytes: i64,
    /// What is not in it, with the reason: a list of lines.
    #[sea_orm(column_type = "JsonBinary")]
    pub left_out: Json,
    /// By the machine's clock, but not later than `received_at`.
    pub taken_at: DateTimeUtc,
    /// When the gateway got the report.
    pub received_at: DateTimeUtc,
    /// Since when the gateway's store has all its chunks.
    pub uploaded_at: Option<DateTimeUtc>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TenantEntity for Entity {
    const WORKSPACE: Column = Column::WorkspaceId;
}

impl Model {
    pub fn owner(&self) -> SandboxOwner {
        SandboxOwner::of(self.owner_kind, self.owner_id)
    }
}
