//! Enqueues a run and fixes its topology.

use sea_orm::DbErr;
use sha2::{Digest, Sha256};

use crate::runs::entity::run;
use crate::runs::limits::RunLimits;
use crate::runs::model::{Kind, Status, Tier};
use crate::runs::origin::{Caller, Origin};
use crate::runs::pins::{self, Pins};
use crate::runs::{RunError, RunsHandle, store};
use crate::topology::{self, Graph};
use roost_platform::db::WriteTx;
use roost_platform::events::{Event, ResourceKind, Stamped};
use roost_platform::ids::{ClawId, RunId, TeamId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// A run to create.
#[derive(Debug)]
pub struct New<'a> {
    pub id: RunId,
    pub origin: Origin,
    pub tier: Tier,
    pub title: String,
    pub graph: Graph,
    pub input: String,
    pub team: Option<TeamId>,
    /// The agent, for a run that gives work to one agent.
    pub agent: Option<ClawId>,
    /// The run that this run belongs under: the caller, or the original of a fork. Its mission and room are inherited.
    pub under: Option<&'a run::Model>,
    pub forked: Option<Fork>,
    /// The cost limit in millionths of a US dollar. The configured one applies when it is absent.
    pub ceiling: Option<i64>,
    /// Its limits of turns and of time.
    pub limits: RunLimits,
}

/// The origin of a fork.
#[derive(Debug, Clone)]
pub struct Fork {
    pub run: RunId,
    pub step: String,
    /// The number of steps whose outputs the fork keeps.
    pub kept: i32,
}

/// Enqueues a run that a person started. A repeat with the same id returns the existing run.
///
/// # Errors
/// [`RunError::BadGraph`], or the database's.
pub async fn enqueue(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    user: UserId,
    new: New<'_>,
) -> Result<run::Model, RunError> {
    if let Some(present) = store::get(runs.inner.db.read(), scope, new.id).await? {
        return Ok(present);
    }
    let mut change = Change::begin(runs, scope, user).await?;
    let row = start_in(runs, &mut change, new).await?;
    change.commit().await?;
    Ok(row)
}

/// As [`enqueue`], in the caller's change. Its commit wakes the claimer.
///
/// # Errors
/// [`RunError::BadGraph`], or the database's.
pub async fn start_in(
    runs: &RunsHandle,
    change: &mut Change,
    new: New<'_>,
) -> Result<run::Model, RunError> {
    topology::check(&new.graph).map_err(RunError::BadGraph)?;
    let pins = pinned(runs, change.scope(), &new).await?;
    let row = row(runs, change, change.scope(), change.actor(), &new).await?;
    let fact = insert(change, row.clone()).await?;
    pins::insert(change, row.id, pins).await?;
    let details = serde_json::json!({ "title": row.title, "team": row.team_id, "agent": row.agent_id, "forked_from": row.forked_from });
    change.record("run.started", ("run", &row.id), details);
    change.event(fact);
    change.wake(&runs.inner.wakes.queue);
    Ok(row)
}

/// The graphs that the run may start: those of its original for a fork, else those of now.
async fn pinned(runs: &RunsHandle, scope: WorkspaceScope, new: &New<'_>) -> Result<Pins, RunError> {
    if let (Origin::Fork { .. }, Some(original)) = (&new.origin, new.under) {
        let pins = pins::of_root(runs.inner.db.read(), original.root_run_id).await?;
        if !pins.is_empty() {
            return Ok(pins);
        }
    }
    let pins = pins::closure(runs, scope, new.team, &new.graph).await?;
    pins.map_err(RunError::BadGraph)
}

/// The row of a new run.
///
/// # Errors
/// When the database fails.
pub async fn row(
    runs: &RunsHandle,
    tx: &WriteTx,
    scope: WorkspaceScope,
    user: UserId,
    new: &New<'_>,
) -> Result<run::Model, DbErr> {
    let now = store::now_ms(&**tx, tx.backend()).await?;
    let graph = serde_json::to_string(&new.graph).expect("a graph of strings and numbers encodes");
    let caller = match &new.origin {
        Origin::Call(caller) => Some(caller),
        _ => None,
    };
    let parent = new.under.filter(|_| caller.is_some());
    let phase = new.origin.phase();
    Ok(run::Model {
        id: new.id,
        workspace_id: scope.workspace(),
        status: Status::Queued.as_str().to_owned(),
        kind: Kind::of(new.tier, new.graph.kind).as_str().to_owned(),
        tier: new.tier.as_str().to_owned(),
        origin: new.origin.word().as_str().to_owned(),
        origin_refs: new.origin.references(),
        title: new.title.clone(),
        graph_sha256: hex::encode(Sha256::digest(graph.as_bytes())),
        graph,
        input: new.input.clone(),
        comparison: None,
        result: None,
        error: None,
        error_code: None,
        outcome: None,
        outcome_reason: None,
        outcome_evidence: None,
        last_event_id: None,
        created_by: user,
        created_ms: now,
        updated_ms: now,
        started_ms: None,
        ended_ms: None,
        team_id: new.team,
        agent_id: new.agent,
        mission_id: phase
            .map(|(mission, _)| mission)
            .or_else(|| new.under.and_then(|above| above.mission_id)),
        mission_phase_id: phase
            .map(|(_, phase)| phase)
            .or_else(|| new.under.and_then(|above| above.mission_phase_id)),
        room_id: new
            .origin
            .room()
            .or_else(|| new.under.and_then(|above| above.room_id)),
        parent_run_id: parent.map(|parent| parent.id),
        parent_step: caller.map(Caller::step_name),
        root_run_id: parent.map_or(new.id, |parent| parent.root_run_id),
        depth: parent.map_or(0, |parent| parent.depth + 1),
        forked_from: new.forked.as_ref().map(|fork| fork.run),
        forked_step: new.forked.as_ref().map(|fork| fork.step.clone()),
        mux_workspace_id: None,
        mux_tab_id: None,
        mux_pane_id: None,
        owner: None,
        epoch: 0,
        claims: 0,
        cancel_requested_ms: None,
        cancelled_by: None,
        waiting_on: None,
        paused_ms: None,
        paused_by: None,
        messages: 0,
        steps_done: new.forked.as_ref().map_or(0, |fork| fork.kept),
        steps_most: i32::try_from(topology::expected(&new.graph).most).unwrap_or(i32::MAX),
        tokens_in: 0,
        tokens_out: 0,
        cost_microusd: 0,
        rolled_up: false,
        forgotten_ms: None,
        cost_ceiling_microusd: new.ceiling.or(runs.inner.ceiling),
        turn_limit: new.limits.turns,
        time_limit_s: new.limits.time_s,
        time_up_ms: None,
        version: 1,
    })
}

/// Inserts the row, and returns the fact to publish.
///
/// # Errors
/// When the database fails.
pub async fn insert(tx: &WriteTx, row: run::Model) -> Result<Stamped, DbErr> {
    let fact = Event::changed(ResourceKind::Run, row.id, row.version).about(row.about());
    store::insert(tx, row).await?;
    Ok(fact)
}

/// The text of a run's result.
pub fn text_of(row: &run::Model) -> Option<String> {
    let result: serde_json::Value = serde_json::from_str(row.result.as_deref()?).ok()?;
    Some(result["text"].as_str()?.to_owned())
}
