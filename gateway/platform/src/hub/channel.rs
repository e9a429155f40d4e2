//! One workspace's channel: its listeners, the last delivered event, and early events that wait for the ones before
//! them. Two commits may reach the hub in another order than they were made, and another gateway's commits do not reach
//! it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Listener;
use super::wake_batches::Woken;
use super::{EventId, StoredEvent};

/// The limit of early events that wait. Beyond it, all are dropped, and the relay reads them from the store.
const MOST_HELD: usize = 1_024;

#[derive(Default)]
pub(super) struct Channel {
    listeners: BTreeMap<u64, Arc<dyn Listener>>,
    next_number: u64,
    delivered: Option<EventId>,
    held: BTreeMap<EventId, Arc<StoredEvent>>,
}

impl Channel {
    pub(super) fn join(&mut self, listener: Arc<dyn Listener>) -> u64 {
        self.next_number += 1;
        self.listeners.insert(self.next_number, listener);
        self.next_number
    }

    /// Removes a listener. Returns whether the channel is empty now.
    pub(super) fn leave(&mut self, number: u64) -> bool {
        self.listeners.remove(&number);
        self.listeners.is_empty()
    }

    pub(super) fn delivered(&self) -> Option<EventId> {
        self.delivered
    }

    /// Delivers an event and the waiting ones that follow it. An early event waits. Returns whether events are missing
    /// now.
    pub(super) fn offer(&mut self, event: Arc<StoredEvent>, woken: &mut Woken) -> bool {
        match self.delivered {
            Some(delivered) if event.id <= delivered => return !self.held.is_empty(),
            Some(delivered) if !event.id.follows(delivered) => {
                if self.held.len() >= MOST_HELD {
                    self.held.clear();
                }
                self.held.insert(event.id, event);
                return true;
            }
            _ => self.deliver(&event, woken),
        }
        self.tell_held(woken);
        !self.held.is_empty()
    }

    /// Delivers the waiting events that follow the last delivered one without a gap.
    fn tell_held(&mut self, woken: &mut Woken) {
        while let Some(first) = self.held.first_entry() {
            match self.delivered {
                Some(delivered) if *first.key() <= delivered => drop(first.remove()),
                Some(delivered) if first.key().follows(delivered) => {
                    let event = first.remove();
                    self.deliver(&event, woken);
                }
                _ => return,
            }
        }
    }

    fn deliver(&mut self, event: &Arc<StoredEvent>, woken: &mut Woken) {
        self.delivered = Some(event.id);
        for listener in self.listeners.values() {
            woken.extend(listener.on_event(event));
        }
    }

    /// A listener has read the store up to `cursor`. `false`: the channel has already delivered later events. An event
    /// that the store had and the channel has not delivered arrives later, also from the relay; the listener recognises
    /// it by its id.
    pub(super) fn is_at(&mut self, cursor: EventId) -> bool {
        *self.delivered.get_or_insert(cursor) <= cursor
    }

    pub(super) fn skip_to(&mut self, head: EventId, woken: &mut Woken) {
        if self.delivered.is_some_and(|delivered| delivered >= head) {
            return;
        }
        self.delivered = Some(head);
        for listener in self.listeners.values() {
            listener.on_lag(head);
        }
        self.tell_held(woken);
    }
}
