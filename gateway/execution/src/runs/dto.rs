//! The JSON of runs.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sea_orm::DbErr;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::commands::text_of;
use super::comparison::{Comparison, is_of};
use super::entity::{call, child, run, step};
use super::entry::{Entry, EntryKind};
use super::limits::RunLimits;
use super::model::{Kind, Status, StepStatus, Tier};
use super::origin::Origin;
use super::outcome::{Evidence, Outcome};
use super::progress::{self, ref_of};
use super::step_files::RunFiles;
use super::waits::{WaitOn, Waiting};
use crate::topology::{self, Checked, Graph, Placed};
use roost_machines::sandboxes::step_files::{StartFiles, StepFiles};
use roost_platform::ids::{ClawId, MissionId, MissionPhaseId, RoomId, RunId, TeamId};
use roost_tenancy::auth::UserBrief;

/// A run in a list. Its texts come from people and agents.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunSummary {
    pub id: RunId,
    pub status: Status,
    pub kind: Kind,
    pub tier: Tier,
    pub origin: Origin,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    /// The agent that the run gives work to, without a team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mission_id: Option<MissionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mission_phase_id: Option<MissionPhaseId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room_id: Option<RoomId>,
    /// The run that started this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<RunId>,
    /// `<step>#<lap>`, the first step that the fork repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_step: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserBrief>,
    pub created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<DateTime<Utc>>,
    /// The last write of the run.
    pub updated_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<DateTime<Utc>>,
    pub steps_done: i32,
    /// The maximum number of steps.
    pub steps_most: i32,
    pub tokens_in: i64,
    pub tokens_out: i64,
    /// Millionths of a US dollar.
    pub cost_microusd: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_ceiling_microusd: Option<i64>,
    pub limits: RunLimits,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the goal was met, by the verdicts of the run's steps. Absent until the run has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The fact that decided, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_reason: Option<String>,
    /// The place of that fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome_evidence: Option<Evidence>,
    /// `step-failed`, `cost-ceiling-reached`, `turn-limit-reached`, `time-limit-reached`, `needs-auth`, `machine-away`,
    /// `gave-up`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// The run was cancelled and is about to stop.
    pub cancelling: bool,
    /// When a person asked the run to pause. It is paused when nothing of it works any more, and `waits_for` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_by: Option<UserBrief>,
    /// What the run waits for, as text. A run that waits has no step at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<String>,
    /// What the run waits for, as an id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<WaitOn>,
    /// When the wait began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<DateTime<Utc>>,
}

/// A step of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunStep {
    pub key: String,
    pub lap: i32,
    /// The part of a step that is divided over several agents. 0 for a step in one part.
    pub shard: i32,
    /// The position in the order in which steps began.
    pub position: i32,
    pub node: String,
    /// `work`, `plan`, `gate`, `merge`, `report`, `verdict`.
    pub purpose: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    /// The runs that the step started, in the order of its calls.
    pub child_run_ids: Vec<RunId>,
    pub status: StepStatus,
    /// Counts from 1.
    pub attempt: i32,
    /// When the wait began. Absent when the step does not wait. `error` says what it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The verdict of the step's checks and its answer, or the outcome of the run that it started. Absent when it gave
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The checks of its work that were made, in their order.
    pub checks: Vec<Checked>,
    /// The files of its sandbox before and after. Absent for a step without a sandbox, and after the retention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<StepFiles>,
    /// The files that a fork from this step begins with, one entry for each sandbox. Empty while the run works.
    pub fork_files: Vec<StartFiles>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When a person asked to stop the step. It ends as soon as the run's gateway has seen this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_asked_at: Option<DateTime<Utc>>,
    /// Who asked to stop the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<UserBrief>,
    pub started_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<DateTime<Utc>>,
    pub tokens_in: i64,
    pub tokens_out: i64,
    /// Millionths of a US dollar.
    pub cost_microusd: i64,
}

/// The progress of a run: the outputs of its steps, by `<step>#<lap>`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RunCheckpoint)]
pub struct Checkpoint {
    pub outputs: BTreeMap<String, String>,
    /// Steps that have begun but not ended.
    pub at_work: Vec<String>,
}

/// The result of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunResult {
    pub text: String,
}

/// One run.
#[derive(Debug, Serialize, ToSchema)]
pub struct Run {
    #[serde(flatten)]
    pub summary: RunSummary,
    pub input: String,
    /// The turns of models so far, with those of the runs that it started. Absent after the retention of the journals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<i64>,
    /// The graph of the team when the run was enqueued.
    pub graph: Graph,
    /// The hash of that graph.
    pub graph_sha256: String,
    /// The positions of its nodes in the drawing.
    pub layout: Vec<Placed>,
    pub checkpoint: Checkpoint,
    pub steps: Vec<RunStep>,
    /// The files of an earlier run that the sandboxes of this run begin with.
    pub start_files: Vec<StartFiles>,
    /// The first run of its tree, when it works on a repository: see `/api/runs/{id}/repo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo_run_id: Option<RunId>,
    /// The retention has passed for the outputs and journals of the steps. They are deleted.
    pub outputs_forgotten: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<RunResult>,
    /// Set for a run of kind `compare`, from its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_event_id: Option<String>,
    /// The location of the agents' shells in the sandbox's terminal multiplexer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiplexer_workspace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiplexer_tab_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiplexer_pane_id: Option<String>,
}

/// An entry of the journal of a step.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunCall {
    pub step: String,
    pub lap: i32,
    pub shard: i32,
    pub index: i32,
    pub kind: EntryKind,
    /// The name of the model, the tool or the run.
    pub name: String,
    /// For a model `{text, thought, calls}`, for a tool `{arguments, text, exit_code}`, for a child `{run, status}`, for a door
    /// `{door, arguments, text}`, for a note
    /// `{text, compaction}`.
    #[schema(value_type = Object)]
    pub content: Value,
    pub failed: bool,
    pub started_at: DateTime<Utc>,
    pub ended_at: DateTime<Utc>,
    pub tokens_in: i64,
    pub tokens_out: i64,
    /// Millionths of a US dollar.
    pub cost_microusd: i64,
}

/// The complete journal of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunCalls {
    /// The newest 10,000 entries, oldest first.
    pub items: Vec<RunCall>,
    /// The number of older entries.
    pub left_out: u64,
}

/// A page of the journal of a step.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StepCallsQuery {
    /// 1 when absent.
    pub lap: Option<u32>,
    /// 0 when absent.
    pub shard: Option<u32>,
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    pub cursor: Option<String>,
}

/// A time of the database's clock.
pub fn at(ms: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(ms).unwrap_or_default()
}

impl RunSummary {
    /// From the run's row.
    ///
    /// # Errors
    /// When the stored origin is invalid.
    pub fn of(
        row: run::Listed,
        created_by: Option<UserBrief>,
        paused_by: Option<UserBrief>,
    ) -> Result<Self, DbErr> {
        let (status, outcome) = (row.status(), row.decided());
        let waiting = Waiting::read(row.waiting_on.as_deref());
        Ok(Self {
            id: row.id,
            status,
            kind: Kind::parse(&row.kind).unwrap_or(Kind::Team),
            tier: Tier::parse(&row.tier).unwrap_or(Tier::Team),
            origin: Origin::read(&row.origin, row.origin_refs.as_deref())?,
            title: row.title,
            team_id: row.team_id,
            agent_id: row.agent_id,
            mission_id: row.mission_id,
            mission_phase_id: row.mission_phase_id,
            room_id: row.room_id,
            parent_run_id: row.parent_run_id,
            forked_from: row.forked_from,
            forked_step: row.forked_step,
            created_by,
            created_at: at(row.created_ms),
            started_at: row.started_ms.map(at),
            updated_at: at(row.updated_ms),
            ended_at: row.ended_ms.map(at),
            steps_done: row.steps_done,
            steps_most: row.steps_most,
            tokens_in: row.tokens_in,
            tokens_out: row.tokens_out,
            cost_microusd: row.cost_microusd,
            cost_ceiling_microusd: row.cost_ceiling_microusd,
            limits: RunLimits {
                turns: row.turn_limit,
                time_s: row.time_limit_s,
            },
            error: row.error,
            error_code: row.error_code,
            outcome,
            outcome_reason: row.outcome_reason,
            outcome_evidence: row
                .outcome_evidence
                .and_then(|json| serde_json::from_str(&json).ok()),
            cancelling: !status.is_final() && row.cancel_requested_ms.is_some(),
            paused_at: row.paused_ms.filter(|_| !status.is_final()).map(at),
            paused_by: paused_by.filter(|_| !status.is_final()),
            waits_for: waiting.as_ref().map(|waiting| waiting.on),
            waiting_since: waiting.as_ref().map(|waiting| at(waiting.since_ms)),
            waiting_on: waiting.map(|waiting| waiting.text),
        })
    }
}

/// The outcome of a run that has ended.
pub fn outcome_of(row: &run::Model) -> Option<Outcome> {
    run::Listed::from(row).decided()
}

/// The verdict of a step.
fn verdict_of(row: &step::Model) -> Option<Outcome> {
    if let Some(word) = row.outcome.as_deref() {
        return Outcome::parse(word);
    }
    let (markers, checks) = (
        topology::markers(row.output.as_deref()?),
        progress::checks_of(row),
    );
    let accepts = markers.iter().all(|marker| marker.accepts) && checks.iter().all(Checked::passed);
    (!markers.is_empty() || !checks.is_empty()).then_some(match accepts {
        true => Outcome::Accepted,
        false => Outcome::Rejected,
    })
}

/// What the first waiting step waits for, and since when. `None` when no step waits.
pub fn waited_for(steps: &[step::Model]) -> Option<(String, DateTime<Utc>)> {
    let mut begun = steps.iter().filter(|step| is_begun(step));
    begun.find_map(|step| Some((step.error.clone()?, at(step.away_since_ms?))))
}

/// Whether a step has begun and has no end.
fn is_begun(step: &step::Model) -> bool {
    let begun = [StepStatus::Running.as_str(), StepStatus::Waiting.as_str()];
    begun.contains(&&*step.status)
}

impl RunStep {
    /// From its row, and the runs that the steps of the run started.
    pub(super) fn new(
        row: step::Model,
        children: &[child::Model],
        files: &mut RunFiles,
        stopped_by: Option<UserBrief>,
    ) -> Self {
        let is_parent = children.iter().any(|link| is_of(link, &row));
        let status = match StepStatus::parse(&row.status) {
            // A run that it started is at work. Without one, the step's own run is paused.
            Some(StepStatus::Waiting) if row.away_since_ms.is_none() && is_parent => {
                StepStatus::Running
            }
            status => status.unwrap_or(StepStatus::Failed),
        };
        let waits = is_begun(&row);
        Self {
            status,
            outcome: verdict_of(&row),
            checks: progress::checks_of(&row),
            files: files.around.remove(&ref_of(&row).to_string()),
            fork_files: files.fork_of(&row),
            waiting_since: row.away_since_ms.filter(|_| waits).map(at),
            child_run_ids: children
                .iter()
                .filter(|link| is_of(link, &row))
                .map(|link| link.child_run_id)
                .collect(),
            key: row.step_key,
            lap: row.lap,
            shard: row.shard,
            position: row.position,
            node: row.node,
            purpose: row.purpose,
            agent_id: row.agent_id,
            attempt: row.attempt,
            output: row.output,
            error: row.error,
            stop_asked_at: row.stop_asked_ms.map(at),
            stopped_by,
            started_at: at(row.started_ms),
            ended_at: row.ended_ms.map(at),
            tokens_in: row.tokens_in,
            tokens_out: row.tokens_out,
            cost_microusd: row.cost_microusd,
        }
    }
}

impl From<call::Model> for RunCall {
    fn from(row: call::Model) -> Self {
        Self {
            kind: EntryKind::parse(&row.kind).unwrap_or(EntryKind::Note),
            content: shown(&row),
            step: row.step_key,
            lap: row.lap,
            shard: row.shard,
            index: row.idx,
            name: row.name,
            failed: row.failed,
            started_at: at(row.started_ms),
            ended_at: at(row.ended_ms),
            tokens_in: row.tokens_in,
            tokens_out: row.tokens_out,
            cost_microusd: row.cost_microusd,
        }
    }
}

/// The content of an entry, or the reason why it is not shown.
fn shown(row: &call::Model) -> Value {
    let text = |text: String| serde_json::json!({ "text": text });
    if row.content.is_empty() {
        return text("[too long to be shown here]".to_owned());
    }
    match Entry::parse(row) {
        Ok(entry) => entry.to_json(),
        Err(error) => text(format!("[{error}]")),
    }
}

impl Checkpoint {
    /// From the steps.
    pub fn of(steps: &[step::Model]) -> Self {
        let name = |row: &step::Model| ref_of(row).to_string();
        let outputs = steps
            .iter()
            .filter_map(|row| Some((name(row), row.output.clone()?)));
        let at_work = steps.iter().filter(|row| is_begun(row));
        Self {
            outputs: outputs.collect(),
            at_work: at_work.map(name).collect(),
        }
    }
}

/// The result of a completed run.
pub fn result_of(row: &run::Model) -> Option<RunResult> {
    text_of(row).map(|text| RunResult { text })
}
