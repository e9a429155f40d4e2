//! The context of one incarnation: its tree, its row in the roster, its tokens that fire at its end. The [`LiveGuard`]
//! is a part of the actor's state. When that state is dropped, the guard updates the roster, however the actor ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use ractor::{Actor, ActorCell, SpawnErr};
use tokio_util::sync::CancellationToken;

use super::branch::Branch;
use super::gauge::Gauge;
use super::handle::SupervisorHandle;
use super::roster::{ActorState, Entry, Incarnation};
use super::tree::TreeContext;

/// Everything that a starter needs to start one incarnation.
pub struct Birth {
    pub(super) tree: TreeContext,
    pub(super) entry: Arc<Entry>,
    pub(super) parent: SupervisorHandle,
    parent_cell: Option<ActorCell>,
    pub(super) cancel: CancellationToken,
    /// Set when the actor has ended cleanly, including its stop hook.
    pub(super) clean: Arc<AtomicBool>,
    /// Fires when nothing of this attempt exists any more, also after a failed start.
    gone: Option<Gone>,
}

/// Fires its token when it is dropped.
struct Gone(CancellationToken);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Birth {
    pub(super) fn new(
        tree: &TreeContext,
        entry: &Arc<Entry>,
        parent: &SupervisorHandle,
        parent_cell: Option<&ActorCell>,
    ) -> Self {
        let gone = CancellationToken::new();
        entry.attempt(gone.clone());
        Self {
            tree: tree.clone(),
            entry: Arc::clone(entry),
            parent: parent.clone(),
            parent_cell: parent_cell.cloned(),
            cancel: CancellationToken::new(),
            clean: Arc::new(AtomicBool::new(false)),
            gone: Some(Gone(gone)),
        }
    }

    /// The actor to which this one is linked; `None` for the root.
    pub(super) fn parent_cell(&self) -> Option<ActorCell> {
        self.parent_cell.clone()
    }

    /// Fires when nothing of this attempt exists any more.
    pub(super) fn gone(&self) -> CancellationToken {
        self.gone
            .as_ref()
            .map_or_else(CancellationToken::new, |gone| gone.0.clone())
    }

    /// Publishes the incarnation: from now on its address reaches `cell`. The guard must go into the actor's state.
    pub(super) fn publish(&mut self, cell: &ActorCell) -> LiveGuard {
        let gauge = Arc::new(Gauge::new(
            self.entry.meta.mailbox_bound,
            self.tree.shared_clock(),
        ));
        let guard = LiveGuard {
            tree: self.tree.clone(),
            entry: Arc::clone(&self.entry),
            gauge: Arc::clone(&gauge),
            cancel: self.cancel.clone(),
            leaves: Weak::new(),
            _gone: self.gone.take(),
        };
        self.tree.count_born();
        let incarnation = Incarnation {
            cell: cell.clone(),
            gauge,
            cancel: self.cancel.clone(),
        };
        self.entry.publish(incarnation, self.tree.clock());
        guard
    }

    pub(super) fn mark_clean(&self) {
        self.clean.store(true, Ordering::Release);
    }
}

/// Starts an actor below its parent. It is the only place that starts a ractor actor, except for the jobs of actors
/// (`job.rs`).
pub(super) async fn spawn<A: Actor>(
    parent: Option<ActorCell>,
    actor: A,
    arguments: A::Arguments,
) -> Result<ActorCell, SpawnErr> {
    let (actor, _) = match parent {
        Some(parent) => Actor::spawn_linked(None, actor, arguments, parent).await?,
        None => Actor::spawn(None, actor, arguments).await?,
    };
    Ok(actor.get_cell())
}

/// A part of a living actor's state. Its drop is the actor's end.
pub(super) struct LiveGuard {
    tree: TreeContext,
    entry: Arc<Entry>,
    gauge: Arc<Gauge>,
    cancel: CancellationToken,
    leaves: Weak<Branch>,
    /// Dropped last, after the updates in `drop`.
    _gone: Option<Gone>,
}

impl LiveGuard {
    /// The entry leaves this branch together with the actor. It is for the jobs of actors, which no supervisor watches.
    pub(super) fn leaves(mut self, branch: &Arc<Branch>) -> Self {
        self.leaves = Arc::downgrade(branch);
        self
    }

    pub(super) fn gauge(&self) -> &Arc<Gauge> {
        &self.gauge
    }
}

impl Drop for LiveGuard {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.entry.retire(&self.gauge);
        if let Some(branch) = self.leaves.upgrade() {
            let failed = self.entry.life().state == ActorState::Failed;
            if failed {
                branch.bury(&self.entry);
            } else {
                self.entry.set_state(ActorState::Stopped);
                branch.remove(&self.entry);
            }
        }
        self.tree.count_gone();
    }
}
