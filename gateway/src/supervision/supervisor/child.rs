//! The supervisor's books: one [`Child`] for each entry of its branch, with the phase it is in. `Ward` is the
//! supervisor's state; its methods are spread over the files of this folder by what they do.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ractor::{ActorCell, ActorId};
use tokio::task::JoinHandle;

use super::Plan;
use crate::supervision::address::Reply;
use crate::supervision::birth::Birth;
use crate::supervision::branch::Branch;
use crate::supervision::failure::StartError;
use crate::supervision::gauge::Gauge;
use crate::supervision::handle::SupervisorHandle;
use crate::supervision::killpoints::KillPointId;
use crate::supervision::restart::{Ending, History, Restart};
use crate::supervision::roster::{ActorState, Entry};
use crate::supervision::spec::AnyChild;
use crate::supervision::tree::TreeContext;

/// A task that ends with whatever holds it.
pub(super) struct OwnTask(JoinHandle<()>);

impl OwnTask {
    pub(super) fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(tokio::spawn(work))
    }
}

impl Drop for OwnTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Who waits for a start.
pub(super) type StartReply = Reply<Result<(), StartError>>;

/// What a child is in the middle of.
pub(super) enum Phase {
    /// Not started yet, or waiting for the start of an older sibling.
    Waiting,
    /// Its start runs in a task; `first` starts are not repeated when they fail.
    Starting {
        first: bool,
        reply: Option<StartReply>,
        _task: OwnTask,
    },
    /// Up.
    Running {
        actor: ActorId,
        clean: Arc<AtomicBool>,
    },
    /// Waits for its restart.
    BackingOff { _timer: OwnTask },
    /// Its stop runs in a task.
    Stopping { then: AfterStop, _task: OwnTask },
    /// Ended; a tombstone.
    Ended,
}

/// What follows a stop.
pub(super) enum AfterStop {
    /// Nothing; these wait for it.
    Rest(Vec<Reply<()>>),
    /// A start; this one waits for it.
    Start(StartReply),
}

/// One child.
pub(super) struct Child {
    pub(super) spec: AnyChild,
    pub(super) phase: Phase,
    /// Its own record: failures in a row, and for dynamic children the allowance.
    pub(super) history: History,
    /// Makes late reports of earlier tasks recognisable.
    pub(super) attempt: u64,
    /// `false` once somebody asked to stop it: then no sibling's restart brings it back.
    pub(super) wanted: bool,
}

impl Child {
    /// Whether the restart of an older sibling brings it back: not once somebody stopped it, nor after the only
    /// run of a temporary one.
    pub(super) fn comes_back(&self) -> bool {
        let over =
            matches!(self.phase, Phase::Ended) && self.spec.meta().restart == Restart::Temporary;
        self.wanted && !over
    }
}

/// How a child ended, and in which words.
pub(super) struct Exit {
    pub(super) ending: Ending,
    pub(super) text: Option<String>,
    pub(super) up_for: Duration,
}

/// The supervisor's state.
pub(super) struct Ward {
    pub(super) tree: TreeContext,
    pub(super) entry: Arc<Entry>,
    pub(super) cell: ActorCell,
    pub(super) gauge: Arc<Gauge>,
    pub(super) handle: SupervisorHandle,
    pub(super) plan: Plan,
    pub(super) children: HashMap<String, Child>,
    /// Which child an actor is, from the report of its start until the event of its end.
    pub(super) actors: HashMap<ActorId, String>,
    /// Ends of actors whose start was not reported to us yet (the report is under way).
    pub(super) early_exits: HashMap<ActorId, Option<String>>,
    /// The allowance that the static children share.
    pub(super) shared: History,
    pub(super) attempts: u64,
}

impl Ward {
    pub(super) fn new(
        birth: &Birth,
        cell: ActorCell,
        plan: Plan,
        handle: SupervisorHandle,
        gauge: &Arc<Gauge>,
    ) -> Self {
        Self {
            tree: birth.tree.clone(),
            entry: Arc::clone(&birth.entry),
            cell,
            gauge: Arc::clone(gauge),
            handle,
            shared: History::new(plan.intensity),
            plan,
            children: HashMap::new(),
            actors: HashMap::new(),
            early_exits: HashMap::new(),
            attempts: 0,
        }
    }

    pub(super) fn branch(&self) -> &Arc<Branch> {
        self.handle.branch()
    }

    pub(super) fn is_root(&self) -> bool {
        !self.entry.path().contains('/')
    }

    pub(super) fn path_of(&self, name: &str) -> String {
        format!("{}/{name}", self.entry.path())
    }

    /// Passes a kill point. Use `kill_point!`.
    pub(super) async fn reach(&self, point: KillPointId) {
        self.tree
            .kill_points()
            .reach_at(point, self.entry.path())
            .await;
    }

    /// One message was handled.
    pub(super) fn done(&self) {
        self.gauge.done();
    }

    /// Takes a child into the books and the roster.
    pub(super) fn adopt(&mut self, spec: AnyChild, dynamic: bool) {
        let branch = self.branch();
        spec.entry
            .attach(self.path_of(spec.name()), branch.next_order(), dynamic);
        spec.entry.set_state(ActorState::Starting);
        branch.insert(Arc::clone(&spec.entry));
        let history = History::new(self.plan.intensity);
        let child = Child {
            phase: Phase::Waiting,
            history,
            attempt: 0,
            wanted: true,
            spec,
        };
        self.children.insert(child.spec.name().to_owned(), child);
    }

    /// Forgets a child altogether.
    pub(super) fn forget(&mut self, name: &str) {
        if let Some(child) = self.children.remove(name) {
            child.spec.entry.set_state(ActorState::Stopped);
            self.handle.branch().remove(&child.spec.entry);
        }
    }

    /// Keeps a child that failed for good as a tombstone; the oldest tombstones of dynamic children go for it.
    pub(super) fn bury(&mut self, name: &str) {
        let Some(child) = self.children.get_mut(name) else {
            return;
        };
        child.phase = Phase::Ended;
        child.spec.entry.set_state(ActorState::Failed);
        if child.spec.entry.is_dynamic() {
            for forgotten in self.handle.branch().bury(&child.spec.entry) {
                self.children.remove(&forgotten);
            }
        }
    }

    /// A number for the next task about `name`; reports with older numbers are void from now on.
    pub(super) fn next_attempt(&mut self, name: &str) -> u64 {
        self.attempts += 1;
        if let Some(child) = self.children.get_mut(name) {
            child.attempt = self.attempts;
        }
        self.attempts
    }
}
