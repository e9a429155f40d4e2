//! Rows of `users`, `sessions`, `one_time_logins` and `operator_grants`.

/// A person.
pub mod user {
    use sea_orm::entity::prelude::*;

    use crate::ids::UserId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "users")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: UserId,
        /// Lower case, unique.
        pub email: String,
        pub name: String,
        /// Absent until the person has set one.
        #[sea_orm(column_type = "Text", nullable)]
        pub password_hash: Option<String>,
        pub created_at: DateTimeUtc,
        /// Who this is to the issuer; unique. Absent for those who only sign in here.
        pub auth_subject: Option<String>,
        /// The role that the issuer's claims gave last.
        pub hosted_role: Option<String>,
        /// When the token was issued that gave or took it.
        pub hosted_at: Option<DateTimeUtc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A signed-in browser or a machine's API session.
pub mod session {
    use sea_orm::entity::prelude::*;

    use crate::ids::{SessionId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "sessions")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: SessionId,
        pub user_id: UserId,
        /// The active workspace.
        pub workspace_id: WorkspaceId,
        pub token_sha256: String,
        /// `login` or `api`.
        pub kind: String,
        pub label: Option<String>,
        /// Where it was opened.
        pub from_address: Option<String>,
        /// What the browser called itself, cleaned.
        pub device: Option<String>,
        /// Came from a one-time login: may set a password without knowing the old one, once.
        pub set_password_without_current: bool,
        pub created_at: DateTimeUtc,
        pub last_seen_at: DateTimeUtc,
        /// The absolute end; the idle end is counted from `last_seen_at`.
        pub expires_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::user::Entity",
            from = "Column::UserId",
            to = "super::user::Column::Id"
        )]
        User,
    }

    impl Related<super::user::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::User.def()
        }
    }

    impl ActiveModelBehavior for ActiveModel {}
}

/// A login that works once, for 15 minutes.
pub mod one_time_login {
    use sea_orm::entity::prelude::*;

    use crate::ids::{OneTimeLoginId, UserId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "one_time_logins")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: OneTimeLoginId,
        pub user_id: UserId,
        pub token_sha256: String,
        pub created_at: DateTimeUtc,
        pub expires_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A person who operates the deployment.
pub mod operator_grant {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "operator_grants")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub email: String,
        pub granted_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
