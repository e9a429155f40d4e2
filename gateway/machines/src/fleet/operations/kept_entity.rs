//! Rows of `command_outputs`.

use sea_orm::entity::prelude::*;

use roost_platform::db::TenantEntity;
use roost_platform::ids::{OperationId, WorkspaceId};

/// The first and the last bytes of a command's output, in the form of [`KeptOutput`](super::kept::KeptOutput).
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "command_outputs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub operation_id: OperationId,
    pub workspace_id: WorkspaceId,
    pub parts: Vec<u8>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TenantEntity for Entity {
    const WORKSPACE: Column = Column::WorkspaceId;
}
