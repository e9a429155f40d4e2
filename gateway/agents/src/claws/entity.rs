//! Rows of `claws` and `agent_state`.

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

/// What an agent does now. Its row is narrow: each step of the agent writes it.
pub mod state {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "agent_state")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub agent_id: ClawId,
        pub workspace_id: WorkspaceId,
        /// The number of its steps that are at work.
        pub at_work: i32,
        pub sandbox_running: bool,
        /// A word of `AgentState`.
        pub status: String,
        /// Whether the last write changed the status. A statement that writes several rows returns it.
        pub changed: bool,
        /// By the database's clock.
        pub updated_ms: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
