//! Rows of `machine_purges`.

use sea_orm::entity::prelude::*;

use roost_platform::db::TenantEntity;
use roost_platform::ids::{SandboxOwnerId, WorkspaceId};

use crate::sandboxes::OwnerKind;

/// The wish that a machine deletes the files of a removed owner.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "machine_purges")]
pub struct Model {
    /// A node's id, or `local`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub node_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub owner_id: SandboxOwnerId,
    pub owner_kind: OwnerKind,
    pub workspace_id: WorkspaceId,
    /// The digests of archives that the machine may have stored before it recorded their owners: a list.
    #[sea_orm(column_type = "JsonBinary")]
    pub archives: Json,
    pub asked_at: DateTimeUtc,
    /// When it was sent last, where one round cannot hold all wishes. The others are sent first then.
    pub told_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TenantEntity for Entity {
    const WORKSPACE: Column = Column::WorkspaceId;
}

impl Model {
    pub(super) fn archives(&self) -> Vec<String> {
        let digests = self.archives.as_array().into_iter().flatten();
        let digests = digests.filter_map(|digest| digest.as_str());
        digests.map(str::to_owned).collect()
    }
}
