//! The part of runs that wakes their parked steps. The wings that steps wait for use it through the gateway's wiring.

use sea_orm::DbErr;

use super::parking::{self, Ends};
use super::waits::WaitOn;
use roost_platform::db::WriteTx;
use roost_platform::ids::RunId;
use roost_platform::supervision::Nudge;

/// Wakes parked steps. Cheap to clone.
#[derive(Clone, Default)]
pub struct RunWakes {
    /// Wakes the claimer.
    pub(super) queue: Nudge,
    /// Wakes the worker that informs runs of this process.
    pub(super) woken: Nudge,
}

impl RunWakes {
    /// What the steps wait for is there, or has its end: they continue after the commit.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn wake(&self, tx: &mut WriteTx, on: WaitOn) -> Result<(), DbErr> {
        if parking::wake(tx, Ends::On(on)).await? > 0 {
            self.nudge_after(tx);
        }
        Ok(())
    }

    /// These runs end in this transaction: the steps that started them continue after the commit. The caller holds the
    /// locks of their parents.
    pub(super) async fn wake_parents(
        &self,
        tx: &mut WriteTx,
        ended: &[RunId],
    ) -> Result<(), DbErr> {
        let mut woken = 0;
        // The number of parameters of a statement has a limit.
        for some in ended.chunks(500) {
            woken += parking::wake(tx, Ends::Children(some)).await?;
        }
        if woken > 0 {
            self.nudge_after(tx);
        }
        Ok(())
    }

    /// Wakes the workers after the commit.
    pub(super) fn nudge_after(&self, tx: &mut WriteTx) {
        tx.wake(&self.woken);
        tx.wake(&self.queue);
    }
}
