//! What machines reported over the last day: one average for each minute. The health writer gathers them in memory and
//! writes them in batches when the minute is over. A value that a machine did not report stays absent, never zero; a
//! minute without a report has no row. Table: `node_history`.
//!
//! Invariant: a heartbeat counts only if its connection was still the newest when the heartbeat was written (P6). A
//! gateway that is killed loses at most the averages of the running minute. The next gateway adds its own samples to the
//! same row.

pub(super) mod dto;
pub(crate) mod entity;
mod gather;
pub(super) mod model;
pub(super) mod store;
#[cfg(test)]
mod tests;

pub(super) use gather::Gathered;

/// Deletes the rows that are older than a day.
///
/// # Errors
/// When the database fails.
pub async fn forget_before(
    tx: &roost_platform::db::WriteTx,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<(), sea_orm::DbErr> {
    store::forget_before(tx, model::minute_of(now)).await?;
    Ok(())
}
