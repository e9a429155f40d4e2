//! Rows of `users`, `user_avatars`, `sessions`, `one_time_logins`, `known_devices`, `refused_sign_ins` and
//! `operator_grants`.

/// A person.
pub mod user {
    use sea_orm::entity::prelude::*;

    use crate::auth::EmailBy;
    use roost_platform::ids::UserId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "users")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: UserId,
        /// Lower case, unique.
        pub email: String,
        /// How the address was vouched for: see [`EmailBy`].
        pub email_by: String,
        pub name: String,
        /// Absent until the person has set one.
        #[sea_orm(column_type = "Text", nullable)]
        pub password_hash: Option<String>,
        pub created_at: DateTimeUtc,
        /// The issuer's subject for this person; unique. Absent for a person that only signs in with a local account.
        pub auth_subject: Option<String>,
        /// The last role that the issuer's claims gave.
        pub hosted_role: Option<String>,
        /// When the token was issued that gave or removed that role.
        pub hosted_at: Option<DateTimeUtc>,
        /// The broker's record name for the tokens of the last sign-in by the issuer.
        pub issuer_grant: Option<String>,
        /// When the gateway last asked the issuer about this person, and when the issuer last answered.
        pub issuer_asked_at: Option<DateTimeUtc>,
        pub issuer_answered_at: Option<DateTimeUtc>,
        /// The account operates the deployment, whatever its address is: it did when its person changed the address.
        pub operates: bool,
        /// The account of the first start, whatever its address is.
        pub deployment_owner: bool,
        /// The version of the person's picture. Absent without one.
        pub avatar: Option<String>,
        /// Since when the person gets mail about runs that fail or wait for an approval. Absent: never.
        pub mail_notices_at: Option<DateTimeUtc>,
        /// The address that the person wants and has not confirmed yet.
        pub pending_email: Option<String>,
        /// The hash of the link that confirms it, and its end.
        pub pending_sha256: Option<String>,
        pub pending_until: Option<DateTimeUtc>,
    }

    impl Model {
        /// A person with no password and no issuer. `email` is in lower case.
        pub fn new(
            id: UserId,
            (email, by): (&str, EmailBy),
            name: impl Into<String>,
            created_at: DateTimeUtc,
        ) -> Self {
            Self {
                id,
                email: email.to_owned(),
                email_by: by.as_str().to_owned(),
                name: name.into(),
                password_hash: None,
                created_at,
                auth_subject: None,
                hosted_role: None,
                hosted_at: None,
                issuer_grant: None,
                issuer_asked_at: None,
                issuer_answered_at: None,
                operates: false,
                deployment_owner: false,
                avatar: None,
                mail_notices_at: None,
                pending_email: None,
                pending_sha256: None,
                pending_until: None,
            }
        }

        /// How the address was vouched for.
        pub fn email_by(&self) -> EmailBy {
            EmailBy::from_stored(&self.email_by)
        }
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A signed-in browser or a machine's API session.
pub mod session {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{SessionId, UserId, WorkspaceId};

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
        /// The address from which the session was opened.
        pub from_address: Option<String>,
        /// The browser's name for itself, cleaned.
        pub device: Option<String>,
        /// The session came from a one-time login: it may set a password once without the old one.
        pub set_password_without_current: bool,
        /// The session rests on the issuer's word. The gateway asks the issuer again while the session lives.
        pub by_issuer: bool,
        /// JSON list of the verbs that a program's token may do at most: see [`Scopes`](crate::auth::Scopes). Absent for
        /// all that the person may do.
        #[sea_orm(column_type = "Text", nullable)]
        pub scopes: Option<String>,
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

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A login that works once, for 15 minutes.
pub mod one_time_login {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::{OneTimeLoginId, UserId};

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

/// A person that operates the deployment.
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

/// The picture of a person.
pub mod avatar {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::UserId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "user_avatars")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub user_id: UserId,
        pub png: Vec<u8>,
        pub at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A browser that signed in to an account before.
pub mod known_device {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::UserId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "known_devices")]
    pub struct Model {
        /// SHA-256 of the browser's device cookie, in hex.
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        pub user_id: UserId,
        pub used_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A sign-in with a wrong password that the audit log does not have yet.
pub mod refused_sign_in {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::{RefusedSignInId, UserId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "refused_sign_ins")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: RefusedSignInId,
        /// The account of that address. Absent when there is none.
        pub user_id: Option<UserId>,
        pub from_address: String,
        /// The browser's name for itself, cleaned.
        pub device: Option<String>,
        pub at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
