//! Tables of this domain: the registry of containers and the placement setting.

/// `agent_containers`: one row for each sandbox, live or ended.
pub mod container {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{OperationId, SandboxId, SandboxOwnerId, WorkspaceId};

    use crate::sandboxes::{OwnerKind, SandboxOwner};

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "agent_containers")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: SandboxId,
        pub workspace_id: WorkspaceId,
        pub owner_kind: OwnerKind,
        pub owner_id: SandboxOwnerId,
        /// A node's id, or `local`.
        pub node_id: String,
        /// The engine's container id, once it is known.
        pub container: Option<String>,
        /// Rises with each sandbox of the owner.
        pub epoch: i64,
        pub state: String,
        /// The operation that the present state waits for.
        pub operation_id: Option<OperationId>,
        pub image: String,
        /// The digest that the image must have, if one is demanded.
        #[sea_orm(column_type = "Text", nullable)]
        pub image_digest: Option<String>,
        #[sea_orm(column_type = "JsonBinary")]
        pub limits: Json,
        /// `{wanted, reason}` when the sandbox could not go to the wanted machine.
        #[sea_orm(column_type = "JsonBinary", nullable)]
        pub fallback: Option<Json>,
        /// Why it failed or stopped, for people.
        pub detail: Option<String>,
        /// The stored workspace: `{digest, bytes, at}`. Until the sandbox ends it is what a new sandbox begins with;
        /// then it is what the machine stored at the end.
        #[sea_orm(column_type = "JsonBinary", nullable)]
        pub archive: Option<Json>,
        /// What the machine restored: `{digest, taken_at}`.
        #[sea_orm(column_type = "JsonBinary", nullable)]
        pub restored: Option<Json>,
        /// Why the machine could not take the last snapshot.
        #[sea_orm(column_type = "Text", nullable)]
        pub snapshot_problem: Option<String>,
        /// What the drain of its machine has done for it: `{turn, flushed, failed}`.
        #[sea_orm(column_type = "JsonBinary", nullable)]
        pub drain: Option<Json>,
        /// Facts that the probe read from inside: a list.
        #[sea_orm(column_type = "JsonBinary", nullable)]
        pub hardening: Option<Json>,
        pub created_at: DateTimeUtc,
        pub last_used_at: DateTimeUtc,
        pub ended_at: Option<DateTimeUtc>,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }

    impl Model {
        pub fn owner(&self) -> SandboxOwner {
            SandboxOwner::of(self.owner_kind, self.owner_id)
        }
    }
}

/// `workspace_placements`: where new sandboxes of a workspace go; no row means local.
pub mod placement {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{NodeId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "workspace_placements")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub workspace_id: WorkspaceId,
        pub node_id: Option<NodeId>,
        pub set_by: UserId,
        pub updated_at: DateTimeUtc,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
