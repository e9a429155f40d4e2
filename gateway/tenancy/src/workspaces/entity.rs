//! Rows of `workspaces`, `members` and `quota_usage`.

/// A tenant.
pub mod workspace {
    use sea_orm::entity::prelude::*;

    use crate::workspaces::{FilePolicy, PushPolicy, WorkflowPolicy};
    use roost_platform::ids::WorkspaceId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "workspaces")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: WorkspaceId,
        pub name: String,
        pub plan: String,
        pub created_at: DateTimeUtc,
        pub version: i64,
        /// [`PushPolicy`] as a word.
        #[sea_orm(column_type = "Text")]
        pub push_policy: String,
        /// [`FilePolicy`] as a word.
        #[sea_orm(column_type = "Text")]
        pub file_policy: String,
        /// [`WorkflowPolicy`] as a word.
        #[sea_orm(column_type = "Text")]
        pub workflow_policy: String,
    }

    impl Model {
        /// A new workspace, with the settings that every workspace begins with.
        pub fn new(id: WorkspaceId, name: String, plan: String, at: DateTimeUtc) -> Self {
            Self {
                id,
                name,
                plan,
                created_at: at,
                version: 1,
                push_policy: PushPolicy::default().as_str().to_owned(),
                file_policy: FilePolicy::default().as_str().to_owned(),
                workflow_policy: WorkflowPolicy::default().as_str().to_owned(),
            }
        }
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A user's membership in a workspace.
pub mod member {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "members")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub workspace_id: WorkspaceId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub user_id: UserId,
        pub role: String,
        pub created_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::workspace::Entity",
            from = "Column::WorkspaceId",
            to = "super::workspace::Column::Id"
        )]
        Workspace,
    }

    impl Related<super::workspace::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::Workspace.def()
        }
    }

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// The used part of a quota.
pub mod quota_usage {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::WorkspaceId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "quota_usage")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub workspace_id: WorkspaceId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub kind: String,
        pub used: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// Limits of a plan that an operator changed.
pub mod plan_limits {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::UserId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "plan_limits")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub plan: String,
        pub agents: i64,
        pub live_containers: i64,
        pub workspaces: i64,
        pub changed_by: UserId,
        pub changed_at: DateTimeUtc,
        /// Counts from 1.
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
