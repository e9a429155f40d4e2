//! The driver of sagas. It takes the lease and executes the next step of the saga that is due, repeatedly. It retries a
//! failed step with growing waits.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use sea_orm::DbErr;

use super::{Carrier, Kind, Next, Step, saga, store};
use crate::kill_point;
use crate::platform::backoff::BackOff;
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::db::lease::Lease;
use crate::platform::supervision::KillPoints;

/// Everything that the driver needs.
#[derive(Clone)]
pub struct SagaDriver {
    pub db: Db,
    pub clock: SharedClock,
    pub kill_points: KillPoints,
    /// The carrier of each kind.
    pub carriers: HashMap<Kind, Arc<dyn Carrier>>,
    /// This incarnation's name in the lease.
    pub owner: String,
}

const LEASE: &str = "saga-driver";
/// Short, so that another gateway continues soon after this one was killed. It is renewed while a step runs longer.
const LEASE_TTL: Duration = Duration::from_secs(5);
const RENEW_EVERY: Duration = Duration::from_secs(2);
/// A step that takes longer is stopped and retried.
const STEP_TIMEOUT: Duration = Duration::from_secs(20);
/// The time until the next attempt of a step that failed.
const BACK_OFF: BackOff = BackOff {
    first: Duration::from_secs(1),
    cap: Duration::from_secs(256),
};

impl SagaDriver {
    /// Executes one step of one saga; `false` when nothing is due or another replica is the driver.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn one_step(&self) -> Result<bool, DbErr> {
        let Some(saga) = store::due(&self.db).await? else {
            return Ok(false);
        };
        let Some(lease) = self.lease().await? else {
            return Ok(false);
        };
        let Some((carrier, kind, step)) = self.carrier(&saga) else {
            let newer = "this gateway does not know it: a newer one wrote it";
            return self.postpone(&lease, &saga, newer).await;
        };
        kill_point!(self.kill_points, "sagas.before_step");
        if let Err(error) = self.holding(carrier.effect(&saga, step)).await? {
            return self.postpone(&lease, &saga, &error).await;
        }
        kill_point!(self.kill_points, "sagas.after_effect");
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        match carrier.write(&mut tx, &saga, step, now).await? {
            Next::Onward => store::advance(&tx, &saga, kind.after(step), now).await?,
            Next::Again(wait) => store::look_again(&tx, &saga, wait, now).await?,
        }
        if !lease.guard(&tx).await? {
            tracing::info!(saga = %saga.id, "another gateway drives the sagas now; this step is discarded");
            return Ok(false);
        }
        tx.commit().await?;
        kill_point!(self.kill_points, "sagas.after_commit");
        Ok(true)
    }

    /// Executes all due steps, then releases the lease.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn carry_all(&self) -> Result<(), DbErr> {
        let mut carried = false;
        while self.one_step().await? {
            carried = true;
        }
        if carried && let Some(lease) = self.lease().await? {
            lease.release(&self.db).await?;
        }
        Ok(())
    }

    async fn lease(&self) -> Result<Option<Lease>, DbErr> {
        Lease::acquire(&self.db, LEASE, &self.owner, LEASE_TTL).await
    }

    fn carrier(&self, saga: &saga::Model) -> Option<(Arc<dyn Carrier>, Kind, Step)> {
        let kind = Kind::from_stored(&saga.kind)?;
        let step = Step::from_stored(&saga.step)?;
        Some((self.carriers.get(&kind)?.clone(), kind, step))
    }

    /// Waits for an effect and renews the lease meanwhile. It gives up after the step's time limit.
    async fn holding(
        &self,
        effect: BoxFuture<'_, Result<(), String>>,
    ) -> Result<Result<(), String>, DbErr> {
        let work = tokio::time::timeout(STEP_TIMEOUT, effect);
        tokio::pin!(work);
        loop {
            tokio::select! {
                outcome = &mut work => {
                    return Ok(outcome.unwrap_or_else(|_| Err("no answer in 20 s".to_owned())));
                }
                () = tokio::time::sleep(RENEW_EVERY) => {
                    // The guard at the commit decides whether this gateway still has the lease.
                    self.lease().await?;
                }
            }
        }
    }

    async fn postpone(
        &self,
        lease: &Lease,
        saga: &saga::Model,
        error: &str,
    ) -> Result<bool, DbErr> {
        let before = u32::try_from(saga.attempts).unwrap_or(0);
        let wait = BACK_OFF.whole(before.saturating_add(1));
        tracing::warn!(saga = %saga.id, step = saga.step, error, wait_s = wait.as_secs(), "a step failed and will be tried again");
        let tx = self.db.write().await?;
        store::postpone(&tx, saga, error, wait, self.clock.now()).await?;
        if lease.guard(&tx).await? {
            tx.commit().await?;
        }
        Ok(true)
    }
}
