//! The driver of sagas. It takes the lease and executes the next step of the saga that is due, repeatedly. It retries a
//! failed step with growing waits.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use sea_orm::DbErr;

use super::{Kind, Next, SagaHandler, Step, saga, store};
use crate::backoff::BackOff;
use crate::clock::SharedClock;
use crate::db::Db;
use crate::db::lease::Lease;
use crate::kill_point;
use crate::supervision::KillPoints;

/// Everything that the driver needs.
#[derive(Clone)]
pub struct SagaDriver {
    pub db: Db,
    pub clock: SharedClock,
    pub kill_points: KillPoints,
    /// The handler of each kind.
    pub handlers: HashMap<Kind, Arc<dyn SagaHandler>>,
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
        let Some((handler, kind, step)) = self.handler(&saga) else {
            let newer = "this gateway does not know it: a newer one wrote it";
            return self.postpone(&lease, &saga, newer).await;
        };
        kill_point!(self.kill_points, "sagas.before_step");
        if let Err(error) = self.with_renewal(handler.effect(&saga, step)).await? {
            return self.postpone(&lease, &saga, &error).await;
        }
        kill_point!(self.kill_points, "sagas.after_effect");
        let now = self.clock.now();
        let mut tx = self.db.write().await?;
        match handler.write(&mut tx, &saga, step, now).await? {
            Next::Advance => store::advance(&tx, &saga, kind.after(step), now).await?,
            Next::CheckAgain(wait) => store::postpone_check(&tx, &saga, wait, now).await?,
        }
        if !lease.guard(&tx).await? {
            tracing::info!(saga = %saga.id, "another gateway has the saga lease now; this gateway discards its step");
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
    pub async fn run_due(&self) -> Result<(), DbErr> {
        let mut worked = false;
        while self.one_step().await? {
            worked = true;
        }
        if worked && let Some(lease) = self.lease().await? {
            lease.release(&self.db).await?;
        }
        Ok(())
    }

    async fn lease(&self) -> Result<Option<Lease>, DbErr> {
        Lease::acquire(&self.db, LEASE, &self.owner, LEASE_TTL).await
    }

    fn handler(&self, saga: &saga::Model) -> Option<(Arc<dyn SagaHandler>, Kind, Step)> {
        let kind = Kind::from_stored(&saga.kind)?;
        let step = Step::from_stored(&saga.step)?;
        Some((self.handlers.get(&kind)?.clone(), kind, step))
    }

    /// Waits for an effect and renews the lease meanwhile. It gives up after the step's time limit.
    async fn with_renewal(
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
        tracing::warn!(saga = %saga.id, step = saga.step, error, wait_s = wait.as_secs(), "a step of a saga failed; the gateway tries it again");
        let tx = self.db.write().await?;
        store::postpone(&tx, saga, error, wait, self.clock.now()).await?;
        if lease.guard(&tx).await? {
            tx.commit().await?;
        }
        Ok(true)
    }
}
