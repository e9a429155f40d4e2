//! The things that an actor can use from inside: its name and address, the tree's clock and kill points, its parent,
//! its jobs and timers. It is passed to every method of [`Serve`](super::Serve).

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use ractor::ActorCell;
use tokio_util::sync::CancellationToken;

use super::address::Address;
use super::birth::Birth;
use super::carried::Carried;
use super::failure::NoAnswer;
use super::gauge::Gauge;
use super::handle::SupervisorHandle;
use super::killpoints::KillPointId;
use super::roster::Entry;
use super::spec::Tenant;
use super::tree::TreeContext;

/// The context of one incarnation of an actor that takes messages of type `M`.
pub struct Context<M> {
    pub(super) tree: TreeContext,
    pub(super) entry: Arc<Entry>,
    pub(super) cell: ActorCell,
    pub(super) cancel: CancellationToken,
    pub(super) gauge: Arc<Gauge>,
    parent: SupervisorHandle,
    _messages: PhantomData<fn(M)>,
}

impl<M: Send + 'static> Context<M> {
    pub(super) fn new(birth: &Birth, cell: ActorCell, gauge: &Arc<Gauge>) -> Self {
        Self {
            tree: birth.tree.clone(),
            entry: Arc::clone(&birth.entry),
            cell,
            cancel: birth.cancel.clone(),
            gauge: Arc::clone(gauge),
            parent: birth.parent.clone(),
            _messages: PhantomData,
        }
    }

    /// The actor's stable id.
    pub fn path(&self) -> &str {
        self.entry.path()
    }

    /// The workspace that it works for.
    pub fn tenant(&self) -> Option<&Tenant> {
        self.entry.meta.tenant.as_ref()
    }

    /// Its own address, valid across restarts. Other actors can send to it.
    pub fn address(&self) -> Address<M> {
        Address::new(Arc::clone(&self.entry))
    }

    /// Its supervisor, to start siblings.
    pub fn parent(&self) -> &SupervisorHandle {
        &self.parent
    }

    /// The context that all actors of the tree share.
    pub fn tree(&self) -> &TreeContext {
        &self.tree
    }

    /// The wall clock.
    pub fn now(&self) -> DateTime<Utc> {
        self.tree.clock().now()
    }

    /// The clock for deadlines and ages.
    pub fn monotonic(&self) -> Instant {
        self.tree.clock().monotonic()
    }

    /// Resolves when the actor is asked to stop or has ended. Use it around long awaits in `handle`.
    pub async fn cancelled(&self) {
        self.cancel.cancelled().await;
    }

    /// The token behind [`cancelled`](Self::cancelled), for code that must hold it.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Ends this actor cleanly after the current message. The messages in its mailbox are lost (and counted).
    pub fn stop(&self) {
        self.cell.stop(None);
    }

    /// Sends a message to this incarnation.
    pub fn cast_self(&self, message: M) -> Result<(), NoAnswer> {
        send_to(&self.cell, &self.gauge, self.path(), message)
    }

    /// Sends a message to this incarnation after `delay`. Nothing happens if it has ended by then, or if the timer was
    /// cancelled.
    pub fn cast_self_after(&self, delay: Duration, message: M) -> Timer {
        let cancel = self.cancel.child_token();
        let timer = Timer {
            cancel: cancel.clone(),
        };
        let (cell, gauge, path) = (
            self.cell.clone(),
            Arc::clone(&self.gauge),
            self.path().to_owned(),
        );
        tokio::spawn(async move {
            tokio::select! {
                () = cancel.cancelled() => {}
                // The result does not matter: an actor that ended meanwhile does not need its timer.
                () = tokio::time::sleep(delay) => drop(send_to(&cell, &gauge, &path, message)),
            }
        });
        timer
    }

    /// Passes a kill point. Use `kill_point!`.
    pub async fn reach(&self, point: KillPointId) {
        self.tree.kill_points().reach_at(point, self.path()).await;
    }
}

/// A scheduled message. Dropping the timer does not cancel it.
#[derive(Debug, Clone)]
pub struct Timer {
    cancel: CancellationToken,
}

impl Timer {
    /// Cancels the message if it was not sent yet.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

pub(super) fn send_to<M: Send + 'static>(
    cell: &ActorCell,
    gauge: &Gauge,
    path: &str,
    message: M,
) -> Result<(), NoAnswer> {
    gauge.admit().map_err(|bound| NoAnswer::Full {
        path: path.to_owned(),
        bound,
    })?;
    cell.send_message(Carried::new(message)).map_err(|_| {
        gauge.retract();
        NoAnswer::Died {
            path: path.to_owned(),
        }
    })
}
