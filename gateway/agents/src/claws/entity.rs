//! Rows of `claws`.

/// An agent.
pub mod claw {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "claws")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: ClawId,
        pub workspace_id: WorkspaceId,
        pub name: String,
        pub role: Option<String>,
        #[sea_orm(column_type = "Text", nullable)]
        pub system_prompt: Option<String>,
        pub model_binding: Option<String>,
        pub managed_by: UserId,
        /// A word of `AgentState`.
        pub status: String,
        pub created_at: DateTimeUtc,
        pub updated_at: DateTimeUtc,
        pub deleted_at: Option<DateTimeUtc>,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
