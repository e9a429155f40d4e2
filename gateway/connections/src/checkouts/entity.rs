//! Rows of `run_repos`, `run_checkouts`, `run_commits` and `run_supplies`.

/// The repository that a run works on.
pub mod bound {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RepoId, RunId, UploadId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_repos")]
    pub struct Model {
        /// The first run of the tree.
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        pub workspace_id: WorkspaceId,
        /// For an upload: the same as `upload_id`, and of no repository.
        pub repo_id: RepoId,
        /// The uploaded files that the run works on, in place of a repository.
        pub upload_id: Option<UploadId>,
        /// The name that the repository or the upload had.
        #[sea_orm(column_type = "Text")]
        pub full_name: String,
        /// A name below `refs/heads/`, or a whole commit id. Absent: the default branch.
        #[sea_orm(column_type = "Text", nullable)]
        pub base_ref: Option<String>,
        /// Known after the first checkout.
        pub base_commit: Option<String>,
        /// What a fork begins at.
        pub start_commit: Option<String>,
        /// The beginning of the names of its branches.
        pub branch: String,
        pub created_at: DateTimeUtc,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A sandbox that has the repository of a run.
pub mod checkout {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RunId, SandboxId, SandboxOwnerId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_checkouts")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub sandbox_id: SandboxId,
        pub workspace_id: WorkspaceId,
        /// The owner of the sandbox.
        pub owner_id: SandboxOwnerId,
        pub branch: String,
        /// The folder in the sandbox.
        #[sea_orm(column_type = "Text")]
        pub path: String,
        /// The commit that it began at.
        pub commit_id: String,
        pub made_at: DateTimeUtc,
        /// Packages did not arrive: the next step in the sandbox tries again.
        pub supply_again: bool,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// What came out of a sandbox after a step.
pub mod commits {
    use sea_orm::entity::prelude::*;

    use roost_machines::sandboxes::OwnerKind;
    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RunId, SandboxOwnerId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_commits")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        /// The run of the tree that has the step.
        #[sea_orm(primary_key, auto_increment = false)]
        pub step_run_id: RunId,
        /// As the keys of calls write it.
        #[sea_orm(primary_key, auto_increment = false)]
        pub step: String,
        pub workspace_id: WorkspaceId,
        /// The owner of the sandbox that it came from.
        pub owner_kind: OwnerKind,
        pub owner_id: SandboxOwnerId,
        pub branch: String,
        /// The newest commit of the branch that the broker has. Absent when it has none.
        pub head: Option<String>,
        /// Commits after the base.
        pub commits: i64,
        /// Files that differ from the base.
        pub files: i64,
        /// [`Shown`](crate::checkouts::model::Shown) as JSON.
        #[sea_orm(column_type = "Text")]
        pub shown: String,
        /// Changed files of the checkout that are in no commit.
        pub uncommitted: i64,
        /// Why the commits were not received.
        #[sea_orm(column_type = "Text", nullable)]
        pub refused: Option<String>,
        pub at: DateTimeUtc,
        /// When this head was pushed.
        pub pushed_at: Option<DateTimeUtc>,
        /// The pull request of the branch, as its host gave it.
        #[sea_orm(column_type = "Text", nullable)]
        pub pull_url: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// What a lock file of the bound commit brought into the sandboxes.
pub mod supply {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RunId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_supplies")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        /// The lock file in the repository.
        #[sea_orm(primary_key, auto_increment = false)]
        pub path: String,
        pub workspace_id: WorkspaceId,
        pub kind: String,
        /// `fetching`, `done` or `failed`.
        pub state: String,
        /// Packages that can be supplied.
        pub wanted: i64,
        /// Loaded from the registry.
        pub fetched: i64,
        /// Found in the workspace's store.
        pub stored: i64,
        pub bytes: i64,
        /// The first [`LeftOut`](crate::supplies::LeftOut) as JSON.
        #[sea_orm(column_type = "Text")]
        pub left_out: String,
        pub left_out_count: i64,
        #[sea_orm(column_type = "Text", nullable)]
        pub why: Option<String>,
        /// [`Added`](crate::supplies::Added) as JSON: packages that persons approved during the run.
        #[sea_orm(column_type = "Text", nullable)]
        pub added: Option<String>,
        pub at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
