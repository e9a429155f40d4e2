//! The interface through which doors lock and wake the runs that requested them. Runs belong to a higher wing, so the
//! gateway wires the implementation.
//!
//! A transaction that changes a door of a run locks the run first, then the door. The runs do the same. So a decision
//! and the end of the run cannot block each other.

use async_trait::async_trait;
use sea_orm::DbErr;

use roost_platform::db::WriteTx;
use roost_platform::ids::{DoorId, RunId};

/// The runs that request doors.
#[async_trait]
pub trait AskingRuns: Send + Sync + 'static {
    /// Locks the run until the end of the transaction. `true` while the run may request something: it works, and nobody
    /// cancelled it.
    ///
    /// # Errors
    /// When the database fails.
    async fn lock(&self, tx: &WriteTx, run: RunId) -> Result<bool, DbErr>;

    /// The door has its end: the step that waits for it continues after the commit.
    ///
    /// # Errors
    /// When the database fails.
    async fn wake(&self, tx: &mut WriteTx, door: DoorId) -> Result<(), DbErr>;
}
