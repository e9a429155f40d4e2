//! What other domains and the routes see of runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast;

use super::actor::Msg;
use super::perform::Perform;
use crate::clock::SharedClock;
use crate::db::Db;
use crate::events::EventLog;
use crate::ids::{RunId, SharedIds};
use crate::supervision::{Nudge, SupervisorHandle};

/// Ended runs that a slow waiter may be behind; then it reads the rows.
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
    pub events: EventLog,
    pub perform: Arc<dyn Perform>,
    /// `roost/runs`: one actor a live run lives here.
    pub live: SupervisorHandle,
    /// Wakes whoever carries sagas.
    pub sagas: Nudge,
    /// Wakes whoever claims.
    pub queue: Nudge,
    /// Runs that ended in this process.
    pub ended: broadcast::Sender<RunId>,
    /// This process in the rows.
    pub owner: String,
    /// No run that a person starts is begun while this gateway works on so many; those that runs start have room for so many
    /// of their own at each depth.
    pub at_once: usize,
    /// Without a sign of life for this long a run is given to somebody else.
    pub lease: Duration,
    /// For so long a step waits for a machine that is away.
    pub machine_wait: Duration,
    /// Bound of what one run may cost when nothing else is said, millionths of a US dollar.
    pub ceiling: Option<i64>,
}

/// What the domain is made from.
pub struct Parts {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub events: EventLog,
    pub perform: Arc<dyn Perform>,
    pub live: SupervisorHandle,
    pub sagas: Nudge,
    pub at_once: usize,
    pub lease: Duration,
    pub machine_wait: Duration,
    pub ceiling: Option<i64>,
}

impl RunsHandle {
    /// Wires the domain.
    pub fn new(parts: Parts) -> Self {
        Self {
            inner: Arc::new(Inner {
                owner: parts.ids.next().to_string(),
                db: parts.db,
                clock: parts.clock,
                ids: parts.ids,
                events: parts.events,
                perform: parts.perform,
                live: parts.live,
                sagas: parts.sagas,
                queue: Nudge::default(),
                ended: broadcast::channel(ENDED_KEPT).0,
                at_once: parts.at_once,
                lease: parts.lease,
                machine_wait: parts.machine_wait,
                ceiling: parts.ceiling,
            }),
        }
    }

    /// Something waits in the queue.
    pub fn nudge(&self) {
        self.inner.queue.nudge();
    }

    /// The runs that end in this process, from now on. Whoever waits for one that may end elsewhere reads its row too.
    pub fn endings(&self) -> broadcast::Receiver<RunId> {
        self.inner.ended.subscribe()
    }

    /// Tells those of these runs that live here that they shall end.
    pub fn tell_cancelled(&self, runs: impl IntoIterator<Item = RunId>) {
        for run in runs {
            self.tell(run, Msg::CancelAsked);
        }
    }

    pub(super) fn tell(&self, run: RunId, message: Msg) {
        if let Some(actor) = self.inner.live.find::<Msg>(&name_of(run)) {
            // One that cannot take it is on its way out, and reads its row when it comes back.
            let _ = actor.cast(message);
        }
    }

    /// The runs that live here.
    pub(super) fn living(&self) -> Vec<RunId> {
        let living = self.inner.live.living();
        living.iter().filter_map(|name| run_of(name)).collect()
    }

    /// A run ended here: whoever waits for it looks, and there is room for another.
    pub(super) fn tell_ended(&self, run: RunId) {
        // Nobody waiting is no error.
        let _ = self.inner.ended.send(run);
        self.nudge();
    }
}

/// What a run's actor is called.
pub(super) fn name_of(run: RunId) -> String {
    format!("run:{run}")
}

/// The run that an actor of that name works on.
fn run_of(name: &str) -> Option<RunId> {
    name.strip_prefix("run:")?.parse().ok()
}
