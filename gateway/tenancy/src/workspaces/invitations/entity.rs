//! Rows of `invitations`.

use sea_orm::entity::prelude::*;

use roost_platform::db::TenantEntity;
use roost_platform::ids::{InvitationId, UserId, WorkspaceId};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "invitations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: InvitationId,
    pub workspace_id: WorkspaceId,
    pub token_sha256: String,
    pub role: String,
    /// Lower case. If present, only the person with this e-mail can accept.
    pub email: Option<String>,
    pub invited_by: UserId,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub accepted_by: Option<UserId>,
    pub accepted_at: Option<DateTimeUtc>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TenantEntity for Entity {
    const WORKSPACE: Column = Column::WorkspaceId;
}
