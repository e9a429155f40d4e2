//! Rows of `topology_runs`, `run_state`, `run_owners`, `run_steps`, `run_calls` and `run_children`. Times in `_ms` are the
//! database's clock.

pub use super::entity_links::{child, handover, message, model_use, wait};

/// A run as it is read: the record and the state together.
pub mod run {
    use sea_orm::{DbErr, FromQueryResult};

    use super::{record, state};
    use crate::runs::limits::RunLimits;
    pub use crate::runs::listed::Listed;
    use crate::runs::origin::Origin;
    use roost_platform::events::About;
    use roost_platform::ids::{
        ClawId, MissionId, MissionPhaseId, RoomId, RunId, TeamId, UserId, WorkspaceId,
    };

    #[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
    pub struct Model {
        pub id: RunId,
        pub workspace_id: WorkspaceId,
        /// A value of `Status`.
        pub status: String,
        /// A value of `Kind`.
        pub kind: String,
        /// A value of `Tier`.
        pub tier: String,
        /// A value of `OriginWord`.
        pub origin: String,
        /// The references of the origin as JSON.
        pub origin_refs: Option<String>,
        pub title: String,
        /// JSON, fixed when the run is enqueued.
        pub graph: String,
        pub graph_sha256: String,
        pub input: String,
        pub comparison: Option<String>,
        pub result: Option<String>,
        pub error: Option<String>,
        pub error_code: Option<String>,
        /// A value of `Outcome`. Absent until the run ends, and when it ended outside its actor: it is undecided then.
        pub outcome: Option<String>,
        pub outcome_reason: Option<String>,
        /// An `Evidence` as JSON.
        pub outcome_evidence: Option<String>,
        pub last_event_id: Option<String>,
        pub created_by: UserId,
        pub created_ms: i64,
        /// The last write of the run.
        pub updated_ms: i64,
        pub started_ms: Option<i64>,
        pub ended_ms: Option<i64>,
        pub team_id: Option<TeamId>,
        /// The agent that a run of tier `single` gives work to.
        pub agent_id: Option<ClawId>,
        /// Mission, phase and room are those of the origin, or the parent's.
        pub mission_id: Option<MissionId>,
        pub mission_phase_id: Option<MissionPhaseId>,
        pub room_id: Option<RoomId>,
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
        /// Since when a person wants the run to pause. Its steps stop at their next turn or call.
        pub paused_ms: Option<i64>,
        pub paused_by: Option<UserId>,
        /// Grows with each message to the run or to a run above it.
        pub messages: i32,
        pub steps_done: i32,
        pub steps_most: i32,
        pub tokens_in: i64,
        pub tokens_out: i64,
        pub cost_microusd: i64,
        pub cost_ceiling_microusd: Option<i64>,
        /// Its limits of turns, and of time in seconds. They count for the run with the runs below it.
        pub turn_limit: Option<i32>,
        pub time_limit_s: Option<i32>,
        /// When its time is up. Written when it begins.
        pub time_up_ms: Option<i64>,
        /// The parent's cost includes this run's cost.
        pub rolled_up: bool,
        /// When its outputs were deleted. Absent while they are kept.
        pub forgotten_ms: Option<i64>,
        pub version: i64,
    }

    impl Model {
        /// Where the run comes from.
        ///
        /// # Errors
        /// When the stored origin is invalid.
        pub fn comes_from(&self) -> Result<Origin, DbErr> {
            Origin::read(&self.origin, self.origin_refs.as_deref())
        }

        /// Its limits of turns and of time.
        pub fn limits(&self) -> RunLimits {
            RunLimits {
                turns: self.turn_limit,
                time_s: self.time_limit_s,
            }
        }

        /// Whether its time was up at its last write.
        pub fn is_overdue(&self) -> bool {
            self.time_up_ms.is_some_and(|up| self.updated_ms >= up)
        }

        /// What the run's events belong to.
        pub fn about(&self) -> About {
            About {
                run: Some(self.id.0),
                mission: self.mission_id.map(Into::into),
                room: self.room_id.map(Into::into),
            }
        }

        /// The rows of the two tables.
        pub fn split(self) -> (record::Model, state::Model) {
            let state = state::Model {
                run_id: self.id,
                workspace_id: self.workspace_id,
                status: self.status,
                owner: self.owner,
                epoch: self.epoch,
                claims: self.claims,
                cancel_requested_ms: self.cancel_requested_ms,
                cancelled_by: self.cancelled_by,
                waiting_on: self.waiting_on,
                paused_ms: self.paused_ms,
                paused_by: self.paused_by,
                messages: self.messages,
                queued_ms: self.created_ms,
                started_ms: self.started_ms,
                time_up_ms: self.time_up_ms,
                updated_ms: self.updated_ms,
                depth: self.depth,
                steps_done: self.steps_done,
                tokens_in: self.tokens_in,
                tokens_out: self.tokens_out,
                cost_microusd: self.cost_microusd,
                rolled_up: self.rolled_up,
                version: self.version,
                mux_workspace_id: self.mux_workspace_id,
                mux_tab_id: self.mux_tab_id,
                mux_pane_id: self.mux_pane_id,
            };
            let record = record::Model {
                id: self.id,
                workspace_id: self.workspace_id,
                kind: self.kind,
                tier: self.tier,
                origin: self.origin,
                origin_refs: self.origin_refs,
                title: self.title,
                graph: self.graph,
                graph_sha256: self.graph_sha256,
                input: self.input,
                comparison: self.comparison,
                result: self.result,
                error: self.error,
                error_code: self.error_code,
                outcome: self.outcome,
                outcome_reason: self.outcome_reason,
                outcome_evidence: self.outcome_evidence,
                last_event_id: self.last_event_id,
                created_by: self.created_by,
                created_ms: self.created_ms,
                ended_ms: self.ended_ms,
                team_id: self.team_id,
                agent_id: self.agent_id,
                mission_id: self.mission_id,
                mission_phase_id: self.mission_phase_id,
                room_id: self.room_id,
                parent_run_id: self.parent_run_id,
                parent_step: self.parent_step,
                root_run_id: self.root_run_id,
                forked_from: self.forked_from,
                forked_step: self.forked_step,
                steps_most: self.steps_most,
                cost_ceiling_microusd: self.cost_ceiling_microusd,
                turn_limit: self.turn_limit,
                time_limit_s: self.time_limit_s,
                forgotten_ms: self.forgotten_ms,
            };
            (record, state)
        }
    }
}

/// What is written when a run is enqueued and when it ends.
pub mod record {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{
        ClawId, MissionId, MissionPhaseId, RoomId, RunId, TeamId, UserId, WorkspaceId,
    };

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "topology_runs")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: RunId,
        pub workspace_id: WorkspaceId,
        pub kind: String,
        pub tier: String,
        pub origin: String,
        #[sea_orm(column_type = "Text", nullable)]
        pub origin_refs: Option<String>,
        #[sea_orm(column_type = "Text")]
        pub title: String,
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
        pub outcome: Option<String>,
        #[sea_orm(column_type = "Text", nullable)]
        pub outcome_reason: Option<String>,
        #[sea_orm(column_type = "Text", nullable)]
        pub outcome_evidence: Option<String>,
        pub last_event_id: Option<String>,
        pub created_by: UserId,
        pub created_ms: i64,
        pub ended_ms: Option<i64>,
        pub team_id: Option<TeamId>,
        /// The agent that a run of tier `single` gives work to.
        pub agent_id: Option<ClawId>,
        /// Mission, phase and room are those of the origin, or the parent's.
        pub mission_id: Option<MissionId>,
        pub mission_phase_id: Option<MissionPhaseId>,
        pub room_id: Option<RoomId>,
        pub parent_run_id: Option<RunId>,
        pub parent_step: Option<String>,
        pub root_run_id: RunId,
        pub forked_from: Option<RunId>,
        pub forked_step: Option<String>,
        pub steps_most: i32,
        pub cost_ceiling_microusd: Option<i64>,
        pub turn_limit: Option<i32>,
        pub time_limit_s: Option<i32>,
        pub forgotten_ms: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// What the steps of a run write. Its row is narrow, and has a record.
pub mod state {
    use sea_orm::entity::prelude::*;

    use roost_platform::db::TenantEntity;
    use roost_platform::ids::{RunId, UserId, WorkspaceId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_state")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub run_id: RunId,
        pub workspace_id: WorkspaceId,
        pub status: String,
        /// The gateway that works on the run. Its lease is in `run_owners`.
        pub owner: Option<String>,
        pub epoch: i64,
        pub claims: i32,
        pub cancel_requested_ms: Option<i64>,
        pub cancelled_by: Option<UserId>,
        pub waiting_on: Option<String>,
        pub paused_ms: Option<i64>,
        pub paused_by: Option<UserId>,
        pub messages: i32,
        /// When the run was enqueued. The oldest run is claimed first.
        pub queued_ms: i64,
        pub started_ms: Option<i64>,
        /// When the time of the run is up. Absent for a run without a limit of time, and until it begins.
        pub time_up_ms: Option<i64>,
        pub updated_ms: i64,
        /// 0 for a run without a parent.
        pub depth: i32,
        pub steps_done: i32,
        pub tokens_in: i64,
        pub tokens_out: i64,
        pub cost_microusd: i64,
        pub rolled_up: bool,
        pub version: i64,
        pub mux_workspace_id: Option<String>,
        pub mux_tab_id: Option<String>,
        pub mux_pane_id: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}

    impl TenantEntity for Entity {
        const WORKSPACE: Column = Column::WorkspaceId;
    }
}

/// The lease of a gateway that works on runs.
pub mod owner {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "run_owners")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub owner: String,
        pub alive_until_ms: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A step of a run.
pub mod step {
    use sea_orm::entity::prelude::*;

    use roost_platform::ids::{ClawId, RunId, UserId};

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
        /// The outcome of a step that was a run of its own.
        pub outcome: Option<String>,
        /// JSON of its checks (`Checked`). Absent for a step without checks.
        #[sea_orm(column_type = "Text", nullable)]
        pub checks: Option<String>,
        pub started_ms: i64,
        pub ended_ms: Option<i64>,
        pub tokens_in: i64,
        pub tokens_out: i64,
        pub cost_microusd: i64,
        /// When a person asked to stop the step.
        pub stop_asked_ms: Option<i64>,
        pub stopped_by: Option<UserId>,
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
