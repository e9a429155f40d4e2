//! Starts a node actor for each paired machine. It runs after a start and periodically, because another gateway on the
//! same database may have paired a machine, and because dynamic children do not come back with a supervisor.

use std::time::Duration;

use super::handle::FleetHandle;
use super::{store, store_connection};
use roost_platform::supervision::Failure;

/// How often the store is read.
pub(super) const EVERY: Duration = Duration::from_secs(15);

/// Starts the actors that are missing.
pub(super) async fn recover(fleet: &FleetHandle) -> Result<(), Failure> {
    for id in store::paired_ids(fleet.db().read()).await? {
        if fleet.has(id) {
            continue;
        }
        let Some(node) = store::by_id(fleet.db().read(), id).await? else {
            continue;
        };
        if let Err(error) = fleet.ensure(&node).await {
            // One machine's broken row must not stop the others; the next pass tries it again.
            tracing::error!(node = %node.id, error = &error as &dyn std::error::Error, "the actor of a machine did not start");
        }
    }
    Ok(())
}

/// Runs before anything connects. On a database that only this gateway can have open, each recorded holder is dead.
///
/// # Errors
/// When the store fails.
pub async fn release_dead_holders(db: &roost_platform::db::Db) -> Result<(), sea_orm::DbErr> {
    let tx = db.write().await?;
    store_connection::release_all(&tx).await?;
    tx.commit().await
}
