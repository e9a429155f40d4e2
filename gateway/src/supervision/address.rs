//! Addresses: how anybody writes to an actor. An address names a row of the roster, not an incarnation, so it stays
//! good across restarts; while nobody is there the sender gets a typed "no answer" at once instead of silence.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::failure::NoAnswer;
use super::roster::{ActorState, Entry};

/// Where messages of type `M` go. Cheap to clone.
pub struct Address<M> {
    entry: Arc<Entry>,
    _messages: PhantomData<fn(M)>,
}

impl<M> Clone for Address<M> {
    fn clone(&self) -> Self {
        Self {
            entry: Arc::clone(&self.entry),
            _messages: PhantomData,
        }
    }
}

impl<M> fmt::Debug for Address<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.path())
    }
}

impl<M> Address<M> {
    pub(super) fn new(entry: Arc<Entry>) -> Self {
        Self {
            entry,
            _messages: PhantomData,
        }
    }

    pub(super) fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }

    /// The stable id of the actor: `roost/fleet/node:<id>`.
    pub fn path(&self) -> &str {
        self.entry.path()
    }

    /// What the actor is doing.
    pub fn state(&self) -> ActorState {
        self.entry.life().state
    }
}

impl<M: Send + 'static> Address<M> {
    /// Sends without waiting for anything. `Ok` means that it is in the mailbox, not that it was handled.
    pub fn cast(&self, message: M) -> Result<(), NoAnswer> {
        self.entry.send(message)
    }

    /// Asks and waits for the answer, at most `within`. The reply port goes into the message that `ask` makes.
    pub async fn call<T: Send + 'static>(
        &self,
        within: Duration,
        ask: impl FnOnce(Reply<T>) -> M,
    ) -> Result<T, NoAnswer> {
        let (sender, receiver) = oneshot::channel();
        self.cast(ask(Reply { sender }))?;
        match tokio::time::timeout(within, receiver).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(NoAnswer::Died {
                path: self.path().to_owned(),
            }),
            Err(_) => Err(NoAnswer::Timeout {
                path: self.path().to_owned(),
                within,
            }),
        }
    }
}

/// Where an answer goes; stands last in a request. Dropping it tells the caller that there will be no answer.
#[derive(Debug)]
pub struct Reply<T> {
    sender: oneshot::Sender<T>,
}

impl<T> Reply<T> {
    /// Answers. `false`: the caller does not wait any more.
    pub fn send(self, answer: T) -> bool {
        self.sender.send(answer).is_ok()
    }

    /// Whether the caller has given up, so that work for it may be dropped.
    pub fn is_abandoned(&self) -> bool {
        self.sender.is_closed()
    }

    /// A port and what waits on it, for callers that wait in their own way.
    pub fn channel() -> (Self, oneshot::Receiver<T>) {
        let (sender, receiver) = oneshot::channel();
        (Self { sender }, receiver)
    }
}
