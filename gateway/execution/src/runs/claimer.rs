//! The claimer: claims queued runs and starts an actor for each.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::actor::{Args, RunActor};
use super::entity::run;
use super::handle::{RunsHandle, name_of};
use super::queue;
use roost_platform::kill_point;
use roost_platform::supervision::{
    ActorKind, ChildSpec, Failure, JobContext, NoMessages, Restart, StartError, Tenant,
};

/// How often the queue is polled without a nudge: another gateway may have added a run.
const PERIOD: Duration = Duration::from_secs(1);
/// The maximum number of runs that one statement claims.
const BATCH: usize = 32;

/// Claims queued runs while there is room.
pub fn child(runs: &RunsHandle) -> ChildSpec<NoMessages> {
    let nudge = runs.inner.wakes.queue.clone();
    let runs = runs.clone();
    ChildSpec::periodic("claimer", ActorKind::Worker, PERIOD, &nudge, move |cx| {
        let runs = runs.clone();
        async move {
            loop {
                let room = runs.inner.at_once.saturating_sub(runs.places_taken());
                if room == 0 || !claim_some(&runs, &cx, room.min(BATCH)).await? {
                    return Ok(());
                }
            }
        }
    })
    .serves("runs that wait")
}

/// Claims some runs and starts an actor for each. Returns whether there may be more.
async fn claim_some(runs: &RunsHandle, cx: &JobContext, most: usize) -> Result<bool, Failure> {
    let owner = (runs.inner.owner.as_str(), runs.inner.lease);
    let claimed = queue::claim(&runs.inner.db, owner, most as u64).await?;
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
    runs.takes_place(id);
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
        Err(StartError::NameTaken { .. }) => Ok(queue::release(&runs.inner.db, id, epoch).await?),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, run = %id, "a run's actor did not start; the run goes back into the queue");
            // If this fails too, the sweeper requeues it.
            Ok(queue::release(&runs.inner.db, id, epoch).await?)
        }
    }
}
