//! Rows of `agent_tokens`.

use sea_orm::entity::prelude::*;

use roost_platform::db::TenantEntity;
use roost_platform::ids::{AgentTokenId, ClawId, UserId, WorkspaceId};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "agent_tokens")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: AgentTokenId,
    pub workspace_id: WorkspaceId,
    pub agent_id: ClawId,
    pub label: String,
    pub token_sha256: String,
    pub created_by: UserId,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub last_used_at: Option<DateTimeUtc>,
    pub revoked_at: Option<DateTimeUtc>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TenantEntity for Entity {
    const WORKSPACE: Column = Column::WorkspaceId;
}
