//! The writer of the audit chain. Commands write entries in their own transactions and on several gateways at once. The
//! writer with the lease decides the order of the chain.
//!
//! Parent: `foundation`, as a periodic worker. Children: none. Restart: permanent; uncommitted work is repeated.

use std::time::Duration;

use super::entity::head;
use super::{model, store};
use roost_platform::db::Db;
use roost_platform::db::lease::Lease;
use roost_platform::kill_point;
use roost_platform::supervision::KillPoints;

/// The time between two runs. An entry is in the chain within about this time.
pub const PERIOD: Duration = Duration::from_millis(500);
const LEASE: &str = "audit-chain";
/// The lease is short, so that another gateway continues soon after this one was killed.
const LEASE_TTL: Duration = Duration::from_secs(2);
/// The most links that one transaction appends.
const AT_ONCE: u64 = 500;

/// Everything that the writer needs.
#[derive(Clone)]
pub struct ChainWriter {
    pub db: Db,
    pub kill_points: KillPoints,
    /// The name of this instance in the lease.
    pub owner: String,
}

impl ChainWriter {
    /// Links all waiting entries, unless another gateway has the lease.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn append_all(&self) -> Result<(), sea_orm::DbErr> {
        while self.append_some().await? {}
        Ok(())
    }

    /// `true` when there may be more.
    async fn append_some(&self) -> Result<bool, sea_orm::DbErr> {
        // Usually no entry waits; then the writer does not lock anything either.
        if !store::is_any_waiting(self.db.read()).await? {
            return Ok(false);
        }
        let tx = self.db.write().await?;
        // Taken in the transaction of the work, the lease's row stays locked until the commit: two writers never
        // append at once.
        if Lease::acquire_in(&tx, LEASE, &self.owner, LEASE_TTL)
            .await?
            .is_none()
        {
            return Ok(false);
        }
        let entries = store::waiting_entries(&*tx, AT_ONCE).await?;
        let mut end = store::end(&*tx).await?;
        let mut links = Vec::with_capacity(entries.len());
        for entry in &entries {
            let link = model::link(end.as_ref(), entry);
            end = Some(head::Model {
                id: 1,
                position: link.position,
                sha256: link.sha256.clone(),
            });
            links.push(link);
        }
        let (Some(end), count) = (end, links.len()) else {
            return Ok(false);
        };
        if count == 0 {
            return Ok(false);
        }
        store::append(&tx, links, end).await?;
        kill_point!(self.kill_points, "audit.chain.before_commit");
        tx.commit().await?;
        kill_point!(self.kill_points, "audit.chain.after_commit");
        metrics::counter!("roost_audit_links_total").increment(count as u64);
        Ok(count as u64 == AT_ONCE)
    }
}
