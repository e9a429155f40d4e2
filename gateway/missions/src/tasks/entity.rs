//! Tables `mission_tasks` and `mission_task_marks`.

/// A task of a phase.
pub mod task {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, MissionId, MissionPhaseId, MissionTaskId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "mission_tasks")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: MissionTaskId,
        pub workspace_id: WorkspaceId,
        pub mission_id: MissionId,
        pub phase_id: MissionPhaseId,
        /// `INT-` and two to five digits, unique in its phase.
        pub external_id: String,
        #[sea_orm(column_type = "Text")]
        pub title: String,
        #[sea_orm(column_type = "Text")]
        pub body: String,
        /// A value of `TaskStatus`.
        pub status: String,
        /// The parser never sets it.
        pub assigned_agent_id: Option<ClawId>,
        /// The markers that did not move the task, because it was further already.
        pub ignored_marks: i32,
        pub created_at: DateTimeUtc,
        pub updated_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A marker that was read, and its place.
pub mod mark {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{ClawId, MissionId, MissionPhaseId, RunId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "mission_task_marks")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        /// The step, the entry of its journal and the line: `coder#1.0/4:12`.
        #[sea_orm(primary_key, auto_increment = false)]
        pub place: String,
        pub workspace_id: WorkspaceId,
        pub mission_id: MissionId,
        pub phase_id: MissionPhaseId,
        pub external_id: String,
        /// A value of `Marker`.
        pub marker: String,
        /// The step, as a link to the run's page names it.
        pub step: String,
        pub agent_id: Option<ClawId>,
        /// Whether it moved the task.
        pub applied: bool,
        /// Whether it is shown with its task. A row that is not shown only says that the marker was read.
        pub kept: bool,
        pub at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
