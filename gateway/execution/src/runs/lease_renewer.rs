//! The lease renewer: renews the leases of the runs that live in this process, and informs runs that another gateway
//! cancelled. In the tree it is `runs/lease-renewer`.

use std::time::Duration;

use super::actor::Msg;
use super::handle::RunsHandle;
use super::queue;
use roost_platform::ids::RunId;
use roost_platform::supervision::{ActorKind, ChildSpec, NoMessages, Nudge};

/// The interval of its passes. Each pass checks for cancelled runs.
const PERIOD: Duration = Duration::from_secs(1);
/// The number of renewals in one lease.
const RENEWALS: u32 = 6;

/// Renews the leases of local runs, and informs local runs that were cancelled elsewhere.
pub fn child(runs: &RunsHandle) -> ChildSpec<NoMessages> {
    let renew_each =
        u32::try_from((runs.inner.lease / RENEWALS).as_secs()).map_or(1, |beats| beats.max(1));
    let runs = runs.clone();
    let beat = std::sync::atomic::AtomicU32::new(0);
    ChildSpec::periodic(
        "lease-renewer",
        ActorKind::Worker,
        PERIOD,
        &Nudge::default(),
        move |_| {
            let beat = beat.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let runs = runs.clone();
            async move {
                let live = runs.live_runs();
                if live.is_empty() {
                    return Ok(());
                }
                let (db, owner) = (&runs.inner.db, &runs.inner.owner);
                if beat.is_multiple_of(renew_each) {
                    // A run whose actor failed for good is not renewed: its lease expires, and a gateway claims it
                    // again.
                    let kept = queue::renew(db, owner, &live).await?;
                    let kept: std::collections::HashSet<RunId> = kept.into_iter().collect();
                    for lost in live.iter().filter(|run| !kept.contains(run)) {
                        // A run that has just ended is gone or stopping. The message changes nothing there.
                        runs.send(*lost, Msg::LeaseLost);
                    }
                }
                runs.notify_cancelled(queue::to_cancel(db, owner).await?);
                Ok(())
            }
        },
    )
    .serves("leases of live runs")
}
