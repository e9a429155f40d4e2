//! Rows of `teams`, `team_members` and `runtime_agents`.

/// A team.
pub mod team {
    use sea_orm::entity::prelude::*;

    use crate::ids::{ClawId, TeamId, TemplateId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "teams")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: TeamId,
        pub workspace_id: WorkspaceId,
        #[sea_orm(column_type = "Text")]
        pub name: String,
        #[sea_orm(column_type = "Text", nullable)]
        pub description: Option<String>,
        /// A word of `State`.
        pub state: String,
        /// A word of `Profile`; the template's when absent.
        pub risk_profile: Option<String>,
        /// JSON list of words of `Bundle`, beside the template's.
        #[sea_orm(column_type = "Text")]
        pub mcp_bundles: String,
        /// A word of `Lifecycle`.
        pub lifecycle: String,
        pub template_id: Option<TemplateId>,
        pub template_version: Option<i64>,
        /// JSON.
        #[sea_orm(column_type = "Text")]
        pub topology: String,
        /// Whose sandbox the team works in; each in its own when absent.
        pub workbench_id: Option<ClawId>,
        #[sea_orm(column_type = "Text", nullable)]
        pub model_binding: Option<String>,
        pub created_by: UserId,
        pub created_at: DateTimeUtc,
        pub updated_at: DateTimeUtc,
        pub version: i64,
        /// `local` or a node's id: where its sandboxes are made; the workspace's placement when absent.
        #[sea_orm(column_type = "Text", nullable)]
        pub machine_id: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// Which agent works at a node.
pub mod member {
    use sea_orm::entity::prelude::*;

    use crate::ids::{ClawId, TeamId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "team_members")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub team_id: TeamId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub node: String,
        pub agent_id: ClawId,
        pub slot: String,
        pub position: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// An agent as the runtime knows it.
pub mod runtime_agent {
    use sea_orm::entity::prelude::*;

    use crate::ids::{ClawId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "runtime_agents")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub agent_id: ClawId,
        pub workspace_id: WorkspaceId,
        pub runtime: String,
        #[sea_orm(column_type = "Text", nullable)]
        pub model: Option<String>,
        pub risk_profile: String,
        /// JSON list.
        #[sea_orm(column_type = "Text")]
        pub mcp_bundles: String,
        pub created_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
