//! Tasks: the part of an actor that runs beside its mailbox for as long as the actor lives, for example the loop of its
//! socket. A task is a job without a row in the tree, because its actor's row shows it already. Thousands of actors may
//! have one: a task costs its future, and a job costs an actor.
//!
//! Position: inside an actor. Children: none. Restart: with its actor.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;

use super::context::{Context, send_to};
use super::failure::{bounded, panic_text};
use super::job::JobFailure;

impl<M: Send + 'static> Context<M> {
    /// Runs a part of this actor beside its mailbox. `done` turns the outcome into a message to this incarnation. The
    /// task is dropped at an await when the actor ends, however it ends.
    pub fn task<T, F>(
        &self,
        work: F,
        done: impl FnOnce(Result<T, JobFailure>) -> M + Send + 'static,
    ) where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (cell, gauge) = (self.cell.clone(), Arc::clone(&self.gauge));
        let (cancel, entry) = (self.cancel.clone(), Arc::clone(&self.entry));
        tokio::spawn(async move {
            let work = AssertUnwindSafe(work).catch_unwind();
            let Some(outcome) = cancel.run_until_cancelled(work).await else {
                return;
            };
            let outcome = outcome.map_err(|payload| {
                let text = bounded(panic_text(payload));
                tracing::error!(failure = text, path = entry.path(), "a task panicked");
                JobFailure::Panicked(text)
            });
            // The actor may accept no more messages; then it does not need the outcome.
            let _ = send_to(&cell, &gauge, entry.path(), done(outcome));
        });
    }
}
