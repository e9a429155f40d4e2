//! A step that is a run of its own, for the team of its node. The child is inserted under its parent's fence, so a
//! cancelled parent starts no child. The child's id is derived from the step, so a resumed step finds the same child.

use super::commands::{self, New};
use super::dto::outcome_of;
use super::entity::run;
use super::error::RunError;
use super::fence::{FenceError, Used};
use super::handle::RunsHandle;
use super::limits::RunLimits;
use super::model::{Class, Kind, MOST_DEPTH, MOST_OF_TREE, Status, Tier, child_id};
use super::origin::{Caller, Origin};
use super::outcome::Outcome;
use super::pins::{self, Pin};
use super::step_executor::{StepJob, StepResult};
use super::waits::WaitOn;
use super::{store, tree_store};
use crate::topology::{self, Graph, Node, NodeKind};
use roost_platform::events;
use roost_platform::ids::{RunId, TeamId};
use roost_tenancy::auth::WorkspaceScope;

/// The step of a team has one call: its run.
const CALL: u32 = 0;

/// Starts or finds the child. The step waits for its end: it is parked, and continues here in its next job.
pub(super) async fn run(runs: &RunsHandle, job: StepJob) -> StepResult {
    let id = child_id(job.run.id, &job.journal.step, CALL);
    let child = match store::by_id(runs.inner.db.read(), id).await {
        Ok(child) => child,
        Err(error) => return StepResult::retryable(error.to_string()),
    };
    match child {
        Some(child) => {
            if let Some(end) = end_of(&job, &child).await {
                return end;
            }
        }
        None => {
            if let Err(end) = insert_child(runs, &job).await {
                return end;
            }
        }
    }
    StepResult::Waits {
        on: WaitOn::Child { run: id },
        detail: format!("The run of its step {} is at work.", job.step.key),
    }
}

/// Inserts the child's row under the parent's fence.
async fn insert_child(runs: &RunsHandle, job: &StepJob) -> Result<(), StepResult> {
    if job.run.depth + 1 > MOST_DEPTH {
        return Err(StepResult::terminal(format!(
            "Runs may start runs {MOST_DEPTH} deep, and this would be one more. Look for a team that is part of itself."
        )));
    }
    let scope = job.journal.fence.scope();
    let pin = pins::of_node(runs.inner.db.read(), job.run.root_run_id, &job.node).await;
    let pin = match pin.map_err(|error| StepResult::retryable(error.to_string()))? {
        Some(pin) => pin,
        None => present(runs, scope, &job.step.key, &job.node).await?,
    };
    let Pin { team, title, graph } = pin;
    let new = New {
        id: child_id(job.run.id, &job.journal.step, CALL),
        origin: Origin::Call(Caller {
            run: job.run.id,
            step: job.journal.step.key.clone(),
            lap: job.journal.step.lap,
            shard: job.journal.step.shard,
            call: CALL,
        }),
        tier: Tier::Team,
        title,
        graph,
        input: job.prompt.clone(),
        team: Some(team),
        agent: None,
        under: Some(&job.run),
        forked: None,
        ceiling: remaining_ceiling(runs, &job.run).await?,
        // Those of the runs above count for it.
        limits: RunLimits::default(),
    };
    let inserted = async {
        let mut tx = runs.inner.db.write().await?;
        let passed = job.journal.fence.pass(&tx, Used::default(), 0).await?;
        if passed.inbox.paused {
            return Ok(Err(StepResult::paused(job.run.id)));
        }
        // A team that is pinned is not taken down. It may have been on its way when the run was enqueued.
        let there = runs.inner.subjects.lock(&tx, scope, team).await?;
        if there.is_some_and(|team| team.is_going) {
            return Ok(Err(StepResult::terminal(format!(
                "The team of the step {} is being taken down.",
                job.step.key
            ))));
        }
        if tree_store::size_of_tree(&*tx, job.run.root_run_id).await? >= MOST_OF_TREE {
            return Ok(Err(StepResult::terminal(format!(
                "A run and all that it starts may be {MOST_OF_TREE} runs, and this would be one more. Look for a team that is part of itself."
            ))));
        }
        let mut row = commands::row(runs, &tx, scope, job.run.created_by, &new).await?;
        row.messages = passed.inbox.messages;
        let fact = commands::insert(&tx, row).await?;
        store::insert_child(&tx, job.run.id, &job.journal.step, CALL, new.id).await?;
        events::append(&mut tx, scope.workspace(), runs.inner.clock.now(), [fact]).await?;
        tx.commit().await?;
        Ok::<_, FenceError>(Ok(()))
    };
    match inserted.await {
        Ok(Ok(())) => {
            runs.nudge();
            Ok(())
        }
        Ok(Err(end)) => Err(end),
        Err(FenceError::Db(error)) => Err(StepResult::retryable(error.to_string())),
        Err(FenceError::Lost | FenceError::Cancelled) => Err(StepResult::Fenced),
    }
}

/// The present graph of a node's team, for a run from before graphs were pinned.
async fn present(
    runs: &RunsHandle,
    scope: WorkspaceScope,
    step: &str,
    node: &Node,
) -> Result<Pin, StepResult> {
    let (NodeKind::Team, Some(team)) = (node.kind, node.attributes.team) else {
        return Err(StepResult::terminal(format!(
            "The node {} names no team that could run.",
            node.id
        )));
    };
    let team = TeamId(team);
    let found = runs
        .inner
        .subjects
        .read(runs.inner.db.read(), scope, team)
        .await
        .map_err(|error| StepResult::retryable(error.to_string()))?;
    let found = found.ok_or_else(|| {
        StepResult::terminal(format!(
            "The team of the step {step} does not exist any more."
        ))
    })?;
    let graph: Graph = serde_json::from_str(&found.topology)
        .map_err(|error| StepResult::terminal(error.to_string()))?;
    let graph = match node.attributes.topology {
        Some(kind) => topology::rearranged(&graph, kind).map_err(|why| {
            StepResult::terminal(format!(
                "The team's roles do not fit a {kind} any more: {why}"
            ))
        })?,
        None => graph,
    };
    Ok(Pin {
        team,
        title: found.name,
        graph,
    })
}

/// The rest of the parent's ceiling.
async fn remaining_ceiling(runs: &RunsHandle, run: &run::Model) -> Result<Option<i64>, StepResult> {
    let Some(ceiling) = run.cost_ceiling_microusd else {
        return Ok(None);
    };
    let part = match Kind::parse(&run.kind) {
        // Each candidate of a comparison gets an equal part, and all together get at most the whole.
        Some(Kind::Compare) => ceiling / i64::from(run.steps_most.max(1)),
        _ => ceiling,
    };
    let now = store::by_id(runs.inner.db.read(), run.id).await;
    let now = now.map_err(|error| StepResult::retryable(error.to_string()))?;
    let spent = now.map_or(run.cost_microusd, |now| now.cost_microusd);
    Ok(Some((ceiling - spent).clamp(0, part)))
}

/// Cancels open children of ended runs: of all, or of one. Nobody waits for them.
///
/// # Errors
/// When the database fails.
pub(super) async fn cancel_open(runs: &RunsHandle, of: Option<RunId>) -> Result<(), RunError> {
    for child in tree_store::orphans(runs.inner.db.read(), of).await? {
        let scope = WorkspaceScope::of_row(child.workspace_id);
        commands::cancel(runs, scope, child.created_by, child.id).await?;
    }
    Ok(())
}

/// The end of a child. Its cost is added to its parent's cost once.
async fn end_of(job: &StepJob, child: &run::Model) -> Option<StepResult> {
    let status = Status::parse(&child.status)?;
    let end = match status {
        Status::Queued | Status::Running => return None,
        Status::Completed => StepResult::DoneRun {
            text: commands::text_of(child).unwrap_or_default(),
            outcome: outcome_of(child).unwrap_or(Outcome::Undecided),
        },
        Status::Failed => StepResult::Failed {
            class: match child.error_code.as_deref() {
                Some("cost-ceiling-reached") => Class::Quota,
                Some("turn-limit-reached") => Class::Turns,
                Some("needs-auth") => Class::NeedsAuth,
                _ => Class::Terminal,
            },
            detail: child.error.clone().unwrap_or_default(),
            after: None,
        },
        Status::Cancelled => StepResult::terminal("The run that this step started was cancelled."),
    };
    match job.journal.roll_up(CALL, child, status).await {
        Ok(()) => Some(end),
        Err(FenceError::Db(error)) => Some(StepResult::retryable(error.to_string())),
        Err(FenceError::Lost | FenceError::Cancelled) => Some(StepResult::Fenced),
    }
}
