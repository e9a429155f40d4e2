//! Specifications of plain async work: workers that are restarted like any actor, periodic workers, and one-shot
//! jobs under a supervisor.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::birth::spawn;
use super::failure::Failure;
use super::job::{JobActor, JobContext, Work};
use super::kinds::ActorKind;
use super::restart::Restart;
use super::spec::{ChildMeta, ChildSpec, Starter};

/// The message type of children that take no messages. Their address only shows their state.
pub type NoMessages = ();

/// Wakes a periodic worker before its time. Cheap to clone. Several nudges during one activation count as one.
#[derive(Debug, Clone, Default)]
pub struct Nudge {
    notify: Arc<Notify>,
}

impl Nudge {
    /// Asks for one activation soon.
    pub fn nudge(&self) {
        self.notify.notify_one();
    }

    /// Waits for a nudge, at most this long.
    pub async fn wait(&self, most: Duration) {
        // Both outcomes lead to the next activation: a nudge, or the end of the period.
        let _ = tokio::time::timeout(most, self.notify.notified()).await;
    }

    /// Whether a nudge came since the last activation. It consumes the nudge.
    pub fn take(&self) -> bool {
        use futures::FutureExt;
        self.notify.notified().now_or_never().is_some()
    }
}

impl ChildSpec<NoMessages> {
    /// Work that is created new at each start and restarted by its policy. `Ok` is a clean end; an error or a panic is
    /// a failure. To stop it, the supervisor drops it at an await. Work that must finish something first uses
    /// [`worker_that_winds_down`](Self::worker_that_winds_down).
    pub fn worker<F>(
        name: impl Into<String>,
        kind: ActorKind,
        work: impl Fn(JobContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        Self::worker_that_winds_down(name, kind, move |cx| {
            // Boxed before it moves: each `async` block that takes a future reserves space for it twice.
            let (cancel, work) = (cx.cancellation().clone(), Box::pin(work(cx)));
            async move {
                cancel
                    .run_until_cancelled_owned(work)
                    .await
                    .unwrap_or(Ok(()))
            }
        })
    }

    /// Like [`worker`](Self::worker), for work that watches [`JobContext::cancelled`] itself and then ends within its
    /// grace: listeners that drain, readers that close their connections.
    pub fn worker_that_winds_down<F>(
        name: impl Into<String>,
        kind: ActorKind,
        work: impl Fn(JobContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let work = Arc::new(work);
        let starter: Starter = Arc::new(move |birth| {
            let (work, parent) = (Arc::clone(&work), birth.parent_cell());
            let run: Work = Box::new(move |cx| Box::pin(work(cx)));
            Box::pin(spawn(parent, JobActor, (birth, run, None)))
        });
        Self::with(silent(name, kind), starter)
    }

    /// Runs `activate` without input, one activation at a time: at the start, then `period` after the last one ended,
    /// and at each nudge. Activations must be idempotent. An error ends this incarnation, so back-off and intensity
    /// apply.
    pub fn periodic<F>(
        name: impl Into<String>,
        kind: ActorKind,
        period: Duration,
        nudge: &Nudge,
        activate: impl Fn(JobContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let (activate, nudge) = (Arc::new(activate), nudge.clone());
        Self::worker(name, kind, move |cx| {
            let (activate, nudge) = (Arc::clone(&activate), nudge.clone());
            async move {
                loop {
                    activate(cx.clone()).await?;
                    nudge.wait(period).await;
                }
            }
        })
    }

    /// Work that runs once and is never repeated, even if it fails.
    pub fn once<F>(
        name: impl Into<String>,
        kind: ActorKind,
        work: impl FnOnce(JobContext) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let run: Work = Box::new(move |cx| {
            let (cancel, work) = (cx.cancellation().clone(), Box::pin(work(cx)));
            Box::pin(async move {
                cancel
                    .run_until_cancelled_owned(work)
                    .await
                    .unwrap_or(Ok(()))
            })
        });
        let run = Mutex::new(Some(run));
        let starter: Starter = Arc::new(move |birth| {
            let run = run.lock().unwrap_or_else(PoisonError::into_inner).take();
            let parent = birth.parent_cell();
            Box::pin(async move {
                match run {
                    Some(run) => spawn(parent, JobActor, (birth, run, None)).await,
                    None => Err(ractor::SpawnErr::ActorAlreadyStarted),
                }
            })
        });
        Self::with(silent(name, kind), starter)
            .restart(Restart::Temporary)
            .unrepeatable()
    }
}

fn silent(name: impl Into<String>, kind: ActorKind) -> ChildMeta {
    let mut meta = ChildMeta::new(name, kind);
    meta.counts_messages = false;
    meta
}
