//! Rows of `events`, `event_heads` and `event_cuts`.

/// One event of the log.
pub mod event {
    use sea_orm::entity::prelude::*;

    use crate::db::TenantEntity;
    use crate::ids::{ClawId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "events")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub workspace_id: WorkspaceId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub epoch: i64,
        #[sea_orm(primary_key, auto_increment = false)]
        pub seq: i64,
        pub kind: String,
        pub agent_id: Option<ClawId>,
        pub run_id: Option<Uuid>,
        pub mission_id: Option<Uuid>,
        pub room_id: Option<Uuid>,
        #[sea_orm(column_type = "Text")]
        pub data: String,
        pub at: DateTimeUtc,
        /// The length of `data` if the event is ephemeral; absent for a fact.
        pub ephemeral_bytes: Option<i32>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// The last sequence number of a workspace's log.
pub mod head {
    use sea_orm::entity::prelude::*;

    use crate::db::TenantEntity;
    use crate::ids::WorkspaceId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "event_heads")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub workspace_id: WorkspaceId,
        pub epoch: i64,
        pub seq: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// Up to where retention has deleted a workspace's events, and what it counted above.
pub mod cuts {
    use sea_orm::entity::prelude::*;

    use crate::db::TenantEntity;
    use crate::ids::WorkspaceId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "event_cuts")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub workspace_id: WorkspaceId,
        /// The epoch that the numbers belong to.
        pub epoch: i64,
        /// All events up to this one are deleted.
        pub facts_cut: i64,
        /// All ephemeral events up to this one are deleted. Never below `facts_cut`.
        pub ephemera_cut: i64,
        /// The last event that the following numbers include.
        pub counted: i64,
        /// The number of stored facts.
        pub facts: i64,
        /// The bytes of stored ephemeral events.
        pub ephemera_bytes: i64,
        pub oldest_fact: Option<DateTimeUtc>,
        pub oldest_ephemera: Option<DateTimeUtc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
