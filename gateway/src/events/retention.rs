//! Forgetting: events past their age or beyond the count of a workspace, idempotency keys and sessions past their time,
//! averages of machines older than a day, outputs of runs that ended long ago.

use std::time::Duration;

use chrono::TimeDelta;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Statement};

use super::entity;
use crate::clock::SharedClock;
use crate::config::Retention;
use crate::db::Db;
use crate::db::lease::Lease;
use crate::{domains, http};

/// How often it sweeps.
pub const PERIOD: Duration = Duration::from_secs(600);
const LEASE_TTL: Duration = Duration::from_secs(120);

/// What the sweeper needs.
#[derive(Clone)]
pub struct Sweeper {
    pub db: Db,
    pub clock: SharedClock,
    pub keep: Retention,
    /// How long outputs of runs are kept after their end.
    pub outputs: Duration,
    /// This incarnation's name in the lease.
    pub owner: String,
}

impl Sweeper {
    /// One sweep, if no other gateway is at it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sweep(&self) -> Result<(), DbErr> {
        let lease = Lease::acquire(&self.db, "retention", &self.owner, LEASE_TTL).await?;
        let Some(lease) = lease else {
            return Ok(());
        };
        let now = self.clock.now();
        let oldest = now - TimeDelta::from_std(self.keep.age).unwrap_or(TimeDelta::days(7));
        let tx = self.db.write().await?;
        entity::event::Entity::delete_many()
            .filter(entity::event::Column::At.lt(oldest))
            .exec(&*tx)
            .await?;
        let count = i64::try_from(self.keep.count).unwrap_or(i64::MAX);
        let sql = "DELETE FROM events WHERE EXISTS (SELECT 1 FROM event_heads h \
                   WHERE h.workspace_id = events.workspace_id AND events.seq <= h.seq - $1)";
        tx.execute_raw(Statement::from_sql_and_values(
            tx.backend().into(),
            sql,
            [count.into()],
        ))
        .await?;
        domains::auth::store::forget_expired(&*tx, now).await?;
        domains::apps::store::forget_expired(&*tx, now).await?;
        domains::fleet::history::forget_before(&tx, now).await?;
        if lease.guard(&tx).await? {
            tx.commit().await?;
        }
        self.forget_outputs().await?;
        http::idempotency::forget_before(&self.db, now).await?;
        lease.release(&self.db).await
    }

    /// Some runs at a time, each under a lease that is fresh: whatever breaks off goes on at the next sweep.
    async fn forget_outputs(&self) -> Result<(), DbErr> {
        loop {
            let tx = self.db.write().await?;
            let lease = Lease::acquire_in(&tx, "retention", &self.owner, LEASE_TTL).await?;
            if lease.is_none() {
                return Ok(());
            }
            let more = domains::runs::forget::outputs(&tx, self.outputs).await?;
            tx.commit().await?;
            if !more {
                return Ok(());
            }
        }
    }
}
