//! The latest snapshot of the tree, shared by all clients that follow it: a hundred open pages read the tree once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use roost_platform::clock::SharedClock;
use roost_platform::supervision::{TreeSnapshot, TreeView};

/// A snapshot younger than this is reused.
const GOOD_FOR: Duration = Duration::from_millis(500);

/// The time of a snapshot, and the snapshot.
type Taken = (Instant, Arc<TreeSnapshot>);

/// The shared snapshot. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct SnapshotCache {
    last: Arc<Mutex<Option<Taken>>>,
}

impl SnapshotCache {
    /// The tree, at most half a second old.
    pub(super) fn snapshot(&self, view: &TreeView, clock: &SharedClock) -> Arc<TreeSnapshot> {
        let now = clock.monotonic();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, snapshot)) = last.as_ref()
            && now.saturating_duration_since(*at) < GOOD_FOR
        {
            return Arc::clone(snapshot);
        }
        let fresh = Arc::new(view.snapshot());
        *last = Some((now, Arc::clone(&fresh)));
        fresh
    }
}
