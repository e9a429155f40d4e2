//! The longest time that a new connection may send nothing. hyper's own limit begins with a request's headers. Before
//! that, hyper detects the HTTP version, and waits without a limit for a client that sends nothing or half a preface.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum_server::accept::Accept;
use futures::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// The length of the HTTP/2 preface. After so many bytes the HTTP version is known.
const PREFACE: usize = 24;

/// The HTTP versions of a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpVersions {
    /// Without TLS only a few programs use HTTP/2, and the version detection costs each open connection 8 KiB: hyper's
    /// buffer doubles when a head comes in two pieces, and the detection passes it on in two.
    Http1,
    /// With TLS.
    Both,
}

/// Accepts connections that must send their first bytes within a time. It wraps another acceptor, so TLS comes first.
#[derive(Debug, Clone)]
pub struct IdleTimeout<A> {
    pub inner: A,
    pub within: Duration,
    pub versions: HttpVersions,
}

impl<A, I, S> Accept<I, S> for IdleTimeout<A>
where
    A: Accept<I, S>,
    A::Future: Send + 'static,
{
    type Stream = IdleTimeoutStream<A::Stream>;
    type Service = A::Service;
    type Future = BoxFuture<'static, io::Result<(Self::Stream, Self::Service)>>;

    fn accept(&self, stream: I, service: S) -> Self::Future {
        let (accepting, within) = (self.inner.accept(stream, service), self.within);
        let detected = self.versions == HttpVersions::Both;
        Box::pin(async move {
            let (stream, service) = accepting.await?;
            let with_timeout = IdleTimeoutStream {
                stream,
                detected,
                preface_left: PREFACE,
                deadline: Some(Box::pin(sleep_until(Instant::now() + within))),
            };
            Ok((with_timeout, service))
        })
    }
}

/// A connection that fails when its first bytes do not come in time.
pub struct IdleTimeoutStream<S> {
    stream: S,
    /// The version detection may read the first bytes.
    detected: bool,
    preface_left: usize,
    /// Absent after the connection has begun.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncRead + Unpin> AsyncRead for IdleTimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !std::mem::replace(&mut self.detected, true) {
            // The detection reads an end of input as HTTP/1 and keeps nothing. hyper's own first read comes next.
            return Poll::Ready(Ok(()));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        let Some(deadline) = &mut self.deadline else {
            return read;
        };
        if read.is_ready() {
            let received = buf.filled().len() - before;
            self.preface_left = self.preface_left.saturating_sub(received);
            if self.preface_left == 0 || received == 0 {
                self.deadline = None;
            }
            return read;
        }
        match deadline.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for IdleTimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        // The server answers only after a request, and a request may be shorter than a preface.
        self.deadline = None;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.deadline = None;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
