//! Rows of sign-ins under way and of connections.

/// `oauth_states`: a sign-in under way.
pub mod state {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "oauth_states")]
    pub struct Model {
        /// 32 lowercase hex digits, time-ordered.
        #[sea_orm(primary_key, auto_increment = false)]
        pub state: String,
        pub workspace_id: WorkspaceId,
        pub user_id: UserId,
        pub agent_id: ClawId,
        pub provider: String,
        pub auth_type: String,
        pub issuer_url: String,
        pub expires_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// `app_connections`: an app that an agent is connected to.
pub mod connection {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{AppConnectionId, ClawId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "app_connections")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: AppConnectionId,
        pub workspace_id: WorkspaceId,
        pub agent_id: Option<ClawId>,
        pub provider: String,
        pub auth_type: String,
        pub issuer_url: String,
        /// The name of the record in the secret broker that has the token.
        pub secret_ref: String,
        pub connected_by: UserId,
        pub created_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
