//! Retention: deletes events past their age, a workspace's count or its size; and, less often, expired idempotency keys and
//! sessions, machines' averages that are older than a day, and outputs of runs that ended long ago.

use std::time::Duration;

use sea_orm::DbErr;

use crate::config::Retention;
use roost_connections::apps;
use roost_execution::runs;
use roost_machines::fleet;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::db::lease::Lease;
use roost_platform::events;
use roost_tenancy::auth;
use roost_web::idempotency;

/// The time between two sweeps of the events. A busy workspace writes megabytes of ephemeral events in a minute.
pub const EVENTS_PERIOD: Duration = Duration::from_secs(60);
/// The time between two sweeps of everything else.
pub const PERIOD: Duration = Duration::from_secs(600);
const LEASE_TTL: Duration = Duration::from_secs(120);

/// What the sweeper needs.
#[derive(Clone)]
pub struct Sweeper {
    pub db: Db,
    pub clock: SharedClock,
    pub events: Retention,
    /// How long outputs of runs are kept after their end.
    pub outputs: Duration,
    /// The name of this instance in the lease.
    pub owner: String,
}

impl Sweeper {
    /// One sweep, unless another gateway has the lease.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep(&self) -> Result<(), DbErr> {
        let lease = Lease::acquire(&self.db, "retention", &self.owner, LEASE_TTL).await?;
        let Some(lease) = lease else {
            return Ok(());
        };
        let now = self.clock.now();
        let tx = self.db.write().await?;
        auth::forget_expired(&*tx, now).await?;
        auth::devices::forget_unused(&*tx, now).await?;
        auth::hosted::revalidation::release_idle_grants(&tx, now).await?;
        apps::forget_expired(&*tx, now).await?;
        fleet::history::forget_before(&tx, now).await?;
        if lease.guard(&tx).await? {
            tx.commit().await?;
        }
        self.forget_outputs().await?;
        idempotency::forget_before(&self.db, now).await?;
        lease.release(&self.db).await
    }

    /// One sweep of the events, unless another gateway has the lease.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep_events(&self) -> Result<(), DbErr> {
        let name = "event-retention";
        let Some(lease) = Lease::acquire(&self.db, name, &self.owner, LEASE_TTL).await? else {
            return Ok(());
        };
        events::sweep(&self.db, self.clock.now(), &self.events).await?;
        lease.release(&self.db).await
    }

    /// A few runs at a time, each time under a fresh lease: an interrupted sweep continues with the next one.
    async fn forget_outputs(&self) -> Result<(), DbErr> {
        loop {
            let tx = self.db.write().await?;
            let lease = Lease::acquire_in(&tx, "retention", &self.owner, LEASE_TTL).await?;
            if lease.is_none() {
                return Ok(());
            }
            let more = runs::retention::delete_outputs(&tx, self.outputs).await?;
            tx.commit().await?;
            if !more {
                return Ok(());
            }
        }
    }
}
