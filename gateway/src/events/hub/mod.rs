//! Fan-out inside one gateway: a cache of the log. Each workspace that somebody listens to has a channel, which hands
//! committed events to its listeners in the order of the log; one that comes out of order waits there, and the relay
//! reads what is missing once for all of them. What a listener does with an event is its own affair, but must be quick:
//! it is told inside the channel's lock. Who sleeps and is to take an event is woken outside of it, a crowd in parts
//! (`wakes.rs`).

mod channel;
#[cfg(test)]
mod tests;
mod wakes;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::Waker;

use tokio::sync::Notify;

use self::channel::Channel;
pub use self::wakes::Wakes;
use self::wakes::Woken;
use super::{EventId, StoredEvent};
use crate::ids::WorkspaceId;
use crate::supervision::Nudge;

/// Somebody who listens to a workspace. Both calls come inside the channel's lock and must not block.
pub trait Listener: Send + Sync {
    /// The next event of the log, or one after a hole that the listener alone has. Answers who is to be woken for it.
    fn hear(&self, event: &Arc<StoredEvent>) -> Option<Waker>;
    /// The log is beyond what was heard: read the store.
    fn fell_behind(&self, head: EventId);
}

/// All live listeners of this gateway.
#[derive(Clone, Default)]
pub struct Hub {
    channels: Arc<RwLock<HashMap<WorkspaceId, Arc<Mutex<Channel>>>>>,
    /// Wakes the relay, when an event came before the one before it.
    hole: Nudge,
    wakes: Wakes,
}

/// A listener's place; leaving is dropping it.
pub struct Listening {
    workspace: WorkspaceId,
    channel: Arc<Mutex<Channel>>,
    number: u64,
    hub: Hub,
}

/// Where a channel stands, for the relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub workspace: WorkspaceId,
    /// The last event that was told in order; absent while nobody has said where the log stands.
    pub told: Option<EventId>,
}

impl Hub {
    /// Listens to a workspace. From this call on nothing is missed.
    pub fn listen(&self, workspace: WorkspaceId, listener: Arc<dyn Listener>) -> Listening {
        // Under the lock of the map, so that a channel which is just being left is not joined.
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

    /// Waits for changes without wanting to know them: for code that reads rows when something has happened.
    pub fn watch(&self, workspace: WorkspaceId) -> Watch {
        let wake = Arc::new(Wake::default());
        let listening = self.listen(workspace, wake.clone());
        Watch {
            wake,
            _listening: listening,
        }
    }

    /// Hands committed events to the listeners of their workspaces.
    pub fn publish(&self, events: Vec<StoredEvent>) {
        let mut events = events.into_iter().peekable();
        while let Some(first) = events.next() {
            let workspace = first.workspace;
            let same = std::iter::once(first)
                .chain(std::iter::from_fn(|| {
                    events.next_if(|event| event.workspace == workspace)
                }))
                .map(Arc::new);
            self.tell(workspace, same);
        }
    }

    /// Tells events of one workspace.
    pub(super) fn tell(
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
        let mut hole = false;
        for event in events {
            hole |= channel.offer(event, &mut woken);
        }
        drop(channel);
        self.wakes.wake(woken);
        if hole {
            self.hole.nudge();
        }
    }

    /// The log stands at `head`, and nobody will tell the events up to there: everybody reads the store.
    pub(super) fn skip_to(&self, workspace: WorkspaceId, head: EventId) {
        if let Some(channel) = self.channel(workspace) {
            let mut woken = Woken::new();
            lock(&channel).skip_to(head, &mut woken);
            self.wakes.wake(woken);
        }
    }

    /// Those of a crowd who were not woken yet.
    pub fn wakes(&self) -> &Wakes {
        &self.wakes
    }

    /// What wakes the relay.
    pub fn hole(&self) -> &Nudge {
        &self.hole
    }

    /// The workspaces that somebody listens to here.
    pub fn workspaces(&self) -> Vec<WorkspaceId> {
        self.map().keys().copied().collect()
    }

    pub(super) fn standings(&self) -> Vec<Standing> {
        let channels: Vec<_> = self
            .map()
            .iter()
            .map(|(workspace, channel)| (*workspace, channel.clone()))
            .collect();
        channels
            .into_iter()
            .map(|(workspace, channel)| Standing {
                workspace,
                told: lock(&channel).told(),
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
    /// From now on the listener is told each event after `cursor`, if nothing beyond it was told yet; `live` is called
    /// inside the channel's lock then. `false`: there is more to read in the store.
    pub fn go_live(&self, cursor: EventId, live: impl FnOnce()) -> bool {
        let mut channel = lock(&self.channel);
        let all_read = channel.stands_at(cursor);
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

/// Somebody who only wants to be woken.
pub struct Watch {
    wake: Arc<Wake>,
    _listening: Listening,
}

impl Watch {
    /// Waits for a change since the last call. Cancel-safe; many changes are one.
    pub async fn changed(&self) {
        self.wake.changed.notified().await;
    }
}

#[derive(Default)]
struct Wake {
    changed: Notify,
}

impl Listener for Wake {
    fn hear(&self, _: &Arc<StoredEvent>) -> Option<Waker> {
        self.changed.notify_one();
        None
    }

    fn fell_behind(&self, _: EventId) {
        self.changed.notify_one();
    }
}

fn lock(channel: &Mutex<Channel>) -> MutexGuard<'_, Channel> {
    // Nothing panics while it holds one of these locks; if it did, the state is still whole.
    channel.lock().unwrap_or_else(PoisonError::into_inner)
}
