//! Rows of `runtime_agents`.

/// The record of an agent.
pub mod record {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "runtime_agents")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub agent_id: ClawId,
        pub workspace_id: WorkspaceId,
        pub runtime: String,
        #[sea_orm(column_type = "Text", nullable)]
        pub model: Option<String>,
        /// A value of `Profile`.
        pub risk_profile: String,
        /// JSON list of values of `Bundle`.
        #[sea_orm(column_type = "Text")]
        pub mcp_bundles: String,
        pub created_at: DateTimeUtc,
        /// Whether the agent was created for a team. The team's deletion can then purge it.
        pub minted: bool,
        /// A name of the catalogue of images. Its team's applies when it is absent.
        #[sea_orm(column_type = "Text", nullable)]
        pub image: Option<String>,
        /// A `NewLimits` as JSON: the limits of its sandboxes.
        #[sea_orm(column_type = "Text", nullable)]
        pub limits: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
