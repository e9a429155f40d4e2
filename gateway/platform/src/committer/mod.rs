//! Group commits. The committer takes all writes that wait at a moment, writes them in one transaction, and then
//! answers each. It waits for no timer, so a write that is alone is written alone.
//!
//! Invariants: the writes of a batch are written in the order in which they came, all of them or none. One bad write
//! refuses itself alone: a batch that fails as a whole is written again in halves. When the result of a commit is
//! unknown, every write of the batch gets an error, and its caller must read the rows again.
//!
//! In the tree: `foundation/committer`. It starts again with the writes that wait.

mod batch;
mod lane;

use sea_orm::DbErr;
use tokio::sync::{mpsc, oneshot};

use crate::db::WriteTx;

pub use lane::Lane;

/// How one kind of write is written.
pub trait Writes: Send + Sync + 'static {
    /// A write.
    type Write: Send + Sync + 'static;
    /// Its result.
    type Done: Send + 'static;

    /// The size of a write, for the bound of a batch.
    fn bytes(write: &Self::Write) -> usize;

    /// Writes all of them in this transaction, in their order. It returns one result for each.
    fn write<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        writes: &'a [&'a Self::Write],
    ) -> futures::future::BoxFuture<'a, Result<Vec<Self::Done>, DbErr>>;
}

/// The writes that may wait. A caller that finds the queue full waits.
const MOST_WAITING: usize = 4_096;

/// A write that waits for its batch.
struct Waiting<W: Writes> {
    write: W::Write,
    answer: oneshot::Sender<Result<W::Done, DbErr>>,
}

/// Hands writes to the committer; cheap to clone.
pub struct Committer<W: Writes> {
    queue: mpsc::Sender<Waiting<W>>,
}

impl<W: Writes> Clone for Committer<W> {
    fn clone(&self) -> Self {
        Self {
            queue: self.queue.clone(),
        }
    }
}

impl<W: Writes> Committer<W> {
    /// A committer, and its lane, which the tree runs.
    pub fn new(db: crate::db::Db, writes: W) -> (Self, Lane<W>) {
        let (queue, waiting) = mpsc::channel(MOST_WAITING);
        (Self { queue }, Lane::new(db, writes, waiting))
    }

    /// Writes durably. After an error the write may have happened, unless the database refused it.
    ///
    /// # Errors
    /// When the database refused the write, or when nobody knows whether it was committed.
    pub async fn commit(&self, write: W::Write) -> Result<W::Done, DbErr> {
        let (answer, done) = oneshot::channel();
        let waiting = Waiting { write, answer };
        if self.queue.send(waiting).await.is_err() {
            return Err(stopped());
        }
        done.await.unwrap_or_else(|_| Err(stopped()))
    }
}

fn stopped() -> DbErr {
    DbErr::Custom(
        "the committer stopped before it answered; the write may have happened".to_owned(),
    )
}
