//! Rows of `node_operations`.

use sea_orm::entity::prelude::*;

use roost_platform::db::TenantEntity;
use roost_platform::ids::{
    ClawId, NodeId, OperationId, RunId, SandboxId, SandboxOwnerId, UserId, WorkspaceId,
};

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
    /// The kind of the sandbox's owner. Only a command that a person or an agent ran has it, and the fields below.
    pub owner_kind: Option<String>,
    /// The person who ran the command.
    pub user_id: Option<UserId>,
    /// The agent that ran the command.
    pub agent_id: Option<ClawId>,
    pub run_id: Option<RunId>,
    /// The step of the run, as `coder#1`.
    pub step: Option<String>,
    /// The agent's tool.
    pub tool: Option<String>,
    /// What the person or the agent wrote.
    pub command: Option<String>,
    /// The exit code of the process, or 128 + the signal that ended it.
    pub exit_code: Option<i32>,
    /// A shell of a person: it lives until its person ends it or nobody reads it for a while.
    pub is_shell: bool,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TenantEntity for Entity {
    const WORKSPACE: Column = Column::WorkspaceId;
}
