//! Writes the bytes of streams to their sockets: one worker for all streams whose connection it has (`wire.rs`). A
//! socket that takes everything costs one write for all waiting frames. A socket that does not is written to again when
//! it has room; meanwhile its frames wait in the stream's queue, which is bounded.
//!
//! Parent: `foundation`. Children: none. Restart: permanent. When it ends, its sockets close and the clients reconnect.

use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::send_queue::SendQueueReader;
use super::socket::StreamSocket;
use roost_web::connections::Connection;

/// Takes sockets for the worker. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct StreamSender {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Sockets that the worker does not have yet.
    new: Mutex<Vec<StreamSocket>>,
    added: Notify,
}

impl StreamSender {
    /// Sends a stream on this socket from now on. The answer's head is already written to it.
    pub(super) fn add(&self, socket: TcpStream, connection: Connection, reader: SendQueueReader) {
        let socket = StreamSocket::new(socket, connection, reader);
        self.waiting().push(socket);
        self.shared.added.notify_one();
    }

    /// The worker's loop.
    pub(super) async fn run(&self, stopping: &CancellationToken) {
        let mut sockets = FuturesUnordered::new();
        loop {
            sockets.extend(std::mem::take(&mut *self.waiting()));
            tokio::select! {
                biased;
                () = stopping.cancelled() => break,
                () = self.shared.added.notified() => {}
                // A stream that is over leaves.
                Some(()) = sockets.next(), if !sockets.is_empty() => {}
            }
        }
        // Streams that were just ended get their last bytes, as far as their sockets have room.
        while futures::FutureExt::now_or_never(sockets.next())
            .flatten()
            .is_some()
        {}
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<StreamSocket>> {
        // Nothing panics while it holds this lock. If it did, the list would still be valid.
        self.shared
            .new
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
