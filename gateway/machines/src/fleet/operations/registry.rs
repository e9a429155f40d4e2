//! The operations that this gateway holds in memory, and the lines to the engines that run them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use chrono::{DateTime, Utc};
use roost_protocol::report::Ended;

use super::line::Line;
use super::live::Live;
use super::model::Target;
use crate::fleet::handle::WeakFleet;
use roost_platform::events::About;
use roost_platform::ids::OperationId;

/// From this number on, those whose operation is not in memory are dropped.
const MOST_ABOUTS: usize = 4_096;

/// Shared by the dispatchers (writers) and the handle (readers).
pub(super) struct Registry {
    live: Mutex<HashMap<OperationId, Arc<Live>>>,
    lines: Mutex<HashMap<Target, Line>>,
    /// What operations are work for, from before they begin to their end.
    abouts: Mutex<HashMap<OperationId, About>>,
    /// Starts the actor of a node that another gateway paired.
    fleet: WeakFleet,
}

impl Registry {
    pub(super) fn new(fleet: WeakFleet) -> Self {
        Self {
            live: Mutex::default(),
            lines: Mutex::default(),
            abouts: Mutex::default(),
            fleet,
        }
    }

    fn live(&self) -> MutexGuard<'_, HashMap<OperationId, Arc<Live>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<Target, Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn abouts(&self) -> MutexGuard<'_, HashMap<OperationId, About>> {
        self.abouts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what an operation is work for.
    pub(super) fn note_about(&self, id: OperationId, about: About) {
        let mut abouts = self.abouts();
        if abouts.len() >= MOST_ABOUTS {
            // Operations that were refused have no end.
            let live = self.live();
            abouts.retain(|id, _| live.contains_key(id));
        }
        abouts.insert(id, about);
    }

    /// What an operation is work for. Its end is the last to ask.
    pub(super) fn about(&self, id: OperationId, is_over: bool) -> About {
        let mut abouts = self.abouts();
        let about = match is_over {
            true => abouts.remove(&id),
            false => abouts.get(&id).copied(),
        };
        about.unwrap_or_default()
    }

    pub(super) fn get(&self, id: OperationId) -> Option<Arc<Live>> {
        self.live().get(&id).cloned()
    }

    /// The ends that readers have and the rows have not.
    pub(super) fn told(&self) -> HashMap<OperationId, (Arc<Ended>, DateTime<Utc>)> {
        self.live()
            .values()
            .filter_map(|live| Some((live.id, live.told()?)))
            .collect()
    }

    /// Inserts it unless the id is there; returns the entry.
    pub(super) fn put(&self, live: Arc<Live>) -> Arc<Live> {
        Arc::clone(self.live().entry(live.id).or_insert(live))
    }

    pub(super) fn remove(&self, id: OperationId) {
        self.live().remove(&id);
    }

    /// All operations of one engine.
    pub(super) fn of(&self, target: Target) -> Vec<Arc<Live>> {
        self.live()
            .values()
            .filter(|live| live.target == target)
            .cloned()
            .collect()
    }

    /// Whether no operation of this engine is in memory.
    pub(super) fn is_idle(&self, target: Target) -> bool {
        !self.live().values().any(|live| live.target == target)
    }

    /// Drops operations that ended and have no reader any more.
    pub(super) fn forget_idle(&self, target: Target, now: Instant) {
        self.live()
            .retain(|_, live| live.target != target || !live.is_idle(now));
    }

    pub(super) fn line(&self, target: Target) -> Option<Line> {
        self.lines().get(&target).cloned()
    }

    /// The line. A node's actor is started if it is not here yet; `None` when no such node is paired.
    pub(super) async fn find_line(&self, target: Target) -> Option<Line> {
        match (self.line(target), target) {
            (None, Target::Node(node)) => self.fleet.line_of(node).await,
            (line, _) => line,
        }
    }

    pub(super) fn connect(&self, target: Target, line: Line) {
        self.lines().insert(target, line);
    }

    pub(super) fn disconnect(&self, target: Target) {
        self.lines().remove(&target);
        self.live().retain(|_, live| live.target != target);
    }
}
