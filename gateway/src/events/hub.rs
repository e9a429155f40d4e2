//! Fan-out inside one gateway: a queue a subscriber, bounded in count and bytes. It is a cache of the log: when a queue
//! overflows it is emptied and marked, and its subscriber reads the store instead; nobody else feels it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::{EventId, StoredEvent};
use crate::ids::WorkspaceId;

/// Most events that wait for one subscriber.
const QUEUE_EVENTS: usize = 1_024;
/// Most bytes that wait for one subscriber.
const QUEUE_BYTES: usize = 1 << 20;

/// All live subscribers of this gateway.
#[derive(Clone, Default)]
pub struct Hub {
    subscribers: Arc<Mutex<HashMap<WorkspaceId, Listeners>>>,
}

#[derive(Default)]
struct Listeners {
    queues: Vec<Arc<Queue>>,
    /// The newest event that was handed over here; what the log has beyond it was made by another gateway.
    told: Option<EventId>,
}

#[derive(Default)]
struct Queue {
    state: Mutex<QueueState>,
    changed: Notify,
}

#[derive(Default)]
struct QueueState {
    events: VecDeque<StoredEvent>,
    bytes: usize,
    behind: bool,
}

/// What a subscriber finds in its queue.
#[derive(Debug)]
pub enum Received {
    /// Events that were handed over; they may repeat or skip what the subscriber has: it splices by sequence.
    Events(VecDeque<StoredEvent>),
    /// Something happened that is not in the queue: read the store.
    Behind,
}

/// One subscriber's end; leaving is dropping it.
pub struct Subscription {
    workspace: WorkspaceId,
    queue: Arc<Queue>,
    hub: Hub,
}

impl Hub {
    /// Subscribes to a workspace. From this call on nothing is missed.
    pub fn subscribe(&self, workspace: WorkspaceId) -> Subscription {
        let queue = Arc::new(Queue::default());
        lock(&self.subscribers)
            .entry(workspace)
            .or_default()
            .queues
            .push(queue.clone());
        Subscription {
            workspace,
            queue,
            hub: self.clone(),
        }
    }

    /// Hands committed events to the subscribers of their workspaces.
    pub fn publish(&self, events: Vec<StoredEvent>) {
        let mut subscribers = lock(&self.subscribers);
        for event in events {
            if let Some(listeners) = subscribers.get_mut(&event.workspace) {
                listeners.told = listeners.told.max(Some(event.id));
                for queue in &listeners.queues {
                    queue.push(event.clone());
                }
            }
        }
    }

    /// Tells the subscribers of a workspace where the log stands, in case another gateway has written to it.
    pub fn stands_at(&self, workspace: WorkspaceId, head: EventId) {
        if let Some(listeners) = lock(&self.subscribers).get_mut(&workspace)
            && listeners.told < Some(head)
        {
            listeners.told = Some(head);
            for queue in &listeners.queues {
                lock(&queue.state).behind = true;
                queue.changed.notify_one();
            }
        }
    }

    /// The workspaces that somebody listens to here.
    pub fn workspaces(&self) -> Vec<WorkspaceId> {
        lock(&self.subscribers).keys().copied().collect()
    }
}

impl Queue {
    fn push(&self, event: StoredEvent) {
        let mut state = lock(&self.state);
        if state.behind {
            // The store will tell it anyway.
        } else if state.events.len() >= QUEUE_EVENTS
            || state.bytes + event.frame.len() > QUEUE_BYTES
        {
            state.events = VecDeque::new();
            state.bytes = 0;
            state.behind = true;
            metrics::counter!("roost_live_queue_overflows_total").increment(1);
        } else {
            state.bytes += event.frame.len();
            state.events.push_back(event);
        }
        drop(state);
        self.changed.notify_one();
    }
}

impl Subscription {
    /// Waits until there is something. Cancel-safe.
    pub async fn changed(&self) -> Received {
        loop {
            {
                let mut state = lock(&self.queue.state);
                if std::mem::take(&mut state.behind) {
                    state.events.clear();
                    state.bytes = 0;
                    return Received::Behind;
                }
                if !state.events.is_empty() {
                    state.bytes = 0;
                    return Received::Events(std::mem::take(&mut state.events));
                }
            }
            self.queue.changed.notified().await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut subscribers = lock(&self.hub.subscribers);
        if let Some(listeners) = subscribers.get_mut(&self.workspace) {
            listeners
                .queues
                .retain(|queue| !Arc::ptr_eq(queue, &self.queue));
            if listeners.queues.is_empty() {
                subscribers.remove(&self.workspace);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it holds one of these locks; if it did, the state is still whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
