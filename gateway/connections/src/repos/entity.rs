//! Rows of `repo_connections` and `repos`.

/// A connection to a code host.
pub mod connection {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RepoConnectionId, UserId, WorkspaceId};

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
        /// Entries of the last list that could not be parsed.
        pub last_sync_skipped: i64,
        /// Whether the last list had more pages than are read.
        pub last_sync_cut: bool,
        /// Stays true until a sync has ended, so that a killed sync starts again.
        pub sync_wanted: bool,
        /// The holder of the present sync. `sync_until` is the time at which its hold ends without a renewal.
        pub sync_holder: Option<Uuid>,
        pub sync_until: Option<DateTimeUtc>,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A repository.
pub mod repo {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RepoConnectionId, RepoId, WorkspaceId};

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
        /// The sync that found it last.
        pub seen_by: Uuid,
        pub seen_at: DateTimeUtc,
        /// Since when a whole list did not contain it any more.
        pub gone_at: Option<DateTimeUtc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A mirror of a repository, on the secret broker's disk.
pub mod mirror {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RepoId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "repo_mirrors")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub repo_id: RepoId,
        pub workspace_id: WorkspaceId,
        /// A fetch is wanted. Stays true until one has ended, so that a killed fetch starts again.
        pub wanted: bool,
        /// The mirror is being removed. Stays true until the broker has deleted it; then the row is deleted.
        pub dropped: bool,
        /// The present holder. `until` is the time at which its hold ends without a renewal.
        pub holder: Option<Uuid>,
        pub until: Option<DateTimeUtc>,
        /// A word of `MirrorPhase`, during a fetch.
        pub phase: Option<String>,
        pub percent: i32,
        /// Bytes received from the host in the fetch under way.
        pub received: i64,
        /// When a fetch last succeeded.
        pub fetched_at: Option<DateTimeUtc>,
        #[sea_orm(column_type = "Text", nullable)]
        pub error: Option<String>,
        /// Its size on the broker's disk.
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

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
