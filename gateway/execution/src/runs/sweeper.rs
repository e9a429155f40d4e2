//! The sweeper: puts runs whose owner is silent back into the queue, or ends them.

use std::collections::BTreeMap;

use super::handle::RunsHandle;
use super::queue::{self, Moves, Silent};
use super::{children, completion, ends};
use roost_agents::claws::status;
use roost_platform::db::Backend;
use roost_platform::events::{self, Stamped};
use roost_platform::ids::{RunId, WorkspaceId};
use roost_platform::supervision::{ActorKind, ChildSpec, Failure, NoMessages, Nudge};

/// The number of sweeps in one lease.
const SWEEPS: u32 = 3;

/// Puts silent runs back into the queue.
pub fn child(runs: &RunsHandle) -> ChildSpec<NoMessages> {
    let runs = runs.clone();
    let first = std::sync::atomic::AtomicBool::new(true);
    ChildSpec::periodic(
        "sweeper",
        ActorKind::RunSweeper,
        runs.inner.lease / SWEEPS,
        &Nudge::default(),
        move |_| {
            let first = first.swap(false, std::sync::atomic::Ordering::Relaxed);
            let runs = runs.clone();
            async move {
                // Only one gateway opens a SQLite file, so every owner from before this start is dead.
                if first && runs.inner.db.backend() == Backend::Sqlite {
                    let owner = runs.inner.owner.clone();
                    sweep(&runs, Silent::NotOf(&owner)).await?;
                }
                sweep(&runs, Silent::Expired).await?;
                // A gateway that ended a run may have stopped before it cancelled the run's children.
                children::cancel_open(&runs, None).await?;
                Ok(())
            }
        },
    )
    .serves("runs whose owner is silent")
}

/// Takes silent runs from their owners, and publishes it.
///
/// # Errors
/// When the database fails.
pub(super) async fn sweep(runs: &RunsHandle, silent: Silent<'_>) -> Result<(), Failure> {
    let now = runs.inner.clock.now();
    let mut tx = runs.inner.db.write().await?;
    let Moves {
        runs: moved,
        rested,
    } = queue::sweep(&tx, silent).await?;
    if moved.is_empty() {
        return Ok(());
    }
    let ended = moved.iter().filter(|run| run.is_over());
    let over: Vec<RunId> = ended.clone().map(|run| run.id).collect();
    // Lock agents and teams first, the event log after them, as all writers in a workspace do.
    let mut events: BTreeMap<WorkspaceId, Vec<Stamped>> = BTreeMap::new();
    for (_, workspace, rests) in status::work(&tx, rested.iter().map(|agent| (*agent, -1))).await? {
        events.entry(workspace).or_default().push(rests);
    }
    let ends = ends::of_runs(&*tx, &over).await?;
    let with = (&*runs.inner.after, &runs.inner.wakes);
    for (workspace, event) in completion::follow(with, now, &mut tx, &ends).await? {
        events.entry(workspace).or_default().push(event);
    }
    for run in &moved {
        events
            .entry(run.workspace_id)
            .or_default()
            .push(run.changed());
        tracing::warn!(run = %run.id, status = run.status, "the run's gateway is silent; the sweeper takes the run from it");
    }
    for (workspace, events) in events {
        events::append(&mut tx, workspace, now, events).await?;
    }
    tx.commit().await?;
    metrics::counter!("roost_runs_swept_total").increment(moved.len() as u64);
    for run in &over {
        runs.announce_end(*run);
    }
    completion::abandon_calls(runs, over).await;
    runs.nudge();
    Ok(())
}
