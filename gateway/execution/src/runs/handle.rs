//! The part of runs that other domains and the routes use.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::broadcast;

use super::actor::Msg;
use super::ends::AfterRun;
use super::step_executor::StepExecutor;
use super::subjects::Subjects;
use super::wakes::RunWakes;
use super::writes::{Committer, Lane, RunWrites};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::{RunId, SharedIds};
use roost_platform::supervision::SupervisorHandle;
use roost_tenancy::change::ChangeContext;

/// The number of ended runs that a slow receiver may lag behind. After that it reads the rows.
const ENDED_KEPT: usize = 1_024;

/// The domain's handle; cheap to clone.
#[derive(Clone)]
pub struct RunsHandle {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub step_executor: Arc<dyn StepExecutor>,
    /// Writes what the runs' owners write, in group commits.
    pub committer: Committer,
    /// The worker of the committer.
    pub lane: Lane,
    /// The teams that runs work for.
    pub subjects: Arc<dyn Subjects>,
    /// Acts on the end of runs.
    pub after: Arc<dyn AfterRun>,
    /// `roost/runs/live`: the supervisor of the run actors.
    pub live: SupervisorHandle,
    /// Wakes the claimer and the waker.
    pub wakes: RunWakes,
    /// Announces runs that ended in this process.
    pub ended: broadcast::Sender<RunId>,
    /// The name of this process in the rows, also as the holder of machines.
    pub owner: String,
    /// Runs that have ended or left this gateway, and whose actors are about to stop.
    pub leaving: Mutex<BTreeSet<RunId>>,
    /// This gateway claims no run while it works on this many.
    pub at_once: usize,
    /// A run without a sign of life for this long goes back into the queue.
    pub lease: Duration,
    /// How long a step waits for an absent machine.
    pub machine_wait: Duration,
    /// The default ceiling of one run, in millionths of a US dollar.
    pub ceiling: Option<i64>,
}

/// The parts from which the handle is made.
pub struct Parts {
    /// The name of this process in the rows, also as the holder of machines.
    pub owner: String,
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub step_executor: Arc<dyn StepExecutor>,
    /// The teams that runs work for.
    pub subjects: Arc<dyn Subjects>,
    /// Acts on the end of runs.
    pub after: Arc<dyn AfterRun>,
    pub live: SupervisorHandle,
    pub at_once: usize,
    pub lease: Duration,
    pub machine_wait: Duration,
    pub ceiling: Option<i64>,
    pub wakes: RunWakes,
}

impl RunsHandle {
    /// Creates the handle.
    pub fn new(parts: Parts) -> Self {
        let writes = RunWrites {
            clock: parts.clock.clone(),
            after: parts.after.clone(),
            wakes: parts.wakes.clone(),
        };
        let (committer, lane) = Committer::new(parts.db.clone(), writes);
        Self {
            inner: Arc::new(Inner {
                committer,
                lane,
                owner: parts.owner,
                db: parts.db,
                clock: parts.clock,
                ids: parts.ids,
                step_executor: parts.step_executor,
                subjects: parts.subjects,
                after: parts.after,
                live: parts.live,
                wakes: parts.wakes,
                ended: broadcast::channel(ENDED_KEPT).0,
                leaving: Mutex::default(),
                at_once: parts.at_once,
                lease: parts.lease,
                machine_wait: parts.machine_wait,
                ceiling: parts.ceiling,
            }),
        }
    }

    /// Wakes parked steps, for load programs.
    pub fn wakes(&self) -> &RunWakes {
        &self.inner.wakes
    }

    /// The worker of the committer, for the tree.
    pub fn lane(&self) -> Lane {
        self.inner.lane.clone()
    }

    /// Wakes the claimer: a run is in the queue.
    pub fn nudge(&self) {
        self.inner.wakes.queue.nudge();
    }

    /// The runs that end in this process from now on. A caller whose run may end on another gateway must also read
    /// its row.
    pub fn endings(&self) -> broadcast::Receiver<RunId> {
        self.inner.ended.subscribe()
    }

    /// Sends a cancel message to those of these runs that live here.
    pub fn notify_cancelled(&self, runs: impl IntoIterator<Item = RunId>) {
        for run in runs {
            self.send(run, Msg::CancelAsked);
        }
    }

    /// Tells the run, if it lives here, that people asked to stop steps.
    pub(super) fn notify_stops(&self, run: RunId) {
        self.send(run, Msg::StopAsked);
    }

    pub(super) fn send(&self, run: RunId, message: Msg) {
        if let Some(actor) = self.inner.live.find::<Msg>(&name_of(run)) {
            // An actor that cannot receive the message is stopping, and reads its row when it restarts.
            let _ = actor.cast(message);
        }
    }

    /// The runs that live here.
    pub(super) fn live_runs(&self) -> Vec<RunId> {
        let living = self.inner.live.living();
        living.iter().filter_map(|name| run_of(name)).collect()
    }

    /// How many runs have a place here: those that live here and do not leave.
    pub(super) fn places_taken(&self) -> usize {
        let living: BTreeSet<RunId> = self.live_runs().into_iter().collect();
        let mut leaving = self.leaving();
        leaving.retain(|run| living.contains(run));
        living.len() - leaving.len()
    }

    /// The run begins to work here.
    pub(super) fn takes_place(&self, run: RunId) {
        self.leaving().remove(&run);
    }

    /// The run has ended or works no more here, so its place is free.
    pub(super) fn leaves_place(&self, run: RunId) {
        self.leaving().insert(run);
        self.nudge();
    }

    fn leaving(&self) -> MutexGuard<'_, BTreeSet<RunId>> {
        self.inner
            .leaving
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Announces the end of a run in this process, and wakes the claimer because there is room for another run.
    pub(super) fn announce_end(&self, run: RunId) {
        // It is not an error when there is no receiver.
        let _ = self.inner.ended.send(run);
        self.leaves_place(run);
    }
}

impl ChangeContext for RunsHandle {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.inner.db, &self.inner.clock, &self.inner.ids)
    }
}

/// The name of a run's actor.
pub(super) fn name_of(run: RunId) -> String {
    format!("run:{run}")
}

/// The run of an actor's name.
fn run_of(name: &str) -> Option<RunId> {
    name.strip_prefix("run:")?.parse().ok()
}
