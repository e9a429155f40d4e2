//! Rows of `home_workspace`, `hosted_sign_ins` and `login_codes`.

/// The home workspace, to which claims and domains apply: the first one of the deployment, while it exists.
pub mod home {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::WorkspaceId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "home_workspace")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub workspace_id: WorkspaceId,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A sign-in by the issuer that is under way in a browser. The browser's cookie holds the rest: the code verifier and
/// the nonce are made from it, so this row alone is useless to an attacker.
pub mod sign_in {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::UserId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "hosted_sign_ins")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub state_sha256: String,
        /// SHA-256 of the cookie of the browser that began.
        pub binding_sha256: String,
        #[sea_orm(column_type = "Text")]
        pub redirect_uri: String,
        /// The path that the browser opens afterwards.
        #[sea_orm(column_type = "Text")]
        pub next: String,
        pub from_address: String,
        /// The signed-in user that wants to link their account.
        pub link_user: Option<UserId>,
        pub expires_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A terminal that waits until a person confirms its code on the page.
pub mod login_code {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::{UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "login_codes")]
    pub struct Model {
        /// SHA-256 of the secret that only the terminal has.
        #[sea_orm(primary_key, auto_increment = false)]
        pub device_sha256: String,
        /// SHA-256 of the code that the terminal shows.
        pub code_sha256: String,
        /// The terminal's name for itself, cleaned.
        pub device: String,
        pub from_address: String,
        /// The user that confirmed the code.
        pub user_id: Option<UserId>,
        pub workspace_id: Option<WorkspaceId>,
        /// The end of the session that confirmed. The terminal's session must not live longer.
        pub session_until: Option<DateTimeUtc>,
        /// The session that confirmed rests on the issuer's word, so the terminal's session does too.
        pub by_issuer: bool,
        pub expires_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
