//! Rows of `mesh_networks`.

/// A workspace's mesh network.
pub mod network {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{MeshNetworkId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "mesh_networks")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: MeshNetworkId,
        /// Unique: a workspace has one network.
        pub workspace_id: WorkspaceId,
        /// A word of `MeshKind`.
        pub kind: String,
        /// Tailscale's name of the network; absent means the key's own.
        pub tailnet: Option<String>,
        pub base_url: String,
        /// The connection part of the record's name in the broker.
        pub secret_reference: String,
        pub created_by: UserId,
        pub created_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
