//! The hub: fan-out of committed events inside one gateway. It is a cache of the event log. The database hands it the
//! events of a transaction after the commit; it knows no table. Each workspace with listeners has a channel, which delivers
//! committed events to them in the order of the log. An early event waits there, and the relay reads the missing ones
//! once for all listeners. A listener must handle an event quickly, because it is called inside the channel's lock.
//! Sleeping receivers are woken after the lock is released, a large number of them in batches (`wake_batches.rs`).

mod about;
mod channel;
mod event;
#[cfg(test)]
mod tests;
mod wake_batches;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::Waker;

use tokio::sync::Notify;

pub use self::about::About;
use self::channel::Channel;
pub use self::event::{EventId, Filter, StoredEvent};
pub use self::wake_batches::WakeBatches;
use self::wake_batches::Woken;
use crate::ids::WorkspaceId;
use crate::supervision::Nudge;

/// A listener of a workspace. Both methods are called inside the channel's lock and must not block.
pub trait Listener: Send + Sync {
    /// The next event of the log, or one after a gap that only this listener has. Returns the waker of a sleeping
    /// receiver.
    fn on_event(&self, event: &Arc<StoredEvent>) -> Option<Waker>;
    /// The log is ahead of the delivered events: the listener must read the store.
    fn on_lag(&self, head: EventId);
}

/// All live listeners of this gateway.
#[derive(Clone, Default)]
pub struct Hub {
    channels: Arc<RwLock<HashMap<WorkspaceId, Arc<Mutex<Channel>>>>>,
    /// Wakes the relay when an event arrives before its predecessor.
    gap: Nudge,
    batches: WakeBatches,
}

/// A listener's registration. Dropping it ends the registration.
pub struct Listening {
    workspace: WorkspaceId,
    channel: Arc<Mutex<Channel>>,
    number: u64,
    hub: Hub,
}

/// A channel's position, for the relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChannelPosition {
    pub workspace: WorkspaceId,
    /// The last event that was delivered in order; absent while the log's position is unknown.
    pub delivered: Option<EventId>,
}

impl Hub {
    /// Registers a listener for a workspace. From this call on it misses nothing.
    pub fn listen(&self, workspace: WorkspaceId, listener: Arc<dyn Listener>) -> Listening {
        // The map's lock is held, so no listener joins a channel that is being removed.
        let mut channels = self
            .channels
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let channel = channels.entry(workspace).or_default().clone();
        let number = lock(&channel).join(listener);
        drop(channels);
        Listening {
            workspace,
            channel,
            number,
            hub: self.clone(),
        }
    }

    /// Waits for changes without their content: for code that reads rows when something has changed.
    pub fn watch(&self, workspace: WorkspaceId) -> Watch {
        self.watch_for(workspace, |_| true)
    }

    /// As [`watch`](Self::watch), for the events that `counts` selects. It is called inside the channel's lock.
    pub fn watch_for(
        &self,
        workspace: WorkspaceId,
        counts: impl Fn(&StoredEvent) -> bool + Send + Sync + 'static,
    ) -> Watch {
        let wake = Arc::new(Wake {
            changed: Notify::new(),
            counts: Box::new(counts),
        });
        let listening = self.listen(workspace, wake.clone());
        Watch {
            wake,
            _listening: listening,
        }
    }

    /// Delivers committed events to the listeners of their workspaces.
    pub fn publish(&self, events: Vec<StoredEvent>) {
        let mut events = events.into_iter().peekable();
        while let Some(first) = events.next() {
            let workspace = first.workspace;
            let same = std::iter::once(first)
                .chain(std::iter::from_fn(|| {
                    events.next_if(|event| event.workspace == workspace)
                }))
                .map(Arc::new);
            self.deliver(workspace, same);
        }
    }

    /// Delivers events of one workspace.
    pub(super) fn deliver(
        &self,
        workspace: WorkspaceId,
        events: impl Iterator<Item = Arc<StoredEvent>>,
    ) {
        let Some(channel) = self.channel(workspace) else {
            events.for_each(drop);
            return;
        };
        let mut woken = Woken::new();
        let mut channel = lock(&channel);
        let mut gap = false;
        for event in events {
            gap |= channel.offer(event, &mut woken);
        }
        drop(channel);
        self.batches.wake(woken);
        if gap {
            self.gap.nudge();
        }
    }

    /// The log is at `head`, and the hub will not deliver the events up to there: all listeners read the store.
    pub(super) fn skip_to(&self, workspace: WorkspaceId, head: EventId) {
        if let Some(channel) = self.channel(workspace) {
            let mut woken = Woken::new();
            lock(&channel).skip_to(head, &mut woken);
            self.batches.wake(woken);
        }
    }

    /// Receivers that wait for a later batch.
    pub fn wake_batches(&self) -> &WakeBatches {
        &self.batches
    }

    /// Wakes the relay.
    pub fn gap(&self) -> &Nudge {
        &self.gap
    }

    /// The workspaces that have listeners in this gateway.
    pub fn workspaces(&self) -> Vec<WorkspaceId> {
        self.map().keys().copied().collect()
    }

    pub(super) fn positions(&self) -> Vec<ChannelPosition> {
        let channels: Vec<_> = self
            .map()
            .iter()
            .map(|(workspace, channel)| (*workspace, channel.clone()))
            .collect();
        channels
            .into_iter()
            .map(|(workspace, channel)| ChannelPosition {
                workspace,
                delivered: lock(&channel).delivered(),
            })
            .collect()
    }

    fn channel(&self, workspace: WorkspaceId) -> Option<Arc<Mutex<Channel>>> {
        self.map().get(&workspace).cloned()
    }

    fn map(&self) -> std::sync::RwLockReadGuard<'_, HashMap<WorkspaceId, Arc<Mutex<Channel>>>> {
        self.channels.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listening {
    /// Switches the listener to live delivery after `cursor`, if the channel has delivered nothing later. `live` is
    /// then called inside the channel's lock. `false`: the store has more to read.
    pub fn go_live(&self, cursor: EventId, live: impl FnOnce()) -> bool {
        let mut channel = lock(&self.channel);
        let all_read = channel.is_at(cursor);
        if all_read {
            live();
        }
        all_read
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut channels = self
            .hub
            .channels
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let empty = lock(&self.channel).leave(self.number);
        if empty {
            channels.remove(&self.workspace);
        }
    }
}

/// A listener that is only woken.
pub struct Watch {
    wake: Arc<Wake>,
    _listening: Listening,
}

impl Watch {
    /// Waits for a change since the last call. Cancel-safe. Several changes count as one.
    pub async fn changed(&self) {
        self.wake.changed.notified().await;
    }
}

struct Wake {
    changed: Notify,
    counts: Box<dyn Fn(&StoredEvent) -> bool + Send + Sync>,
}

impl Listener for Wake {
    fn on_event(&self, event: &Arc<StoredEvent>) -> Option<Waker> {
        if (self.counts)(event) {
            self.changed.notify_one();
        }
        None
    }

    fn on_lag(&self, _: EventId) {
        self.changed.notify_one();
    }
}

fn lock(channel: &Mutex<Channel>) -> MutexGuard<'_, Channel> {
    // Nothing panics while it holds one of these locks. If it did, the state is still consistent.
    channel.lock().unwrap_or_else(PoisonError::into_inner)
}
