//! The lease renewer: renews this gateway's one lease, and compares the runs of this process with their rows. It informs
//! runs that another gateway cancelled or took, and gives up runs that have no actor. In the tree it is
//! `runs/lease-renewer`.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::actor::Msg;
use super::handle::RunsHandle;
use super::queue::{self, Owned, Silent};
use super::sweeper;
use roost_platform::ids::RunId;
use roost_platform::supervision::{ActorKind, ChildSpec, NoMessages, Nudge};

/// The interval of its passes. Each pass checks for cancelled runs.
const PERIOD: Duration = Duration::from_secs(1);
/// The number of renewals in one lease.
const RENEWALS: u32 = 6;

/// Renews the lease, and informs local runs that were cancelled elsewhere.
pub fn child(runs: &RunsHandle) -> ChildSpec<NoMessages> {
    let renew_each =
        u32::try_from((runs.inner.lease / RENEWALS).as_secs()).map_or(1, |beats| beats.max(1));
    let patience = u32::try_from(runs.inner.lease.as_secs()).map_or(1, |passes| passes.max(1));
    let runs = runs.clone();
    let beat = std::sync::atomic::AtomicU32::new(0);
    let orphans = Arc::new(Mutex::new(Orphans::default()));
    ChildSpec::periodic(
        "lease-renewer",
        ActorKind::Worker,
        PERIOD,
        &Nudge::default(),
        move |_| {
            let beat = beat.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let (runs, orphans) = (runs.clone(), orphans.clone());
            async move {
                // First the actors, then the rows: a run is claimed before its actor starts.
                let live: HashSet<RunId> = runs.live_runs().into_iter().collect();
                let (db, owner) = (&runs.inner.db, &runs.inner.owner);
                let owned = queue::owned(db, owner).await?;
                if beat.is_multiple_of(renew_each) && !(live.is_empty() && owned.is_empty()) {
                    let tx = db.write().await?;
                    queue::renew(&tx, owner, runs.inner.lease).await?;
                    tx.commit().await?;
                }
                let mine: HashSet<RunId> = owned.iter().map(|run| run.run_id).collect();
                for lost in live.difference(&mine) {
                    // A run that has just ended is gone or stopping. The message changes nothing there.
                    runs.send(*lost, Msg::LeaseLost);
                }
                let cancelled = owned.iter().filter(|run| run.cancelled);
                runs.notify_cancelled(cancelled.map(|run| run.run_id));
                let given_up = {
                    let mut orphans = orphans.lock().unwrap_or_else(PoisonError::into_inner);
                    orphans.after_pass(&owned, &live, patience)
                };
                if !given_up.is_empty() {
                    sweeper::sweep(&runs, Silent::Orphans(owner, &given_up)).await?;
                }
                Ok(())
            }
        },
    )
    .serves("the lease of this gateway's runs")
}

/// Runs of this gateway without an actor, and the number of passes that found each so. The actor of a run that was just
/// claimed is about to start. The actor of another one failed for good.
#[derive(Debug, Default)]
struct Orphans(HashMap<(RunId, i64), u32>);

impl Orphans {
    /// Counts a pass, and returns the runs that had no actor in `patience` passes.
    fn after_pass(&mut self, owned: &[Owned], live: &HashSet<RunId>, patience: u32) -> Vec<RunId> {
        let alone = owned.iter().filter(|run| !live.contains(&run.run_id));
        let passes = |run: &Owned| self.0.get(&(run.run_id, run.epoch)).copied();
        self.0 = alone
            .map(|run| ((run.run_id, run.epoch), passes(run).unwrap_or(0) + 1))
            .collect();
        let given_up = self.0.iter().filter(|(_, passes)| **passes >= patience);
        given_up.map(|((run, _), _)| *run).collect()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn owned(run: u128, epoch: i64) -> Owned {
        Owned {
            run_id: RunId(Uuid::from_u128(run)),
            epoch,
            cancelled: false,
        }
    }

    #[test]
    fn run_is_given_up_when_it_has_no_actor_for_a_whole_lease() {
        let mut orphans = Orphans::default();
        let (lonely, lived) = (owned(1, 1), owned(2, 1));
        let live = HashSet::from([lived.run_id]);
        for _ in 0..2 {
            assert_eq!(orphans.after_pass(&[lonely, lived], &live, 3), []);
        }
        assert_eq!(
            orphans.after_pass(&[lonely, lived], &live, 3),
            [lonely.run_id]
        );
    }

    #[test]
    fn count_begins_again_when_the_run_was_claimed_again_or_has_an_actor() {
        let mut orphans = Orphans::default();
        let nobody = HashSet::new();
        assert_eq!(orphans.after_pass(&[owned(1, 1)], &nobody, 2), []);
        assert_eq!(orphans.after_pass(&[owned(1, 2)], &nobody, 2), []);
        let live = HashSet::from([owned(1, 2).run_id]);
        assert_eq!(orphans.after_pass(&[owned(1, 2)], &live, 2), []);
        assert_eq!(orphans.after_pass(&[owned(1, 2)], &nobody, 2), []);
    }
}
