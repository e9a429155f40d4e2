//! Rows of `claw_avatars`.

/// An uploaded picture, re-encoded.
pub mod avatar {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "claw_avatars")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub claw_id: ClawId,
        pub workspace_id: WorkspaceId,
        pub png: Vec<u8>,
        /// The hash of the PNG.
        pub sha256: String,
        pub uploaded_by: UserId,
        pub at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
