//! In the place of the agents: steps that do nothing, or that stay at work until they are let go.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use roost_gateway::domains::runs::entity::run;
use roost_gateway::domains::runs::{Effect, End, Job, Perform};
use roost_gateway::domains::topology::Purpose;
use roost_gateway::ids::RunId;
use tokio::sync::{oneshot, watch};

/// The crew; cheap to clone.
#[derive(Clone)]
pub struct Crew {
    inner: Arc<Inner>,
}

struct Inner {
    /// Whether steps that work (not those that plan or merge) stay at it.
    hold: watch::Sender<bool>,
    at_work: AtomicUsize,
    /// Who wants to know when the first step of a run is at work.
    awaited: Mutex<HashMap<RunId, oneshot::Sender<Instant>>>,
}

/// One at work; counted until it is done or dropped.
struct AtWork<'a>(&'a AtomicUsize);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Crew {
    /// One whose steps do nothing.
    pub fn new() -> Self {
        Self {
            inner: Arc::new(Inner {
                hold: watch::Sender::new(false),
                at_work: AtomicUsize::new(0),
                awaited: Mutex::default(),
            }),
        }
    }

    /// From now on steps stay at work, or not any more, and then those that do are done.
    pub fn hold(&self, hold: bool) {
        self.inner.hold.send_replace(hold);
    }

    /// Steps at work now.
    pub fn at_work(&self) -> usize {
        self.inner.at_work.load(Ordering::SeqCst)
    }

    /// When the first step of this run is at work.
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
impl Perform for Crew {
    async fn perform(&self, job: Job) -> End {
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
            // Whoever asked may have given up.
            let _ = tell.send(now);
        }
        if job.step.purpose == Purpose::Work {
            // The sender lives as long as the crew.
            let _ = self.inner.hold.subscribe().wait_for(|hold| !hold).await;
        }
        End::Done("done".to_owned())
    }

    async fn abandon(&self, _: &run::Model, _: Vec<Effect>) {}
}
