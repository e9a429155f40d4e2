//! What machines reported over the last day: an average a minute, gathered in memory by the health writer and written
//! in batches when the minute is over. What a machine did not report stays absent, never zero; a minute without a
//! report has no row. Table: `node_history`.
//!
//! Invariant: only a heartbeat whose connection was still the newest when it was written counts (P6). A gateway that is
//! killed loses the averages of the running minute at most; the next one adds what it hears to the same row.

pub mod dto;
pub mod entity;
mod gather;
pub mod model;
pub mod store;
#[cfg(test)]
mod tests;

pub(super) use gather::Gathered;

/// Forgets what is older than a day.
///
/// # Errors
/// When the database fails.
pub async fn forget_before(
    tx: &crate::db::WriteTx,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<(), sea_orm::DbErr> {
    store::forget_before(tx, model::minute_of(now)).await?;
    Ok(())
}
