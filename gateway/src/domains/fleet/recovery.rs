//! Which node actors must exist: one for each paired machine. Looked at after a start and now and then, since another
//! gateway on the same database may have paired one, and since dynamic children do not come back with a supervisor.

use std::time::Duration;

use super::handle::FleetHandle;
use super::{store, store_connection};
use crate::supervision::Failure;

/// How often the store is asked.
pub(super) const EVERY: Duration = Duration::from_secs(15);

/// Starts those that are missing.
pub(super) async fn recover(fleet: &FleetHandle) -> Result<(), Failure> {
    for node in store::all_paired(fleet.db().read()).await? {
        if !fleet.has(node.id)
            && let Err(error) = fleet.ensure(&node).await
        {
            // One machine's broken row must not keep the others away; it is tried again.
            tracing::error!(node = %node.id, error = &error as &dyn std::error::Error, "the actor of a machine did not start");
        }
    }
    Ok(())
}

/// Before anything connects: on a database that only this gateway can have open, whoever held connections is dead.
///
/// # Errors
/// When the store fails.
pub async fn release_dead_holders(db: &crate::db::Db) -> Result<(), sea_orm::DbErr> {
    let tx = db.write().await?;
    store_connection::release_all(&tx).await?;
    tx.commit().await
}
