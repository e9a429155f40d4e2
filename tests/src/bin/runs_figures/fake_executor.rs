//! A fake executor in place of the agents: its steps do nothing, or stay at work until they are released.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use roost_execution::runs::entity::run;
use roost_execution::runs::{Effect, StepExecutor, StepJob, StepResult};
use roost_execution::topology::Purpose;
use roost_platform::ids::RunId;
use tokio::sync::{oneshot, watch};

/// The fake executor; cheap to clone.
#[derive(Clone)]
pub struct FakeExecutor {
    inner: Arc<Inner>,
}

struct Inner {
    /// Whether working steps (not those that plan or merge) stay at work.
    hold: watch::Sender<bool>,
    at_work: AtomicUsize,
    /// Receivers for the start of the first step of a run.
    awaited: Mutex<HashMap<RunId, oneshot::Sender<Instant>>>,
}

/// One step at work; counted until it is done or dropped.
struct AtWork<'a>(&'a AtomicUsize);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl FakeExecutor {
    /// An executor whose steps do nothing.
    pub fn new() -> Self {
        Self {
            inner: Arc::new(Inner {
                hold: watch::Sender::new(false),
                at_work: AtomicUsize::new(0),
                awaited: Mutex::default(),
            }),
        }
    }

    /// Holds steps at work, or releases them.
    pub fn hold(&self, hold: bool) {
        self.inner.hold.send_replace(hold);
    }

    /// Number of steps at work.
    pub fn at_work(&self) -> usize {
        self.inner.at_work.load(Ordering::SeqCst)
    }

    /// Sends when the first step of this run starts.
    pub fn first_step(&self, run: RunId) -> oneshot::Receiver<Instant> {
        let (tell, told) = oneshot::channel();
        let mut awaited = self
            .inner
            .awaited
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        awaited.insert(run, tell);
        told
    }
}

#[async_trait]
impl StepExecutor for FakeExecutor {
    async fn execute(&self, job: StepJob) -> StepResult {
        let now = Instant::now();
        self.inner.at_work.fetch_add(1, Ordering::SeqCst);
        let _at_work = AtWork(&self.inner.at_work);
        let awaited = {
            let mut awaited = self
                .inner
                .awaited
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            awaited.remove(&job.run.id)
        };
        if let Some(tell) = awaited {
            // The receiver may be gone.
            let _ = tell.send(now);
        }
        if job.step.purpose == Purpose::Work {
            // The sender lives as long as the executor.
            let _ = self.inner.hold.subscribe().wait_for(|hold| !hold).await;
        }
        StepResult::Done("done".to_owned())
    }

    async fn abandon(&self, _: &run::Model, _: Vec<Effect>) {}
}
