//! The permanent workers: the claimer claims runs and starts an actor for each, the keeper renews the leases of local
//! runs, and the sweeper puts silent runs back into the queue.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::actor::{Args, Msg, RunActor};
use super::entity::run;
use super::handle::{RunsHandle, name_of};
use super::queue::{self, Among, Silent};
use super::{closing, shown, store};
use crate::agents::claws;
use crate::kill_point;
use crate::platform::db::Backend;
use crate::platform::events::{self, Event, ResourceKind, Stamped};
use crate::platform::ids::{RunId, WorkspaceId};
use crate::platform::supervision::{
    ActorKind, ChildSpec, Failure, JobContext, NoMessages, Nudge, Restart, StartError, Tenant,
};
use crate::tenancy::auth::WorkspaceScope;

/// How often the queue is polled without a nudge: another gateway may have added a run.
const CLAIM: Duration = Duration::from_secs(1);
/// How often the keeper runs. It checks for cancelled runs each time.
const KEEP: Duration = Duration::from_secs(1);
/// The number of renewals, and of sweeps, in one lease.
const RENEWALS: u32 = 6;
const SWEEPS: u32 = 3;
/// The maximum number of runs that one statement claims.
const BATCH: usize = 32;

/// Claims queued runs while there is room.
pub fn claimer(runs: &RunsHandle) -> ChildSpec<NoMessages> {
    let nudge = runs.inner.queue.clone();
    let runs = runs.clone();
    ChildSpec::periodic("claimer", ActorKind::Worker, CLAIM, &nudge, move |cx| {
        let runs = runs.clone();
        async move {
            let each = runs.inner.at_once as u64;
            while take(&runs, &cx, Among::Children(each), BATCH).await? {}
            loop {
                let room = runs.inner.at_once.saturating_sub(runs.living().len());
                if room == 0 || !take(&runs, &cx, Among::Roots, room.min(BATCH)).await? {
                    return Ok(());
                }
            }
        }
    })
    .serves("runs that wait")
}

/// Claims some runs and starts an actor for each. Returns whether there may be more.
async fn take(
    runs: &RunsHandle,
    cx: &JobContext,
    among: Among,
    most: usize,
) -> Result<bool, Failure> {
    let owner = &runs.inner.owner;
    let claimed = queue::claim(&runs.inner.db, owner, among, most as u64).await?;
    if !claimed.is_empty() {
        kill_point!(cx, "runs.claim.after_commit");
    }
    let full = claimed.len() == most;
    for run in claimed {
        start(runs, run).await?;
    }
    Ok(full)
}

async fn start(runs: &RunsHandle, run: run::Model) -> Result<(), Failure> {
    let (handle, id, epoch) = (runs.clone(), run.id, run.epoch);
    let tenant = Tenant::new(run.workspace_id);
    let claimed = Mutex::new(Some(run));
    let spec = ChildSpec::actor::<RunActor>(name_of(id), ActorKind::Run, move || Args {
        runs: handle.clone(),
        id,
        claimed: claimed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take(),
    })
    .tenant(tenant)
    .restart(Restart::Transient)
    .serves(format!("run {id}"));
    match runs.inner.live.start_child(spec).await {
        Ok(_) => Ok(()),
        // The previous actor of the run is about to end. The sweeper requeues the run if no gateway keeps it.
        Err(StartError::NameTaken { .. }) => Ok(queue::give_back(&runs.inner.db, id, epoch).await?),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, run = %id, "a run did not start; it is tried again");
            Ok(())
        }
    }
}

/// Renews the leases of local runs, and informs local runs that were cancelled elsewhere.
pub fn keeper(runs: &RunsHandle) -> ChildSpec<NoMessages> {
    let renew_each =
        u32::try_from((runs.inner.lease / RENEWALS).as_secs()).map_or(1, |beats| beats.max(1));
    let runs = runs.clone();
    let beat = std::sync::atomic::AtomicU32::new(0);
    ChildSpec::periodic(
        "keeper",
        ActorKind::Worker,
        KEEP,
        &Nudge::default(),
        move |_| {
            let beat = beat.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let runs = runs.clone();
            async move {
                let live = runs.living();
                if live.is_empty() {
                    return Ok(());
                }
                let (db, owner) = (&runs.inner.db, &runs.inner.owner);
                if beat.is_multiple_of(renew_each) {
                    // A run whose actor failed for good is not renewed: its lease expires, and a gateway claims it
                    // again.
                    let kept = queue::keep(db, owner, &live).await?;
                    let kept: std::collections::HashSet<RunId> = kept.into_iter().collect();
                    for lost in live.iter().filter(|run| !kept.contains(run)) {
                        // A run that has just ended is gone or stopping. The message changes nothing there.
                        runs.tell(*lost, Msg::LeaseLost);
                    }
                }
                runs.tell_cancelled(queue::to_cancel(db, owner).await?);
                Ok(())
            }
        },
    )
    .serves("leases of live runs")
}

/// Puts silent runs back into the queue.
pub fn sweeper(runs: &RunsHandle) -> ChildSpec<NoMessages> {
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
                sweep(&runs, Silent::For(runs.inner.lease)).await
            }
        },
    )
    .serves("runs whose owner is silent")
}

async fn sweep(runs: &RunsHandle, silent: Silent<'_>) -> Result<(), Failure> {
    let now = runs.inner.clock.now();
    let mut tx = runs.inner.db.write().await?;
    let moved = queue::sweep(&tx, silent).await?;
    if moved.is_empty() {
        return Ok(());
    }
    let ended = moved.iter().filter(|run| run.is_over());
    let over: Vec<RunId> = ended.clone().map(|run| run.id).collect();
    // Lock agents and teams first, the event log after them, as all writers in a workspace do.
    claws::hold(&tx, store::who_works(&*tx, &over).await?).await?;
    let mut told: BTreeMap<WorkspaceId, Vec<Stamped>> = BTreeMap::new();
    for run in ended.clone() {
        let scope = WorkspaceScope::of_row(run.workspace_id);
        let resting = shown::all_resting(&tx, scope, &[run.id], now).await?;
        told.entry(run.workspace_id).or_default().extend(resting);
    }
    let of_teams = ended.map(|run| (run.id, run.workspace_id, run.team_id));
    let going = closing::team_ends(runs, &mut tx, of_teams).await?;
    for (workspace, fact) in going {
        told.entry(workspace).or_default().push(fact.into());
    }
    for run in &moved {
        let fact = Event::changed(ResourceKind::Run, run.id, run.version).in_run(run.id);
        told.entry(run.workspace_id).or_default().push(fact);
        tracing::warn!(run = %run.id, status = run.status, "the gateway that worked on this run is silent");
    }
    for (workspace, told) in told {
        events::append(&mut tx, workspace, now, told).await?;
    }
    tx.commit().await?;
    metrics::counter!("roost_runs_swept_total").increment(moved.len() as u64);
    for run in &over {
        runs.tell_ended(*run);
    }
    closing::let_go(runs, over).await;
    runs.nudge();
    Ok(())
}
