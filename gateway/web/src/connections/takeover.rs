//! Takes a connection from the HTTP server in the middle of an answer. An event stream lives for minutes and sends
//! little. hyper keeps two buffers of 8 KiB and a task for it all that time, and wakes the task for each event. So hyper
//! writes the answer's head, and then the body takes the socket and writes the rest without hyper.
//!
//! How it works: the body's first poll comes after hyper has put the head into its buffer. The body asks for the socket
//! ([`super::Connection::take_socket`]) and waits. hyper then writes its buffer and flushes the stream below it. At that moment
//! everything that hyper had to say is in the socket, so the stream (`accept.rs`) gives the socket away. The body takes
//! it and fails, and hyper drops the connection, of which nothing is left but the socket. Requests that the client sent
//! behind this one are lost, so the answer must say `connection: close`.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::net::TcpStream;

/// The socket on its way from the HTTP server to the body of an answer.
#[derive(Debug, Default)]
pub(super) struct Takeover(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    #[default]
    NotWanted,
    Wanted(Waker),
    Given(TcpStream),
    Taken,
}

impl Takeover {
    /// Asks for the socket. It is ready after the HTTP server has flushed.
    pub(super) fn take(&self, cx: &Context<'_>) -> Poll<TcpStream> {
        let mut state = self.lock();
        match std::mem::replace(&mut *state, State::Taken) {
            State::Given(socket) => Poll::Ready(socket),
            State::NotWanted | State::Wanted(_) => {
                *state = State::Wanted(cx.waker().clone());
                Poll::Pending
            }
            // It is given once.
            State::Taken => Poll::Pending,
        }
    }

    /// Gives the socket away if it is wanted. The HTTP server has just flushed.
    pub(super) fn give(&self, socket: &mut Option<TcpStream>) {
        let mut state = self.lock();
        if !matches!(*state, State::Wanted(_)) {
            return;
        }
        let Some(socket) = socket.take() else { return };
        if let State::Wanted(body) = std::mem::replace(&mut *state, State::Given(socket)) {
            drop(state);
            body.wake();
        }
    }

    /// Nobody wants the socket any more: the answer was dropped.
    pub(super) fn forget(&self) {
        let before = std::mem::take(&mut *self.lock());
        drop(before);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds this lock. If it did, the state would still be valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
