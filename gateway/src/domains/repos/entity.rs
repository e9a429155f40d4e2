//! Rows of `repo_connections` and `repos`.

/// A connection to a code host.
pub mod connection {
    use sea_orm::entity::prelude::*;

    use crate::ids::{RepoConnectionId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "repo_connections")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: RepoConnectionId,
        pub workspace_id: WorkspaceId,
        /// A word of `ProviderKind`.
        pub provider: String,
        pub owner: Option<String>,
        pub base_url: String,
        pub label: String,
        /// The connection part of the record's name in the broker; its tenant is the workspace.
        pub secret_reference: String,
        pub created_by: UserId,
        pub created_at: DateTimeUtc,
        pub last_synced_at: Option<DateTimeUtc>,
        #[sea_orm(column_type = "Text", nullable)]
        pub last_sync_error: Option<String>,
        /// Entries of the last list that could not be understood.
        pub last_sync_skipped: i64,
        /// Whether the last list had more pages than are read.
        pub last_sync_cut: bool,
        /// Stays until a sync came to its end, so that one which was killed is begun again.
        pub sync_wanted: bool,
        /// Who syncs now, until when without a word.
        pub sync_holder: Option<Uuid>,
        pub sync_until: Option<DateTimeUtc>,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A repository.
pub mod repo {
    use sea_orm::entity::prelude::*;

    use crate::ids::{RepoConnectionId, RepoId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "repos")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: RepoId,
        pub workspace_id: WorkspaceId,
        pub connection_id: RepoConnectionId,
        /// Unique within its connection.
        pub external_id: String,
        pub name: String,
        pub full_name: String,
        #[sea_orm(column_type = "Text", nullable)]
        pub description: Option<String>,
        pub language: Option<String>,
        pub private: bool,
        pub archived: bool,
        pub fork: bool,
        pub default_branch: Option<String>,
        #[sea_orm(column_type = "Text")]
        pub clone_url: String,
        #[sea_orm(column_type = "Text")]
        pub html_url: String,
        pub provider_updated: Option<DateTimeUtc>,
        /// The sync that saw it last.
        pub seen_by: Uuid,
        pub seen_at: DateTimeUtc,
        /// Since when a whole list did not have it any more.
        pub gone_at: Option<DateTimeUtc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A mirror of a repository, which lies on the secret broker's disk.
pub mod mirror {
    use sea_orm::entity::prelude::*;

    use crate::ids::{RepoId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "repo_mirrors")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub repo_id: RepoId,
        pub workspace_id: WorkspaceId,
        /// A fetch is wanted. Stays until one came to its end, so that one which was killed is begun again.
        pub wanted: bool,
        /// It shall go. Stays until the broker has forgotten it; then the row goes.
        pub dropped: bool,
        /// Who works with it now, until when without a word.
        pub holder: Option<Uuid>,
        pub until: Option<DateTimeUtc>,
        /// A word of `MirrorPhase`, while it is being fetched.
        pub phase: Option<String>,
        pub percent: i32,
        /// Bytes that came from the host in the fetch under way.
        pub received: i64,
        /// When a fetch last came to a good end.
        pub fetched_at: Option<DateTimeUtc>,
        #[sea_orm(column_type = "Text", nullable)]
        pub error: Option<String>,
        /// On the broker's disk.
        pub bytes: i64,
        pub branches: i64,
        pub tags: i64,
        #[sea_orm(column_type = "Text", nullable)]
        pub head_branch: Option<String>,
        pub head_commit: Option<String>,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
