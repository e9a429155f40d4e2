//! The one who appends to the audit chain. Entries are written by commands, in their own transactions and on several
//! gateways at once; the order of the chain is decided here, by whoever has the lease.
//!
//! Parent: `foundation`, as a periodic worker. Children: none. Restart: permanent; what was not committed is done again.

use std::time::Duration;

use super::entity::head;
use super::{model, store};
use crate::db::Db;
use crate::db::lease::Lease;
use crate::kill_point;
use crate::supervision::KillPoints;

/// How often it looks. An entry is in the chain within about this time.
pub const PERIOD: Duration = Duration::from_millis(500);
const LEASE: &str = "audit-chain";
/// Short, so that another gateway goes on soon after this one was killed.
const LEASE_TTL: Duration = Duration::from_secs(2);
/// Links a transaction.
const AT_ONCE: u64 = 500;

/// Everything that the writer needs.
#[derive(Clone)]
pub struct ChainWriter {
    pub db: Db,
    pub kill_points: KillPoints,
    /// This incarnation's name in the lease.
    pub owner: String,
}

impl ChainWriter {
    /// Links all that waits, unless another gateway is at it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn append_all(&self) -> Result<(), sea_orm::DbErr> {
        while self.append_some().await? {}
        Ok(())
    }

    /// `true` when there may be more.
    async fn append_some(&self) -> Result<bool, sea_orm::DbErr> {
        // Most of the time nothing waits: then nothing is locked either.
        if !store::is_any_waiting(self.db.read()).await? {
            return Ok(false);
        }
        let tx = self.db.write().await?;
        // Taken in the transaction of the work, its row stays locked until the commit: two never append at once.
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
