//! Rows of `topology_runs`, `run_steps`, `run_calls` and `run_children`. Times in `_ms` are the database's clock.

/// A run.
pub mod run {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RunId, TeamId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "topology_runs")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: RunId,
        pub workspace_id: WorkspaceId,
        /// A value of `Status`.
        pub status: String,
        /// A value of `Kind`.
        pub kind: String,
        /// A value of `Tier`.
        pub tier: String,
        #[sea_orm(column_type = "Text")]
        pub title: String,
        /// JSON, fixed when the run is enqueued.
        #[sea_orm(column_type = "Text")]
        pub graph: String,
        pub graph_sha256: String,
        #[sea_orm(column_type = "Text")]
        pub input: String,
        #[sea_orm(column_type = "Text", nullable)]
        pub comparison: Option<String>,
        #[sea_orm(column_type = "Text", nullable)]
        pub result: Option<String>,
        #[sea_orm(column_type = "Text", nullable)]
        pub error: Option<String>,
        pub error_code: Option<String>,
        pub last_event_id: Option<String>,
        pub created_by: UserId,
        pub created_ms: i64,
        /// Also the keep-alive of a running run.
        pub updated_ms: i64,
        pub started_ms: Option<i64>,
        pub ended_ms: Option<i64>,
        pub team_id: Option<TeamId>,
        pub mission_id: Option<Uuid>,
        pub mission_phase_id: Option<Uuid>,
        pub parent_run_id: Option<RunId>,
        /// `<step>#<lap>` of the parent that waits for this run.
        pub parent_step: Option<String>,
        pub root_run_id: RunId,
        pub depth: i32,
        pub forked_from: Option<RunId>,
        pub forked_step: Option<String>,
        pub mux_workspace_id: Option<String>,
        pub mux_tab_id: Option<String>,
        pub mux_pane_id: Option<String>,
        pub owner: Option<String>,
        pub epoch: i64,
        pub claims: i32,
        pub cancel_requested_ms: Option<i64>,
        pub cancelled_by: Option<UserId>,
        pub waiting_on: Option<String>,
        pub steps_done: i32,
        pub steps_most: i32,
        pub tokens_in: i64,
        pub tokens_out: i64,
        pub cost_microusd: i64,
        pub cost_ceiling_microusd: Option<i64>,
        /// The parent's cost includes this run's cost.
        pub rolled_up: bool,
        /// When its outputs were deleted. Absent while they are kept.
        pub forgotten_ms: Option<i64>,
        pub version: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// A step of a run.
pub mod step {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::{ClawId, RunId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_steps")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub step_key: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub lap: i32,
        #[sea_orm(primary_key, auto_increment = false)]
        pub shard: i32,
        /// The position in the order in which steps began.
        pub position: i32,
        pub node: String,
        pub purpose: String,
        pub agent_id: Option<ClawId>,
        /// A value of `StepStatus`.
        pub status: String,
        pub attempt: i32,
        /// Since when the thing that the step waits for is away. Absent when the step does not wait.
        pub away_since_ms: Option<i64>,
        #[sea_orm(column_type = "Text", nullable)]
        pub output: Option<String>,
        #[sea_orm(column_type = "Text", nullable)]
        pub error: Option<String>,
        pub started_ms: i64,
        pub ended_ms: Option<i64>,
        pub tokens_in: i64,
        pub tokens_out: i64,
        pub cost_microusd: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A model turn or a tool result inside a step.
pub mod call {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::RunId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_calls")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub step_key: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub lap: i32,
        #[sea_orm(primary_key, auto_increment = false)]
        pub shard: i32,
        #[sea_orm(primary_key, auto_increment = false)]
        pub idx: i32,
        /// The kind of an `Entry`.
        pub kind: String,
        /// The name of the model, the tool or the run.
        #[sea_orm(column_type = "Text")]
        pub name: String,
        /// JSON of the `Entry`. Only `Entry::parse` reads it.
        #[sea_orm(column_type = "Text")]
        pub content: String,
        pub failed: bool,
        pub started_ms: i64,
        pub ended_ms: i64,
        pub tokens_in: i64,
        pub tokens_out: i64,
        pub cost_microusd: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A run that a call of a step started.
pub mod child {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::RunId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_children")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub step_key: String,
        #[sea_orm(primary_key, auto_increment = false)]
        pub lap: i32,
        #[sea_orm(primary_key, auto_increment = false)]
        pub shard: i32,
        /// The index of the call.
        #[sea_orm(primary_key, auto_increment = false)]
        pub idx: i32,
        pub child_run_id: RunId,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}
