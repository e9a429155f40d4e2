//! A branch: the entries below one supervisor (or the jobs below one actor), in the order of their start, with a
//! limited number of tombstones of failed temporary children.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::roster::{ActorState, Entry};

/// The children of one parent.
#[derive(Debug)]
pub(super) struct Branch {
    supervised: bool,
    children: Mutex<Children>,
    next_order: AtomicU64,
    tombstones: usize,
}

#[derive(Debug, Default)]
struct Children {
    by_name: HashMap<String, Arc<Entry>>,
    /// Names of dynamic children that failed permanently, oldest first.
    buried: VecDeque<String>,
    /// Names and end tokens of removed children that may still be ending.
    leaving: Vec<(String, CancellationToken)>,
}

impl Branch {
    /// A branch of jobs, which keeps at most `tombstones` failed ones.
    pub(super) fn new(tombstones: usize) -> Arc<Self> {
        Self::with(false, tombstones)
    }

    /// A supervisor's branch.
    pub(super) fn supervised(tombstones: usize) -> Arc<Self> {
        Self::with(true, tombstones)
    }

    fn with(supervised: bool, tombstones: usize) -> Arc<Self> {
        Arc::new(Self {
            supervised,
            children: Mutex::default(),
            next_order: AtomicU64::new(0),
            tombstones,
        })
    }

    /// Whether a supervisor owns the branch.
    pub(super) fn is_supervised(&self) -> bool {
        self.supervised
    }

    /// The next number in the order of starts.
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

    /// Inserts an entry. It replaces a tombstone of the same name.
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

    /// Remembers a removed child that may still be alive. No child of its name starts before it has ended.
    pub(super) fn see_off(&self, name: &str, signs: Vec<CancellationToken>) {
        let mut children = self.children();
        children.leaving.retain(|(_, gone)| !gone.is_cancelled());
        children
            .leaving
            .extend(signs.into_iter().map(|gone| (name.to_owned(), gone)));
    }

    /// Removes exactly this entry. A newer one of the same name stays.
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

    /// Keeps a failed dynamic entry as a tombstone. Returns the names of the older ones that it displaced.
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

    /// Removes the tombstone of a child that starts again.
    pub(super) fn unbury(&self, name: &str) {
        self.children().buried.retain(|buried| buried != name);
    }

    /// Called after the branch's owner ended without a clean stop. Dynamic children are removed. Static ones get
    /// `state`: they wait for the owner, or ended with it.
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

    /// The end tokens of removed children, of one name or of all.
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
