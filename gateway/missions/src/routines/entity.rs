//! Tables `routines` and `routine_firings`.

/// A routine.
pub mod routine {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{MissionId, RoutineId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "routines")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: RoutineId,
        pub workspace_id: WorkspaceId,
        #[sea_orm(column_type = "Text")]
        pub name: String,
        /// A `Schedule` as JSON.
        #[sea_orm(column_type = "Text")]
        pub schedule: String,
        /// A `Recipe` as JSON.
        #[sea_orm(column_type = "Text")]
        pub recipe: String,
        /// A value of `Missed`.
        pub missed: String,
        /// A value of `Overlap`.
        pub overlap: String,
        pub enabled: bool,
        /// The due time that was not handled yet. Null when the schedule has ended.
        pub next_due_at: Option<DateTimeUtc>,
        /// The mission from which it was made.
        pub mission_id: Option<MissionId>,
        /// The person for whom it acts.
        pub created_by: UserId,
        pub created_at: DateTimeUtc,
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

/// A line of the journal.
pub mod firing {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{FiringId, MissionId, RoutineId, RunId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "routine_firings")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: FiringId,
        pub workspace_id: WorkspaceId,
        pub routine_id: RoutineId,
        /// A value of `Cause`.
        pub cause: String,
        /// A value of `FiringState`.
        pub state: String,
        pub due_at: DateTimeUtc,
        /// When the gateway handled the due time.
        pub noted_at: DateTimeUtc,
        /// The due times that a missed line stands for. 1 for every other line.
        pub due_times: i32,
        /// Why it started nothing or failed, for people.
        #[sea_orm(column_type = "Text", nullable)]
        pub reason: Option<String>,
        pub run_id: Option<RunId>,
        pub mission_id: Option<MissionId>,
        pub acted_for: UserId,
        /// While it works: something of it waits for an approval.
        pub at_door: bool,
        pub ended_at: Option<DateTimeUtc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
