//! Jobs: plain async work under supervision, so that other code does not need `tokio::spawn`. One actor type runs all
//! three forms:
//! - [`Context::job`]: slow work of one actor. The job is below it in the roster, ends with it, and sends its result
//!   back.
//! - [`SupervisorHandle::spawn_job`](super::SupervisorHandle::spawn_job): work that belongs to no actor.
//! - `ChildSpec::worker` and `ChildSpec::periodic`: loops that are restarted when they fail.
//!
//! Position: below a supervisor or an actor. Children: none. Restart: temporary, or by the worker's specification.

use std::any::TypeId;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use ractor::{Actor, ActorProcessingErr, ActorRef, ActorRuntime};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::birth::{Birth, LiveGuard};
use super::context::{Context, send_to};
use super::failure::{Failure, bounded, panic_text};
use super::killpoints::KillPointId;
use super::kinds::ActorKind;
use super::restart::Restart;
use super::roster::{ActorState, Entry};
use super::serve::span;
use super::spec::{BoxFuture, ChildMeta};
use super::tree::TreeContext;

/// How a job of an actor ended without a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobFailure {
    /// It panicked.
    #[error("the job panicked: {0}")]
    Panicked(String),
    /// It was cancelled, by its handle or because its owner stopped.
    #[error("the job was cancelled")]
    Cancelled,
}

/// The things that a job can use from inside.
#[derive(Clone)]
pub struct JobContext {
    pub(super) tree: TreeContext,
    pub(super) entry: Arc<Entry>,
    pub(super) cancel: CancellationToken,
}

impl JobContext {
    /// The job's stable id.
    pub fn path(&self) -> &str {
        self.entry.path()
    }

    /// The context that all actors of the tree share: clock, kill points.
    pub fn tree(&self) -> &TreeContext {
        &self.tree
    }

    /// Resolves when the job is asked to end.
    pub async fn cancelled(&self) {
        self.cancel.cancelled().await;
    }

    /// The token behind [`cancelled`](Self::cancelled).
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Passes a kill point. Use `kill_point!`.
    pub async fn reach(&self, point: KillPointId) {
        self.tree.kill_points().reach_at(point, self.path()).await;
    }
}

/// The handle of an actor's job. Dropping it changes nothing.
#[derive(Debug, Clone)]
pub struct JobHandle {
    cancel: CancellationToken,
    entry: Arc<Entry>,
}

impl JobHandle {
    /// Drops the job at its next await. Its owner receives [`JobFailure::Cancelled`].
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// The job's stable id.
    pub fn path(&self) -> &str {
        self.entry.path()
    }
}

/// The work of a job, made from its context.
pub(super) type Work = Box<dyn FnOnce(JobContext) -> BoxFuture<Result<(), Failure>> + Send>;

/// The ractor actor around a job. Its only message starts the work.
pub(super) struct JobActor;

pub(super) struct RunningJob {
    work: Option<Work>,
    cx: JobContext,
    birth: Birth,
    guard: Option<LiveGuard>,
}

impl Actor for JobActor {
    type Msg = ();
    type State = RunningJob;
    type Arguments = (Birth, Work, Option<LiveGuard>);

    async fn pre_start(
        &self,
        myself: ActorRef<()>,
        (mut birth, work, guard): Self::Arguments,
    ) -> Result<RunningJob, ActorProcessingErr> {
        let guard = guard.unwrap_or_else(|| birth.publish(&myself.get_cell()));
        let cx = JobContext {
            tree: birth.tree.clone(),
            entry: Arc::clone(&birth.entry),
            cancel: birth.cancel.clone(),
        };
        myself
            .cast(())
            .map_err(|_| "the job was stopped before it began")?;
        Ok(RunningJob {
            work: Some(work),
            cx,
            birth,
            guard: Some(guard),
        })
    }

    async fn handle(
        &self,
        myself: ActorRef<()>,
        (): (),
        job: &mut RunningJob,
    ) -> Result<(), ActorProcessingErr> {
        if let Some(work) = job.work.take() {
            work(job.cx.clone()).instrument(span(&job.cx.entry)).await?;
        }
        myself.stop(None);
        Ok(())
    }

    async fn post_stop(
        &self,
        _: ActorRef<()>,
        job: &mut RunningJob,
    ) -> Result<(), ActorProcessingErr> {
        job.work = None;
        job.birth.mark_clean();
        job.guard = None;
        Ok(())
    }
}

impl<M: Send + 'static> Context<M> {
    /// Runs slow work beside this actor. `done` turns the outcome into a message to this incarnation. The job is below
    /// the actor in the roster. It is dropped at an await when the actor stops, and it ends with the actor. `name` need
    /// not be unique; a number is added if it is in use.
    pub fn job<T, F>(
        &self,
        name: &str,
        work: F,
        done: impl FnOnce(Result<T, JobFailure>) -> M + Send + 'static,
    ) -> JobHandle
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (cell, gauge, owner) = (
            self.cell.clone(),
            Arc::clone(&self.gauge),
            self.path().to_owned(),
        );
        self.begin_job(name, work, move |outcome| {
            // The owner may accept no more messages; then it does not need the result.
            let _ = send_to(&cell, &gauge, &owner, done(outcome));
        })
    }

    fn begin_job<T, F>(
        &self,
        name: &str,
        work: F,
        done: impl FnOnce(Result<T, JobFailure>) + Send + 'static,
    ) -> JobHandle
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let branch = self.entry.branch();
        let order = branch.next_order();
        let name = if branch.get(name).is_some() {
            format!("{name}#{order}")
        } else {
            name.to_owned()
        };
        let mut meta = ChildMeta::new(name, ActorKind::Job);
        meta.restart = Restart::Temporary;
        meta.tenant = self.entry.meta.tenant.clone();
        meta.counts_messages = false;
        let entry = Entry::new(meta, TypeId::of::<()>());
        entry.attach(format!("{}/{}", self.path(), entry.meta.name), order, true);
        let mut birth = Birth::new(&self.tree, &entry, self.parent(), Some(&self.cell));
        let cancel = self.cancel.child_token();
        let handle = JobHandle {
            cancel: cancel.clone(),
            entry: Arc::clone(&entry),
        };
        let failing = Arc::clone(&entry);
        let run: Work =
            Box::new(move |cx| Box::pin(run_for_owner(cx, cancel, work, done, failing)));
        let guard = birth.publish(&self.cell).leaves(branch);
        branch.insert(Arc::clone(&entry));
        entry.set_state(ActorState::Running);
        let started = ActorRuntime::spawn_linked_instant(
            None,
            JobActor,
            (birth, run, Some(guard)),
            self.cell.clone(),
        );
        debug_assert!(
            started.is_ok(),
            "only a name that is taken can fail here, and the job has none"
        );
        handle
    }
}

async fn run_for_owner<T, F>(
    cx: JobContext,
    cancel: CancellationToken,
    work: F,
    done: impl FnOnce(Result<T, JobFailure>),
    entry: Arc<Entry>,
) -> Result<(), Failure>
where
    F: Future<Output = T> + Send + 'static,
{
    let outcome = tokio::select! {
        biased;
        outcome = AssertUnwindSafe(work).catch_unwind() => outcome.map_err(|payload| JobFailure::Panicked(bounded(panic_text(payload)))),
        () = cancel.cancelled() => Err(JobFailure::Cancelled),
    };
    if let Err(JobFailure::Panicked(text)) = &outcome {
        tracing::error!(failure = text, "a job panicked");
        entry.note_failure(cx.tree.clock().now(), text);
        entry.life().state = ActorState::Failed;
    }
    done(outcome);
    Ok(())
}
