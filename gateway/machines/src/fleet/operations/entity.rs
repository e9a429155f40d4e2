//! Rows of `node_operations`.

use sea_orm::entity::prelude::*;

use roost_platform::db::TenantEntity;
use roost_platform::ids::{NodeId, OperationId, SandboxId, SandboxOwnerId, WorkspaceId};

/// One operation of a node or of the local engine.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "node_operations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: OperationId,
    /// Absent for the gateway's own host.
    pub node_id: Option<NodeId>,
    /// The id of the gateway host, when `node_id` is absent.
    pub engine: Option<String>,
    pub workspace_id: Option<WorkspaceId>,
    /// The owner of the sandbox.
    pub owner_id: Option<SandboxOwnerId>,
    pub sandbox_id: Option<SandboxId>,
    pub kind: String,
    /// A summary of the request for people: never environment values or stdin.
    #[sea_orm(column_type = "JsonBinary")]
    pub request: Json,
    /// The request in its wire form, kept until the end.
    pub wire: Option<Vec<u8>>,
    /// A cancellation was requested.
    pub cancelling: bool,
    pub state: String,
    #[sea_orm(column_type = "JsonBinary", nullable)]
    pub outcome: Option<Json>,
    pub detail: Option<String>,
    pub output_end: i64,
    pub output_dropped: i64,
    pub duration_ms: Option<i64>,
    pub created_at: DateTimeUtc,
    pub started_at: Option<DateTimeUtc>,
    pub finished_at: Option<DateTimeUtc>,
    pub give_up_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TenantEntity for Entity {
    const WORKSPACE: Column = Column::WorkspaceId;
}
