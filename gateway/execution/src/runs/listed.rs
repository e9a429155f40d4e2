//! A run as lists show it. Lists read neither graphs nor inputs nor results.

use sea_orm::FromQueryResult;

use super::entity::run::Model;
use super::model::Status;
use super::outcome::Outcome;
use super::waits::Waiting;
use roost_platform::ids::{ClawId, MissionId, MissionPhaseId, RoomId, RunId, TeamId, UserId};

/// A run in a list: a [`Model`] without the graph, the input and the results.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Listed {
    pub id: RunId,
    pub status: String,
    pub kind: String,
    pub tier: String,
    pub origin: String,
    pub origin_refs: Option<String>,
    pub title: String,
    pub error: Option<String>,
    pub error_code: Option<String>,
    pub outcome: Option<String>,
    pub outcome_reason: Option<String>,
    pub outcome_evidence: Option<String>,
    pub created_by: UserId,
    pub created_ms: i64,
    pub updated_ms: i64,
    pub started_ms: Option<i64>,
    pub ended_ms: Option<i64>,
    pub team_id: Option<TeamId>,
    pub agent_id: Option<ClawId>,
    pub mission_id: Option<MissionId>,
    pub mission_phase_id: Option<MissionPhaseId>,
    pub room_id: Option<RoomId>,
    pub parent_run_id: Option<RunId>,
    pub forked_from: Option<RunId>,
    pub forked_step: Option<String>,
    pub cancel_requested_ms: Option<i64>,
    pub waiting_on: Option<String>,
    pub paused_ms: Option<i64>,
    pub paused_by: Option<UserId>,
    pub steps_done: i32,
    pub steps_most: i32,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub cost_microusd: i64,
    pub cost_ceiling_microusd: Option<i64>,
    pub turn_limit: Option<i32>,
    pub time_limit_s: Option<i32>,
}

impl Listed {
    /// The status. A word that this version does not know counts as failed.
    pub fn status(&self) -> Status {
        Status::parse(&self.status).unwrap_or(Status::Failed)
    }

    /// What the whole run waits for. Absent while it works.
    pub fn waits_on(&self) -> Option<String> {
        Waiting::read(self.waiting_on.as_deref()).map(|waiting| waiting.text)
    }

    /// Somebody cancelled it, and it still ends what it has begun.
    pub fn is_cancelling(&self) -> bool {
        !self.status().is_final() && self.cancel_requested_ms.is_some()
    }

    /// Whether the goal was met. Absent until the run has ended.
    pub fn decided(&self) -> Option<Outcome> {
        let stored = self.outcome.as_deref().and_then(Outcome::parse);
        let decided = stored.unwrap_or(Outcome::Undecided);
        self.status().is_final().then_some(decided)
    }
}

impl From<&Model> for Listed {
    fn from(row: &Model) -> Self {
        Self {
            id: row.id,
            status: row.status.clone(),
            kind: row.kind.clone(),
            tier: row.tier.clone(),
            origin: row.origin.clone(),
            origin_refs: row.origin_refs.clone(),
            title: row.title.clone(),
            error: row.error.clone(),
            error_code: row.error_code.clone(),
            outcome: row.outcome.clone(),
            outcome_reason: row.outcome_reason.clone(),
            outcome_evidence: row.outcome_evidence.clone(),
            created_by: row.created_by,
            created_ms: row.created_ms,
            updated_ms: row.updated_ms,
            started_ms: row.started_ms,
            ended_ms: row.ended_ms,
            team_id: row.team_id,
            agent_id: row.agent_id,
            mission_id: row.mission_id,
            mission_phase_id: row.mission_phase_id,
            room_id: row.room_id,
            parent_run_id: row.parent_run_id,
            forked_from: row.forked_from,
            forked_step: row.forked_step.clone(),
            cancel_requested_ms: row.cancel_requested_ms,
            waiting_on: row.waiting_on.clone(),
            paused_ms: row.paused_ms,
            paused_by: row.paused_by,
            steps_done: row.steps_done,
            steps_most: row.steps_most,
            tokens_in: row.tokens_in,
            tokens_out: row.tokens_out,
            cost_microusd: row.cost_microusd,
            cost_ceiling_microusd: row.cost_ceiling_microusd,
            turn_limit: row.turn_limit,
            time_limit_s: row.time_limit_s,
        }
    }
}
