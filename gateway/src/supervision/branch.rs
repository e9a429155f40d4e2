//! A branch: the entries below one supervisor (or the jobs below one actor), in the order of their start, with a
//! bounded number of tombstones of temporary children that failed.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::restart::Strategy;
use super::roster::{ActorState, Entry};

/// The children of one parent.
#[derive(Debug)]
pub(super) struct Branch {
    strategy: Option<Strategy>,
    children: Mutex<Children>,
    next_order: AtomicU64,
    tombstones: usize,
}

#[derive(Debug, Default)]
struct Children {
    by_name: HashMap<String, Arc<Entry>>,
    /// Names of dynamic children that failed for good, oldest first.
    buried: VecDeque<String>,
    /// Names and signs of life of forgotten children that may still be on their way out.
    leaving: Vec<(String, CancellationToken)>,
}

impl Branch {
    /// A branch of jobs, which keeps at most `tombstones` failed ones.
    pub(super) fn new(tombstones: usize) -> Arc<Self> {
        Self::with(None, tombstones)
    }

    /// A supervisor's branch.
    pub(super) fn supervised(strategy: Strategy, tombstones: usize) -> Arc<Self> {
        Self::with(Some(strategy), tombstones)
    }

    fn with(strategy: Option<Strategy>, tombstones: usize) -> Arc<Self> {
        Arc::new(Self {
            strategy,
            children: Mutex::default(),
            next_order: AtomicU64::new(0),
            tombstones,
        })
    }

    pub(super) fn strategy(&self) -> Option<Strategy> {
        self.strategy
    }

    /// A place at the end of the order of starts.
    pub(super) fn next_order(&self) -> u64 {
        self.next_order.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<Entry>> {
        self.children().by_name.get(name).cloned()
    }

    pub(super) fn len(&self) -> usize {
        self.children().by_name.len()
    }

    /// All entries in the order of their start.
    pub(super) fn entries(&self) -> Vec<Arc<Entry>> {
        let mut entries: Vec<_> = self.children().by_name.values().cloned().collect();
        entries.sort_by_key(|entry| entry.order.load(Ordering::Relaxed));
        entries
    }

    /// Puts an entry in, in place of a tombstone of its name.
    pub(super) fn insert(&self, entry: Arc<Entry>) {
        let name = entry.meta.name.clone();
        let mut children = self.children();
        children.buried.retain(|buried| *buried != name);
        let former = children.by_name.insert(name, Arc::clone(&entry));
        drop(children);
        if let Some(former) = former.filter(|former| !Arc::ptr_eq(former, &entry)) {
            self.see_off(&former.meta.name, former.signs_of_life());
        }
    }

    /// Remembers who has left the roster and may still be alive: nobody of that name is started before.
    pub(super) fn see_off(&self, name: &str, signs: Vec<CancellationToken>) {
        let mut children = self.children();
        children.leaving.retain(|(_, gone)| !gone.is_cancelled());
        children
            .leaving
            .extend(signs.into_iter().map(|gone| (name.to_owned(), gone)));
    }

    /// Takes exactly this entry out: a newer one of the same name stays.
    pub(super) fn remove(&self, entry: &Arc<Entry>) {
        let mut children = self.children();
        if children
            .by_name
            .get(&entry.meta.name)
            .is_some_and(|present| Arc::ptr_eq(present, entry))
        {
            children.by_name.remove(&entry.meta.name);
            children.buried.retain(|buried| *buried != entry.meta.name);
            drop(children);
            self.see_off(&entry.meta.name, entry.signs_of_life());
        }
    }

    /// Keeps a failed dynamic entry as a tombstone; says the names of older ones that had to go for it.
    pub(super) fn bury(&self, entry: &Arc<Entry>) -> Vec<String> {
        let mut children = self.children();
        let name = &entry.meta.name;
        if !children
            .by_name
            .get(name)
            .is_some_and(|present| Arc::ptr_eq(present, entry))
        {
            return Vec::new();
        }
        children.buried.retain(|buried| buried != name);
        children.buried.push_back(name.clone());
        let mut forgotten = Vec::new();
        while children.buried.len() > self.tombstones {
            let Some(oldest) = children.buried.pop_front() else {
                break;
            };
            if let Some(evicted) = children.by_name.remove(&oldest) {
                forgotten.push(evicted);
            }
        }
        drop(children);
        for evicted in &forgotten {
            self.see_off(&evicted.meta.name, evicted.signs_of_life());
        }
        forgotten
            .iter()
            .map(|evicted| evicted.meta.name.clone())
            .collect()
    }

    /// A tombstone comes back to life.
    pub(super) fn unbury(&self, name: &str) {
        self.children().buried.retain(|buried| buried != name);
    }

    /// After the owner of this branch ended without order: dynamic children are forgotten, static ones stand in
    /// `state` (waiting for the owner to come back, or ended with it).
    pub(super) fn orphan(&self, state: ActorState) {
        for entry in self.entries() {
            if let Some(below) = entry.branch_if_any() {
                below.orphan(state);
            }
            if entry.is_dynamic() {
                entry.set_state(ActorState::Stopped);
                self.remove(&entry);
            } else {
                entry.set_state(state);
            }
        }
    }

    /// Signs of life of forgotten children, of one name or of all.
    pub(super) fn leaving(&self, name: Option<&str>) -> Vec<CancellationToken> {
        let mut children = self.children();
        children.leaving.retain(|(_, gone)| !gone.is_cancelled());
        let of_name = children
            .leaving
            .iter()
            .filter(|(left, _)| name.is_none_or(|name| left == name));
        of_name.map(|(_, gone)| gone.clone()).collect()
    }

    fn children(&self) -> MutexGuard<'_, Children> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
