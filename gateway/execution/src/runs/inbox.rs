//! What people want of a run while it works: that it pauses, and that its agents hear what was said. Each write of the
//! run's owner brings the present state back, so it costs no query, and it holds on every gateway.

use std::sync::{Arc, Mutex, PoisonError};

use sea_orm::FromQueryResult;

/// The state of a run's inbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromQueryResult)]
pub struct Inbox {
    /// Grows with each message to the run or to a run above it.
    pub messages: i32,
    /// The steps stop at their next turn or call.
    pub paused: bool,
}

/// The newest state that the writes of a step brought back.
#[derive(Debug, Clone, Default)]
pub struct SharedInbox(Arc<Mutex<Inbox>>);

impl SharedInbox {
    /// Begins with this state.
    pub fn new(inbox: Inbox) -> Self {
        Self(Arc::new(Mutex::new(inbox)))
    }

    /// The newest state.
    pub fn get(&self) -> Inbox {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, inbox: Inbox) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = inbox;
    }
}
