//! The waker: ends waits that have lasted for their longest time, and informs the runs of this process whose parked steps
//! were woken or stopped, or whose time is up. In the tree it is `runs/waker`.

use std::time::Duration;

use super::actor::Msg;
use super::handle::RunsHandle;
use super::overdue;
use super::parking::{self, Ends};
use super::stops;
use roost_platform::supervision::{ActorKind, ChildSpec, NoMessages};

/// How often it looks without a nudge: another gateway may have woken a step.
const PERIOD: Duration = Duration::from_secs(1);

/// Ends overdue waits, and informs local runs of woken and stopped steps, and of the end of their time.
pub fn child(runs: &RunsHandle) -> ChildSpec<NoMessages> {
    let nudge = runs.inner.wakes.woken.clone();
    let runs = runs.clone();
    ChildSpec::periodic("waker", ActorKind::Worker, PERIOD, &nudge, move |_| {
        let runs = runs.clone();
        async move {
            let (db, owner) = (&runs.inner.db, &runs.inner.owner);
            if parking::any_due(db.read(), db.backend()).await? {
                let mut tx = db.write().await?;
                parking::wake(&tx, Ends::Due).await?;
                runs.inner.wakes.nudge_after(&mut tx);
                tx.commit().await?;
            }
            for run in parking::woken_of(db.read(), db.backend(), owner).await? {
                runs.send(run, Msg::Woken);
            }
            for run in stops::asked_of_owner(db.read(), db.backend(), owner).await? {
                runs.send(run, Msg::StopAsked);
            }
            for run in overdue::wake(&runs).await? {
                runs.send(run, Msg::TimeUp);
            }
            Ok(())
        }
    })
    .serves("steps that wait")
}
