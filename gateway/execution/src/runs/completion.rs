//! The end of a run: its row, its last step, its event and the consequences for what it comes from, in one transaction.

use sea_orm::DbErr;

use super::ends::End;
use super::entity::run;
use super::entry::Entry;
use super::fence::{Ended, Fence, FenceError, Finish};
use super::handle::RunsHandle;
use super::model::{StepStatus, effect_key};
use super::pins;
use super::progress::ref_of;
use super::step_executor::Effect;
use super::{comparison, status_events, store};
use crate::topology::StepRef;
use roost_connections::doors;
use roost_platform::db::WriteTx;
use roost_platform::events::{self, Stamped};
use roost_platform::ids::{RunId, WorkspaceId};
use roost_platform::kill_point;
use roost_platform::supervision::Context;

/// Ends the run together with the step that ended it.
///
/// # Errors
/// [`FenceError`]. Nothing was written then.
pub(super) async fn complete<M: Send + 'static>(
    runs: &RunsHandle,
    cx: &Context<M>,
    fence: Fence,
    row: &run::Model,
    ended: Option<(StepRef, Ended)>,
    finish: Finish,
) -> Result<(), FenceError> {
    let now = runs.inner.clock.now();
    let mut tx = runs.inner.db.write().await?;
    let finished = fence.finish(&tx, ended.as_ref(), &finish).await?;
    comparison::keep(&tx, row, finish.status).await?;
    let resting = status_events::change_agents(&tx, &finished.rested, &[]).await?;
    let resting = resting.into_iter().map(|event| event.of(fence.about));
    let mut events: Vec<Stamped> = resting.collect();
    let mut end = End::of(row, finish.status, finish.decided.outcome)?;
    if pins::may_have(row) {
        end.pinned = pins::teams(&*tx, fence.run).await?;
    }
    let follows = follow(runs, &mut tx, vec![end]).await?;
    events.extend(follows.into_iter().map(|(_, event)| event));
    events.push(fence.changed(finished.version));
    events::append(&mut tx, fence.workspace, now, events).await?;
    if let Some(last) = tx.last_announced() {
        fence.last_event(&tx, last).await?;
    }
    kill_point!(cx, "runs.close.before_commit");
    tx.commit().await?;
    kill_point!(cx, "runs.close.after_commit");
    runs.announce_end(fence.run);
    let (status, origin) = (finish.status.as_str(), fence.origin.as_str());
    let outcome = finish.decided.outcome.as_str();
    metrics::counter!("roost_runs_ended_total", "status" => status, "outcome" => outcome, "origin" => origin)
        .increment(1);
    tracing::info!(run = %fence.run, status, outcome, origin, "a run ended");
    Ok(())
}

/// Withdraws what these runs requested from people, and calls what follows their end, in the transaction that ends them.
/// Returns the events to append.
///
/// # Errors
/// When the database fails.
pub(super) async fn follow(
    runs: &RunsHandle,
    tx: &mut WriteTx,
    mut ends: Vec<End>,
) -> Result<Vec<(WorkspaceId, Stamped)>, DbErr> {
    // Always in the same order, so that transactions cannot deadlock.
    ends.sort_by_key(|end| (end.team, end.run));
    let ended: Vec<RunId> = ends.iter().map(|end| end.run).collect();
    let withdrawn = doors::withdraw_of_runs(tx, &ended, runs.inner.clock.now()).await?;
    let mut events: Vec<(WorkspaceId, Stamped)> = withdrawn
        .into_iter()
        .map(|(workspace, fact)| (workspace, fact.into()))
        .collect();
    for end in &ends {
        let follows = runs.inner.after.after(tx, end).await?;
        events.extend(follows.into_iter().map(|event| (end.workspace, event)));
    }
    Ok(events)
}

/// Stops the outside calls of runs that ended without their actor: in the queue, or because their owner crashed. The
/// caller does not wait for it.
pub(super) async fn abandon_calls(runs: &RunsHandle, over: Vec<RunId>) {
    let Some(first) = over.first().copied() else {
        return;
    };
    let handle = runs.clone();
    let work = move |_| async move {
        for run in over {
            let effects = open_effects(&handle, run, None).await?;
            if effects.is_empty() {
                continue;
            }
            if let Some(row) = store::by_id(handle.inner.db.read(), run).await? {
                handle.inner.step_executor.abandon(&row, effects).await;
            }
        }
        Ok(())
    };
    let name = format!("let-go-{first}");
    if let Err(error) = runs.inner.live.spawn_job(name, None, work).await {
        tracing::warn!(%error, run = %first, "the gateway cannot stop the commands of ended runs; they continue until their deadline");
    }
}

/// The outside calls that a run's steps (or one of them) have started without a recorded result: the calls of the
/// last model turn, without those that returned. Their keys follow from their places.
///
/// # Errors
/// When the database fails.
pub(super) async fn open_effects(
    runs: &RunsHandle,
    run: RunId,
    only: Option<&StepRef>,
) -> Result<Vec<Effect>, DbErr> {
    let db = runs.inner.db.read();
    let mut open = Vec::new();
    for step in store::steps(db, run).await? {
        // When a run was ended from outside, its steps are already cancelled.
        let cut_off = matches!(
            StepStatus::parse(&step.status),
            Some(StepStatus::Running | StepStatus::Waiting | StepStatus::Cancelled)
        );
        if !cut_off {
            continue;
        }
        let Some(agent) = step.agent_id else {
            continue;
        };
        let at = ref_of(&step);
        if only.is_some_and(|only| *only != at) {
            continue;
        }
        let Some((row, later)) = store::last_turn(db, run, &at).await? else {
            continue;
        };
        let Ok(Entry::Model(turn)) = Entry::parse(&row) else {
            continue;
        };
        let first = u32::try_from(row.idx).unwrap_or(u32::MAX).saturating_add(1);
        for call in (0..turn.calls.len()).skip(usize::try_from(later).unwrap_or(usize::MAX)) {
            let call = first.saturating_add(u32::try_from(call).unwrap_or(u32::MAX));
            let key = effect_key(run, &at, call);
            open.push(Effect { agent, key });
        }
    }
    Ok(open)
}
