//! Rows of `skills`, `skill_versions`, `template_role_skills` and `agent_skill_overrides`.

/// The current state of a skill.
pub mod skill {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{SkillId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "skills")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: SkillId,
        /// Absent when the skill comes with Roost.
        pub workspace_id: Option<WorkspaceId>,
        pub name: String,
        pub title: String,
        #[sea_orm(column_type = "Text")]
        pub when_to_use: String,
        /// A JSON array of words of `[a-z0-9-]`, as text, so that both databases search it in the same way.
        #[sea_orm(column_type = "Text")]
        pub tags: String,
        /// A value of `SourceKind`.
        pub source_kind: String,
        /// A value of `Visibility`.
        pub visibility: String,
        /// Every role has it.
        pub foundation: bool,
        pub current_version: i64,
        #[sea_orm(column_type = "Text")]
        pub body: String,
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

/// A version of a skill. It never changes.
pub mod version {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{SkillId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "skill_versions")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub skill_id: SkillId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub version: i64,
        pub workspace_id: Option<WorkspaceId>,
        pub title: String,
        #[sea_orm(column_type = "Text")]
        pub when_to_use: String,
        #[sea_orm(column_type = "Text")]
        pub tags: String,
        #[sea_orm(column_type = "Text")]
        pub body: String,
        /// A `PromotedFrom`.
        pub promoted_from: Option<Json>,
        pub restored_from: Option<i64>,
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

/// A skill that a role of a template version has.
pub mod role_skill {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{SkillId, TemplateId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "template_role_skills")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub template_id: TemplateId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub template_version: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub role_slot: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub skill_name: String,
        /// Absent when no skill had that name.
        pub skill_id: Option<SkillId>,
        pub workspace_id: Option<WorkspaceId>,
        pub pin_in_context: bool,
        pub order_idx: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    /// Built-in rows belong to no workspace.
    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A choice for one agent: a skill that is added, or a skill that is excluded.
pub mod choice {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, SkillId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "agent_skill_overrides")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub agent_id: ClawId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub skill_id: SkillId,
        pub workspace_id: WorkspaceId,
        pub include: bool,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
