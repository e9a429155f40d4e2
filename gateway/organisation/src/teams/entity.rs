//! Rows of `teams` and `team_members`.

/// A team.
pub mod team {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RepoId, TeamId, TemplateId, UserId, WorkspaceId};

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
        /// A value of `State`.
        pub state: String,
        /// A value of `Profile`. The template's applies when it is absent.
        pub risk_profile: Option<String>,
        /// JSON list of values of `Bundle`, in addition to the template's.
        #[sea_orm(column_type = "Text")]
        pub mcp_bundles: String,
        /// A value of `Lifecycle`.
        pub lifecycle: String,
        pub template_id: Option<TemplateId>,
        pub template_version: Option<i64>,
        /// JSON.
        #[sea_orm(column_type = "Text")]
        pub topology: String,
        #[sea_orm(column_type = "Text", nullable)]
        pub model_binding: Option<String>,
        pub created_by: UserId,
        pub created_at: DateTimeUtc,
        pub updated_at: DateTimeUtc,
        pub version: i64,
        /// The machine for its sandboxes: `local` or a node's id. The workspace's placement applies when it is
        /// absent.
        #[sea_orm(column_type = "Text", nullable)]
        pub machine_id: Option<String>,
        /// A name of the catalogue of images. The template's applies when it is absent.
        #[sea_orm(column_type = "Text", nullable)]
        pub image: Option<String>,
        /// A `NewLimits` as JSON: the limits of its sandboxes.
        #[sea_orm(column_type = "Text", nullable)]
        pub limits: Option<String>,
        /// The repository of runs that name none. It may have been removed from the workspace since.
        pub repo_id: Option<RepoId>,
        /// A branch or a whole commit id. The repository's default branch when it is absent.
        #[sea_orm(column_type = "Text", nullable)]
        pub repo_base: Option<String>,
        /// Its agents work in one sandbox, which is the team's. Otherwise each works in its own.
        pub shared_sandbox: bool,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// The agent of a node.
pub mod member {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::{ClawId, TeamId};

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
