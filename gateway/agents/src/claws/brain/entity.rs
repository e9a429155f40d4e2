//! Rows of `claw_brains`.

/// A version of a brain.
pub mod brain {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "claw_brains")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub claw_id: ClawId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub version: i64,
        pub workspace_id: WorkspaceId,
        #[sea_orm(column_type = "Text")]
        pub agent_md: String,
        /// The length of the text, so that a list does not need to read it.
        pub bytes: i64,
        /// A word of `Cause`.
        pub cause: String,
        pub restored_from: Option<i64>,
        pub author: UserId,
        pub at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
