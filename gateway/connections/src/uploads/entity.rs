//! Rows of `uploads`.

use sea_orm::entity::prelude::*;

use roost_platform::db::TenantEntity;
use roost_platform::ids::{UploadId, UserId, WorkspaceId};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "uploads")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: UploadId,
    pub workspace_id: WorkspaceId,
    /// As the person called it.
    #[sea_orm(column_type = "Text")]
    pub name: String,
    /// Its only commit.
    pub commit_id: String,
    /// Files and links.
    pub files: i64,
    /// Bytes of the files.
    pub bytes: i64,
    pub created_by: UserId,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TenantEntity for Entity {
    const WORKSPACE: Column = Column::WorkspaceId;
}
