//! The supervisor's state, `SupervisorState`, with one [`Child`] for each entry of its branch. The methods of `SupervisorState` are in the
//! files of this folder, grouped by task.

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
use crate::supervision::restart::{Ending, History};
use crate::supervision::roster::{ActorState, Entry};
use crate::supervision::spec::AnyChild;
use crate::supervision::tree::TreeContext;

/// A task that is aborted when its holder is dropped.
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

/// The reply port of a start request.
pub(super) type StartReply = Reply<Result<(), StartError>>;

/// The phase of a child.
pub(super) enum Phase {
    /// Not started yet.
    Waiting,
    /// Its start runs in a task. A failed `first` start is not repeated.
    Starting {
        first: bool,
        reply: Option<StartReply>,
        _task: OwnTask,
    },
    /// It runs.
    Running {
        actor: ActorId,
        clean: Arc<AtomicBool>,
    },
    /// It waits for its restart.
    BackingOff { _timer: OwnTask },
    /// Its stop runs in a task. An operator restarts it and waits for the start that follows.
    Stopping { reply: StartReply, _task: OwnTask },
    /// It has ended and is a tombstone.
    Ended,
}

/// One child.
pub(super) struct Child {
    pub(super) spec: AnyChild,
    pub(super) phase: Phase,
    /// Its own history: failures in a row, and for dynamic children the allowance.
    pub(super) history: History,
    /// The number of its latest task. It identifies late reports of earlier tasks.
    pub(super) attempt: u64,
}

/// How a child ended, with the error's text.
pub(super) struct Exit {
    pub(super) ending: Ending,
    pub(super) text: Option<String>,
    pub(super) up_for: Duration,
}

/// The supervisor's state.
pub(super) struct SupervisorState {
    pub(super) tree: TreeContext,
    pub(super) entry: Arc<Entry>,
    pub(super) cell: ActorCell,
    pub(super) gauge: Arc<Gauge>,
    pub(super) handle: SupervisorHandle,
    pub(super) plan: Plan,
    pub(super) children: HashMap<String, Child>,
    /// The child's name for each actor, from the report of its start until the event of its end.
    pub(super) actors: HashMap<ActorId, String>,
    /// Ends of actors whose start was not reported yet (the report is in the mailbox).
    pub(super) early_exits: HashMap<ActorId, Option<String>>,
    /// The allowance that the static children share.
    pub(super) shared: History,
    pub(super) attempts: u64,
}

impl SupervisorState {
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

    /// Counts one message as handled.
    pub(super) fn done(&self) {
        self.gauge.done();
    }

    /// Adds a child to the supervisor's state and to the roster.
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
            spec,
        };
        self.children.insert(child.spec.name().to_owned(), child);
    }

    /// Removes a child completely.
    pub(super) fn forget(&mut self, name: &str) {
        if let Some(child) = self.children.remove(name) {
            child.spec.entry.set_state(ActorState::Stopped);
            self.handle.branch().remove(&child.spec.entry);
        }
    }

    /// Keeps a permanently failed child as a tombstone. It may displace the oldest tombstones of dynamic children.
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

    /// A number for the next task about `name`. Reports with older numbers are ignored from now on.
    pub(super) fn next_attempt(&mut self, name: &str) -> u64 {
        self.attempts += 1;
        if let Some(child) = self.children.get_mut(name) {
            child.attempt = self.attempts;
        }
        self.attempts
    }
}
