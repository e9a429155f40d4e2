//! Addresses: messages reach an actor through its address. An address names a row of the roster, not an incarnation, so
//! it stays valid across restarts. While the actor is not alive, the sender gets a typed "no answer" at once instead of
//! silence.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::failure::NoAnswer;
use super::roster::{ActorState, Entry};

/// The destination of messages of type `M`. Cheap to clone.
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

    /// The actor's state.
    pub fn state(&self) -> ActorState {
        self.entry.life().state
    }
}

impl<M: Send + 'static> Address<M> {
    /// Sends without waiting. `Ok` means that the message is in the mailbox, not that it was handled.
    pub fn cast(&self, message: M) -> Result<(), NoAnswer> {
        self.entry.send(message)
    }

    /// Sends a request and waits for the answer, at most `within`. `ask` builds the message around the reply port.
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

/// The port for an answer, the last part of a request. When it is dropped, the caller learns that no answer will come.
#[derive(Debug)]
pub struct Reply<T> {
    sender: oneshot::Sender<T>,
}

impl<T> Reply<T> {
    /// Sends the answer. `false`: the caller no longer waits.
    pub fn send(self, answer: T) -> bool {
        self.sender.send(answer).is_ok()
    }

    /// Whether the caller has given up, so that work for it may be dropped.
    pub fn is_abandoned(&self) -> bool {
        self.sender.is_closed()
    }

    /// A port and its receiver, for callers that wait in their own way.
    pub fn channel() -> (Self, oneshot::Receiver<T>) {
        let (sender, receiver) = oneshot::channel();
        (Self { sender }, receiver)
    }
}
