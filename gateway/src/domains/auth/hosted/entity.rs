//! Rows of `home_workspace`, `hosted_sign_ins` and `login_codes`.

/// The workspace that claims and domains are about: the first one of the deployment, while it is there.
pub mod home {
    use sea_orm::entity::prelude::*;

    use crate::ids::WorkspaceId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "home_workspace")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub workspace_id: WorkspaceId,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A sign-in by the issuer that is under way in a browser. The browser's cookie holds the rest: the code verifier and the
/// nonce come from it, so that this row is of no use to whoever reads it.
pub mod sign_in {
    use sea_orm::entity::prelude::*;

    use crate::ids::UserId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "hosted_sign_ins")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub state_sha256: String,
        /// Of the cookie of the browser that began.
        pub binding_sha256: String,
        #[sea_orm(column_type = "Text")]
        pub redirect_uri: String,
        /// The path to go to afterwards.
        #[sea_orm(column_type = "Text")]
        pub next: String,
        pub from_address: String,
        /// Whoever was signed in and wants their account linked.
        pub link_user: Option<UserId>,
        pub expires_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A terminal that waits for somebody to confirm its code on the page.
pub mod login_code {
    use sea_orm::entity::prelude::*;

    use crate::ids::{UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "login_codes")]
    pub struct Model {
        /// Of the secret that the terminal alone has.
        #[sea_orm(primary_key, auto_increment = false)]
        pub device_sha256: String,
        /// Of the code that it shows.
        pub code_sha256: String,
        /// What the terminal calls itself, cleaned.
        pub device: String,
        pub from_address: String,
        /// Whoever confirmed it.
        pub user_id: Option<UserId>,
        pub workspace_id: Option<WorkspaceId>,
        /// The end of the session that confirmed: what comes of it lives no longer.
        pub session_until: Option<DateTimeUtc>,
        pub expires_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
