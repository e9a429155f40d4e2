//! The lane of a committer: one worker that writes batch after batch.

use std::sync::Arc;

use sea_orm::DbErr;
use tokio::sync::{Mutex, mpsc};

use super::batch::{fits, halves};
use super::{Waiting, Writes};
use crate::db::{Db, Fault, fault_of};
use crate::kill_point;
use crate::supervision::{ActorKind, ChildSpec, Failure, JobContext, NoMessages};

/// How often a batch is written again after a deadlock with another transaction.
const MOST_CONFLICTS: u32 = 5;

/// The worker of a committer; cheap to clone.
pub struct Lane<W: Writes> {
    inner: Arc<Inner<W>>,
}

struct Inner<W: Writes> {
    db: Db,
    writes: W,
    /// A worker that starts again takes the queue with all that waits.
    queue: Mutex<Queue<W>>,
}

struct Queue<W: Writes> {
    waiting: mpsc::Receiver<Waiting<W>>,
    /// A write that did not fit into the last batch.
    next: Option<Waiting<W>>,
}

impl<W: Writes> Clone for Lane<W> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
        }
    }
}

impl<W: Writes> Lane<W> {
    pub(super) fn new(db: Db, writes: W, waiting: mpsc::Receiver<Waiting<W>>) -> Self {
        let queue = Mutex::new(Queue {
            waiting,
            next: None,
        });
        Self {
            inner: Arc::new(Inner { db, writes, queue }),
        }
    }

    /// The worker.
    pub fn child(&self) -> ChildSpec<NoMessages> {
        let lane = self.clone();
        ChildSpec::worker("committer", ActorKind::Committer, move |cx| {
            let lane = lane.clone();
            async move { lane.run(&cx).await }
        })
        .serves("group commits of runs")
    }

    async fn run(&self, cx: &JobContext) -> Result<(), Failure> {
        let mut queue = self.inner.queue.lock().await;
        while let Some(batch) = queue.take().await {
            metrics::histogram!("roost_committer_batch").record(count(batch.len()));
            self.write(cx, batch).await;
        }
        Ok(())
    }

    /// Writes a batch, in halves where it fails as a whole, and answers each write.
    async fn write(&self, cx: &JobContext, batch: Vec<Waiting<W>>) {
        let mut parts = vec![batch];
        while let Some(part) = parts.pop() {
            let error = match self.attempt(cx, &part).await {
                Ok(done) => {
                    for (waiting, done) in part.into_iter().zip(done) {
                        // A caller that has gone needs no answer.
                        let _ = waiting.answer.send(Ok(done));
                    }
                    continue;
                }
                Err(error) => error,
            };
            let whole = match error {
                Unwritten::Refused(error) => match halves(part) {
                    Ok((first, second)) => {
                        parts.extend([second, first]);
                        continue;
                    }
                    Err(alone) => {
                        if let Some(waiting) = alone {
                            let _ = waiting.answer.send(Err(error));
                        }
                        continue;
                    }
                },
                Unwritten::All(error) => error,
            };
            tracing::warn!(
                error = &whole as &dyn std::error::Error,
                writes = part.len(),
                "a batch was not written"
            );
            for waiting in part {
                let error = DbErr::Custom(whole.to_string());
                let _ = waiting.answer.send(Err(error));
            }
        }
    }

    async fn attempt(
        &self,
        cx: &JobContext,
        part: &[Waiting<W>],
    ) -> Result<Vec<W::Done>, Unwritten> {
        let writes: Vec<&W::Write> = part.iter().map(|waiting| &waiting.write).collect();
        let mut conflicts = 0;
        loop {
            let mut tx = self
                .inner
                .db
                .write_in_lane()
                .await
                .map_err(Unwritten::All)?;
            match self.inner.writes.write(&mut tx, &writes).await {
                Ok(done) => {
                    kill_point!(cx, "committer.before_commit");
                    // After an error here nobody knows whether it happened.
                    tx.commit().await.map_err(Unwritten::All)?;
                    kill_point!(cx, "committer.after_commit");
                    return Ok(done);
                }
                Err(error) => match fault_of(&error) {
                    Fault::Conflict if conflicts < MOST_CONFLICTS => conflicts += 1,
                    Fault::OfTheWrite => return Err(Unwritten::Refused(error)),
                    Fault::Conflict | Fault::OfTheDatabase => return Err(Unwritten::All(error)),
                },
            }
        }
    }
}

/// Why a part of a batch was not written.
enum Unwritten {
    /// The database refused it: at least one write is bad.
    Refused(DbErr),
    /// Every write of the part gets this error.
    All(DbErr),
}

impl<W: Writes> Queue<W> {
    /// All writes that wait now, at most a batch. It waits for the first one.
    async fn take(&mut self) -> Option<Vec<Waiting<W>>> {
        let first = match self.next.take() {
            Some(first) => first,
            None => self.waiting.recv().await?,
        };
        let mut bytes = W::bytes(&first.write);
        let mut batch = vec![first];
        // Callers that woke in this turn join the batch.
        tokio::task::yield_now().await;
        while let Ok(next) = self.waiting.try_recv() {
            let more = W::bytes(&next.write);
            if !fits(batch.len(), bytes, more) {
                self.next = Some(next);
                break;
            }
            bytes += more;
            batch.push(next);
        }
        Some(batch)
    }
}

fn count(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::MAX, f64::from)
}
