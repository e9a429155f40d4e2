//! Rows of `idempotency_keys`.

use sea_orm::entity::prelude::*;

use roost_platform::db::TenantEntity;
use roost_platform::ids::{UserId, WorkspaceId};

/// A request with an idempotency key, answered or in progress.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_keys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: UserId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub workspace_id: WorkspaceId,
    /// Method and path.
    #[sea_orm(primary_key, auto_increment = false)]
    pub route: String,
    /// The digest of the key that the client sent.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// The digest of key, query and body.
    pub body_sha256: String,
    /// The id of the thing that the request creates.
    pub creation_id: Uuid,
    /// `working`, `done` or `secret`.
    pub state: String,
    /// When the work (last) started, by the database's clock.
    pub taken_ms: i64,
    pub status: Option<i32>,
    pub content_type: Option<String>,
    #[sea_orm(column_type = "Text", nullable)]
    pub body: Option<String>,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TenantEntity for Entity {
    const WORKSPACE: Column = Column::WorkspaceId;
}
