//! Rows of `run_step_files` and `run_start_files`.

/// The files of a sandbox around a step.
pub mod around {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RunId, SandboxId, SandboxOwnerId, SnapshotId, WorkspaceId};

    use crate::sandboxes::OwnerKind;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_step_files")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        /// The step as its keys write it.
        #[sea_orm(primary_key, auto_increment = false)]
        pub step: String,
        pub workspace_id: WorkspaceId,
        pub root_run_id: RunId,
        /// The owner of the sandbox that the step worked in.
        pub owner_kind: OwnerKind,
        pub owner_id: SandboxOwnerId,
        pub sandbox_id: SandboxId,
        /// A node's id, or `local`.
        pub node_id: String,
        pub began_snapshot: Option<SnapshotId>,
        pub began_digest: Option<String>,
        /// Why there is no snapshot.
        #[sea_orm(column_type = "Text", nullable)]
        pub began_missing: Option<String>,
        pub began_at: DateTimeUtc,
        pub ended_snapshot: Option<SnapshotId>,
        pub ended_digest: Option<String>,
        #[sea_orm(column_type = "Text", nullable)]
        pub ended_missing: Option<String>,
        /// Absent until the end was recorded.
        pub ended_at: Option<DateTimeUtc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// The files that a sandbox of a run begins with.
pub mod start {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RunId, SandboxId, SandboxOwnerId, SnapshotId, WorkspaceId};

    use crate::sandboxes::OwnerKind;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_start_files")]
    pub struct Model {
        /// The first run of the tree.
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        /// The owner of the sandbox that begins with them. The nil id: each owner of the tree without a row of its own.
        #[sea_orm(primary_key, auto_increment = false)]
        pub owner_id: SandboxOwnerId,
        /// Without a meaning for the nil id.
        pub owner_kind: OwnerKind,
        pub workspace_id: WorkspaceId,
        /// The nil id: no files.
        pub snapshot_id: SnapshotId,
        /// The owner of the snapshot.
        pub snapshot_owner_id: SandboxOwnerId,
        pub digest: String,
        /// The step that had them. Empty without files.
        pub step: String,
        /// The sandbox that is made for them.
        pub sandbox_id: SandboxId,
        /// When the sandbox had them.
        pub restored_at: Option<DateTimeUtc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
