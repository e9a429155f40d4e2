//! Rows of `team_templates`, `team_template_roles`, `team_template_versions` and `agent_template_links`.

/// The current state of a template.
pub mod template {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{TemplateId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "team_templates")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: TemplateId,
        /// Absent when the template comes with Roost.
        pub workspace_id: Option<WorkspaceId>,
        pub key: String,
        pub name: String,
        #[sea_orm(column_type = "Text")]
        pub description: String,
        pub stack: String,
        pub default_topology: String,
        pub risk_profile: String,
        /// A JSON array of bundle names.
        #[sea_orm(column_type = "Text")]
        pub mcp_bundles: String,
        /// A value of `Category`.
        pub category: String,
        /// A name of the catalogue of images. The deployment's default image when it is absent.
        #[sea_orm(column_type = "Text", nullable)]
        pub image: Option<String>,
        /// A JSON array of values of `Need`.
        #[sea_orm(column_type = "Text")]
        pub needs: String,
        /// `builtin` or `workspace`.
        pub source: String,
        pub version: i64,
        pub created_at: DateTimeUtc,
        pub updated_at: DateTimeUtc,
        pub deleted_at: Option<DateTimeUtc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    /// Built-in rows belong to no workspace.
    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A current role of a template.
pub mod role {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{TemplateId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "team_template_roles")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub template_id: TemplateId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub slot: String,
        pub workspace_id: Option<WorkspaceId>,
        pub position: i32,
        pub title: String,
        pub seat: Option<String>,
        /// A value of `OnReject`.
        pub on_reject: Option<String>,
        pub back_to: Option<String>,
        #[sea_orm(column_type = "Text")]
        pub summary: String,
        #[sea_orm(column_type = "Text")]
        pub system_prompt: String,
        /// A JSON array of names.
        #[sea_orm(column_type = "Text")]
        pub skills: String,
        #[sea_orm(column_type = "Text")]
        pub brain_seed: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    /// Built-in rows belong to no workspace.
    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A complete version of a template.
pub mod version {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{TemplateId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "team_template_versions")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub template_id: TemplateId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub version: i64,
        pub workspace_id: Option<WorkspaceId>,
        /// The hash of the content.
        pub sha256: String,
        /// A `Content` as JSON.
        #[sea_orm(column_type = "Text")]
        pub content: String,
        pub author: UserId,
        pub at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    /// Built-in rows belong to no workspace.
    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// The template version and the role that an agent was made from.
pub mod link {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, TemplateId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "agent_template_links")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub agent_id: ClawId,
        pub workspace_id: WorkspaceId,
        pub template_id: TemplateId,
        pub template_version: i64,
        pub role_slot: String,
        /// When its brain got the seed of its role.
        pub seeded_at: Option<DateTimeUtc>,
        pub created_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
