//! Tables `missions`, `mission_phases`, `mission_phase_runs` and `mission_teams`.

/// A mission.
pub mod mission {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{
        MissionId, NodeId, RepoId, RoutineId, TeamId, TemplateId, UserId, WorkspaceId,
    };

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "missions")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: MissionId,
        pub workspace_id: WorkspaceId,
        #[sea_orm(column_type = "Text")]
        pub title: String,
        #[sea_orm(column_type = "Text")]
        pub goal: String,
        /// A value of `TemplateKind`.
        pub template_kind: String,
        /// The first team that was minted for it.
        pub team_id: Option<TeamId>,
        pub team_template_id: Option<TemplateId>,
        /// The routine that launched it.
        pub routine_id: Option<RoutineId>,
        #[sea_orm(column_type = "Text", nullable)]
        pub schedule: Option<String>,
        /// A value of `Status`.
        pub status: String,
        /// A value of `Reason`.
        pub status_reason: Option<String>,
        /// The reason in words.
        #[sea_orm(column_type = "Text", nullable)]
        pub status_detail: Option<String>,
        /// A JSON object, as it was given.
        #[sea_orm(column_type = "Text")]
        pub config: String,
        pub repo_id: Option<RepoId>,
        /// A branch or a whole commit id. The repository's default branch when it is absent.
        #[sea_orm(column_type = "Text", nullable)]
        pub base_ref: Option<String>,
        /// A value of `RuntimeKind`.
        pub runtime_kind: String,
        pub target_node_id: Option<NodeId>,
        #[sea_orm(column_type = "Text", nullable)]
        pub runtime_container_name: Option<String>,
        #[sea_orm(column_type = "Text", nullable)]
        pub runtime_endpoint: Option<String>,
        /// A reference to the broker, never the code.
        #[sea_orm(column_type = "Text", nullable)]
        pub runtime_pairing_code: Option<String>,
        /// A value of `RuntimeState`. Absent before the first boot.
        #[sea_orm(column_type = "Text", nullable)]
        pub runtime_state: Option<String>,
        /// The state in words.
        #[sea_orm(column_type = "Text", nullable)]
        pub runtime_detail: Option<String>,
        pub budget_microusd: Option<i64>,
        #[sea_orm(column_type = "Text", nullable)]
        pub model_binding: Option<String>,
        pub created_by: UserId,
        pub created_at: DateTimeUtc,
        pub updated_at: DateTimeUtc,
        pub launched_at: Option<DateTimeUtc>,
        pub ended_at: Option<DateTimeUtc>,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A phase.
pub mod phase {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{MissionId, MissionPhaseId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "mission_phases")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: MissionPhaseId,
        pub workspace_id: WorkspaceId,
        pub mission_id: MissionId,
        /// Counts from 0.
        pub position: i32,
        /// A value of `PhaseKind`.
        pub kind: String,
        /// A value of `PhaseStatus`.
        pub status: String,
        /// The attempt that runs or ran last, from 1. 0 before the first.
        pub attempt: i32,
        /// Why it ended so, for people.
        #[sea_orm(column_type = "Text", nullable)]
        pub reason: Option<String>,
        /// What its runs got, as it was built when the attempt began.
        #[sea_orm(column_type = "Text", nullable)]
        pub input: Option<String>,
        /// Tasks beyond the maximum of a phase, which were not recorded.
        pub dropped_tasks: i32,
        pub started_at: Option<DateTimeUtc>,
        pub ended_at: Option<DateTimeUtc>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// The run of a team in an attempt of a phase.
pub mod phase_run {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{MissionId, MissionPhaseId, RunId, TeamId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "mission_phase_runs")]
    pub struct Model {
        pub phase_id: MissionPhaseId,
        pub attempt: i32,
        /// Absent for the commands of Roost itself.
        pub team_id: Option<TeamId>,
        pub workspace_id: WorkspaceId,
        pub mission_id: MissionId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        /// The mission paused the run, and resumes it.
        pub held: bool,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A team that was minted for a mission.
pub mod mission_team {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{MissionId, TeamId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "mission_teams")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub team_id: TeamId,
        pub workspace_id: WorkspaceId,
        pub mission_id: MissionId,
        /// The kind of the phases that it works on.
        pub purpose: String,
        pub created_at: DateTimeUtc,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}
