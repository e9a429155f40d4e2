//! One workspace's channel: who listens, what they were told last, and what waits because it came out of order. Two
//! commits may be told in another order than they were made in, and another gateway's are not told here at all.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Listener;
use super::wakes::Woken;
use crate::events::{EventId, StoredEvent};

/// Most events that wait for one before them; beyond it the relay brings all of them from the store.
const MOST_HELD: usize = 1_024;

#[derive(Default)]
pub(super) struct Channel {
    listeners: BTreeMap<u64, Arc<dyn Listener>>,
    next_number: u64,
    told: Option<EventId>,
    held: BTreeMap<EventId, Arc<StoredEvent>>,
}

impl Channel {
    pub(super) fn join(&mut self, listener: Arc<dyn Listener>) -> u64 {
        self.next_number += 1;
        self.listeners.insert(self.next_number, listener);
        self.next_number
    }

    /// Whether nobody is left.
    pub(super) fn leave(&mut self, number: u64) -> bool {
        self.listeners.remove(&number);
        self.listeners.is_empty()
    }

    pub(super) fn told(&self) -> Option<EventId> {
        self.told
    }

    /// Tells an event, and what waited for it; one that is early waits. Answers whether there is a hole now.
    pub(super) fn offer(&mut self, event: Arc<StoredEvent>, woken: &mut Woken) -> bool {
        match self.told {
            Some(told) if event.id <= told => return !self.held.is_empty(),
            Some(told) if !event.id.follows(told) => {
                if self.held.len() >= MOST_HELD {
                    self.held.clear();
                }
                self.held.insert(event.id, event);
                return true;
            }
            _ => self.tell(&event, woken),
        }
        self.tell_held(woken);
        !self.held.is_empty()
    }

    /// Tells what follows on the last told, as far as it is here.
    fn tell_held(&mut self, woken: &mut Woken) {
        while let Some(first) = self.held.first_entry() {
            match self.told {
                Some(told) if *first.key() <= told => drop(first.remove()),
                Some(told) if first.key().follows(told) => {
                    let event = first.remove();
                    self.tell(&event, woken);
                }
                _ => return,
            }
        }
    }

    fn tell(&mut self, event: &Arc<StoredEvent>, woken: &mut Woken) {
        self.told = Some(event.id);
        for listener in self.listeners.values() {
            woken.extend(listener.hear(event));
        }
    }

    /// Somebody has read the store up to `cursor`. `false`: more than that was told already. What the store had and was
    /// not told yet is on its way, or the relay brings it; whoever read it knows it by its id.
    pub(super) fn stands_at(&mut self, cursor: EventId) -> bool {
        *self.told.get_or_insert(cursor) <= cursor
    }

    pub(super) fn skip_to(&mut self, head: EventId, woken: &mut Woken) {
        if self.told.is_some_and(|told| told >= head) {
            return;
        }
        self.told = Some(head);
        for listener in self.listeners.values() {
            listener.fell_behind(head);
        }
        self.tell_held(woken);
    }
}
