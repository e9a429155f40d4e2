//! The end of a run: its row, its last step, its event and the consequences for what it comes from, in one transaction.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::ends::{AfterRun, End};
use super::entity::run;
use super::entry::Entry;
use super::fence::{Ended, Fence, FenceError, Finish};
use super::handle::RunsHandle;
use super::model::{StepStatus, effect_key};
use super::pins;
use super::progress::ref_of;
use super::step_executor::Effect;
use super::wakes::RunWakes;
use super::writes::{self, Finishing, RunWrite};
use super::{comparison, store};
use crate::topology::StepRef;
use roost_connections::doors;
use roost_platform::db::WriteTx;
use roost_platform::events::Stamped;
use roost_platform::ids::{RunId, WorkspaceId};
use roost_platform::kill_point;
use roost_platform::supervision::Context;

/// Ends the run together with the step that ended it.
///
/// # Errors
/// [`FenceError`]. After [`FenceError::Db`] the run may have ended.
pub(super) async fn complete<M: Send + 'static>(
    runs: &RunsHandle,
    cx: &Context<M>,
    fence: Fence,
    row: &run::Model,
    ended: Option<(StepRef, Ended)>,
    finish: Finish,
) -> Result<(), FenceError> {
    let mut end = End::of(row, finish.status, finish.decided.outcome)?;
    if pins::may_have(row) {
        // They stay unchanged from the start of the run.
        end.pinned = pins::teams(runs.inner.db.read(), fence.run).await?;
    }
    let (status, origin) = (finish.status.as_str(), fence.origin.as_str());
    let outcome = finish.decided.outcome.as_str();
    let write = RunWrite {
        ends: Vec::from_iter(ended),
        finish: Some(Box::new(Finishing {
            compared: comparison::is_kept(row, finish.status).then(|| row.clone()),
            finish,
            end,
        })),
        ..RunWrite::of(fence)
    };
    kill_point!(cx, "runs.close.before_commit");
    writes::commit(&runs.inner.committer, write).await?;
    kill_point!(cx, "runs.close.after_commit");
    runs.announce_end(fence.run);
    metrics::counter!("roost_runs_ended_total", "status" => status, "outcome" => outcome, "origin" => origin)
        .increment(1);
    tracing::info!(run = %fence.run, status, outcome, origin, "a run ended");
    Ok(())
}

/// Wakes the parents of these runs, withdraws what the runs requested from people, and calls what follows their end, in the transaction that ends them.
/// Returns the events to append.
///
/// # Errors
/// When the database fails.
pub(super) async fn follow(
    (after, wakes): (&dyn AfterRun, &RunWakes),
    now: DateTime<Utc>,
    tx: &mut WriteTx,
    ends: &[End],
) -> Result<Vec<(WorkspaceId, Stamped)>, DbErr> {
    let ended: Vec<RunId> = ends.iter().map(|end| end.run).collect();
    let children: Vec<RunId> = ends
        .iter()
        .filter(|end| {
            end.origin
                .caller()
                .is_some_and(|caller| !ended.contains(&caller))
        })
        .map(|end| end.run)
        .collect();
    wakes.wake_parents(tx, &children).await?;
    let withdrawn = doors::withdraw_of_runs(tx, &ended, now).await?;
    let mut events: Vec<(WorkspaceId, Stamped)> = withdrawn
        .into_iter()
        .map(|(workspace, fact)| (workspace, fact.into()))
        .collect();
    events.extend(after.after(tx, ends).await?);
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

/// As [`abandon_calls`], for one step that ended while it waited.
pub(super) async fn abandon_step(runs: &RunsHandle, run: RunId, at: StepRef) {
    let handle = runs.clone();
    let name = format!("let-go-{run}-{at}");
    let work = move |_| async move {
        let effects = open_effects(&handle, run, Some(&at)).await?;
        if let Some(row) = store::by_id(handle.inner.db.read(), run).await?
            && !effects.is_empty()
        {
            handle.inner.step_executor.abandon(&row, effects).await;
        }
        Ok(())
    };
    if let Err(error) = runs.inner.live.spawn_job(name, None, work).await {
        tracing::warn!(%error, %run, "the gateway cannot stop the command of a stopped step; it continues until its deadline");
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
        let at = ref_of(&step);
        if only.is_some_and(|only| *only != at) {
            continue;
        }
        let Some(agent) = step.agent_id else {
            // Commands run one after the other, so the next entry is that of the command that runs.
            let next = u32::try_from(store::entries(db, run, &at).await?).unwrap_or(u32::MAX);
            let key = effect_key(run, &at, next);
            open.push(Effect { agent: None, key });
            continue;
        };
        let agent = Some(agent);
        let Some((row, later)) = store::last_turn(db, run, &at).await? else {
            continue;
        };
        let Ok(Entry::Model(turn)) = Entry::parse(&row) else {
            continue;
        };
        let first = u32::try_from(row.idx).unwrap_or(u32::MAX).saturating_add(1);
        if turn.calls.is_empty() {
            // The agent has handed over. A check of its work may run.
            let next = u32::try_from(later).unwrap_or(u32::MAX);
            let key = effect_key(run, &at, first.saturating_add(next));
            open.push(Effect { agent, key });
        }
        for call in (0..turn.calls.len()).skip(usize::try_from(later).unwrap_or(usize::MAX)) {
            let call = first.saturating_add(u32::try_from(call).unwrap_or(u32::MAX));
            let key = effect_key(run, &at, call);
            open.push(Effect { agent, key });
        }
    }
    Ok(open)
}
