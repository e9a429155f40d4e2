//! The operations that this gateway holds in memory, and the lines to the engines that run them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use futures::future::BoxFuture;

use super::line::Line;
use super::live::Live;
use super::model::Target;
use crate::platform::ids::{NodeId, OperationId};

/// Shared by the desks (writers) and the handle (readers).
#[derive(Default)]
pub(super) struct Registry {
    live: Mutex<HashMap<OperationId, Arc<Live>>>,
    lines: Mutex<HashMap<Target, Line>>,
    finder: OnceLock<Finder>,
}

/// Starts the actor of a node that has none here yet, and returns its line; `None` when no such node is paired.
pub type Finder = Arc<dyn Fn(NodeId) -> BoxFuture<'static, Option<Line>> + Send + Sync>;

impl Registry {
    fn live(&self) -> MutexGuard<'_, HashMap<OperationId, Arc<Live>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<Target, Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, id: OperationId) -> Option<Arc<Live>> {
        self.live().get(&id).cloned()
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

    /// Drops operations that ended and have no reader any more.
    pub(super) fn forget_idle(&self, target: Target, now: Instant) {
        self.live()
            .retain(|_, live| live.target != target || !live.is_idle(now));
    }

    pub(super) fn line(&self, target: Target) -> Option<Line> {
        self.lines().get(&target).cloned()
    }

    /// The line; the finder is used if the line is not registered yet.
    pub(super) async fn find_line(&self, target: Target) -> Option<Line> {
        match (self.line(target), target, self.finder.get()) {
            (None, Target::Node(node), Some(finder)) => finder(node).await,
            (line, _, _) => line,
        }
    }

    pub(super) fn find_with(&self, finder: Finder) {
        // The first one stays: it is set once, where the gateway is wired.
        let _ = self.finder.set(finder);
    }

    pub(super) fn connect(&self, target: Target, line: Line) {
        self.lines().insert(target, line);
    }

    pub(super) fn disconnect(&self, target: Target) {
        self.lines().remove(&target);
        self.live().retain(|_, live| live.target != target);
    }
}
