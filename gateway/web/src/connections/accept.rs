//! Counts connections when they are accepted, below TLS. The stream is counted, because a WebSocket keeps it after the
//! server has handed the connection over.

use std::future::{Future, Ready, ready};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Extension;
use axum_server::accept::Accept;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_util::sync::WaitForCancellationFutureOwned;
use tower::Layer;

use super::{Admission, Connection, Connections};

/// Accepts connections within the limits.
#[derive(Debug, Clone)]
pub struct Counting {
    pub connections: Connections,
    /// Whether an answer may take its socket (`takeover.rs`). With TLS, only the TLS library can write to it.
    pub plain: bool,
}

impl<S> Accept<TcpStream, S> for Counting {
    type Stream = Counted;
    type Service = <Extension<Connection> as Layer<S>>::Service;
    type Future = Ready<io::Result<(Self::Stream, Self::Service)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        ready(stream.peer_addr().and_then(|peer| {
            let Admission::Taken(connection) = self.connections.admit(peer.ip(), self.plain) else {
                return Err(io::Error::other("there are too many connections"));
            };
            let counted = Counted {
                stream: Some(stream),
                ended: Some(Box::pin(connection.ended().clone().cancelled_owned())),
                connection: connection.clone(),
            };
            Ok((counted, Extension(connection).layer(service)))
        }))
    }
}

/// A counted connection. Its reads fail when another connection needs its place.
pub struct Counted {
    /// `None` after the socket was given to the body of an answer.
    stream: Option<TcpStream>,
    /// `None` once the connection is proven: then it is no longer ended.
    ended: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    connection: Connection,
}

impl Counted {
    fn socket(&mut self) -> io::Result<Pin<&mut TcpStream>> {
        let socket = self.stream.as_mut().map(Pin::new);
        socket
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotConnected, "an answer has the socket"))
    }

    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.connection.is_proven() {
            self.ended = None;
        }
        let Some(ended) = &mut self.ended else {
            return Ok(());
        };
        match ended.as_mut().poll(cx) {
            Poll::Ready(()) => Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "its place was needed before it had asked for anything",
            )),
            Poll::Pending => Ok(()),
        }
    }
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(stream) = &mut self.stream else {
            // The body, which has just got the socket, is polled next and ends the HTTP server's connection.
            return Poll::Pending;
        };
        let read = Pin::new(stream).poll_read(cx, buf);
        match self.check(cx) {
            Ok(()) => read,
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.socket()?.poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let counted = &mut *self;
        // A TCP socket has nothing to flush: everything that was written is in the kernel.
        if let Some(takeover) = counted.connection.takeover() {
            takeover.give(&mut counted.stream);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket()?.poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.socket()?.poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}
