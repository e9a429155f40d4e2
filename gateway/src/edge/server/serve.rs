//! A listener as a worker of the tree. It accepts connections on a socket that was bound before the tree started (so
//! that a used port is an error at start), with or without TLS, and drains when it is stopped.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum_server::Handle;
use hyper_util::rt::TokioTimer;

use super::certificate::Certificate;
use super::idle_timeout::{HttpVersions, IdleTimeout};
use roost_platform::supervision::{ActorKind, ChildSpec, Failure, JobContext, NoMessages};
use roost_web::connections::{Connections, Counting};

/// The time that running requests have to finish after the listener was stopped.
pub const DRAIN: Duration = Duration::from_secs(10);

/// The most bytes of a request's line and headers.
const LARGEST_HEAD: usize = 64 << 10;

/// What a listener serves.
#[derive(Clone)]
pub struct Listener {
    pub socket: Arc<TcpListener>,
    pub router: Router,
    pub tls: Option<Certificate>,
    pub header_timeout: Duration,
    /// How long a client may leave sent data unread.
    pub stalled: Duration,
    /// The limit on connections.
    pub connections: Connections,
}

/// The listener as a child.
pub fn child(name: &str, kind: ActorKind, listener: Listener) -> ChildSpec<NoMessages> {
    let serves = listener
        .socket
        .local_addr()
        .map_or_else(|_| "?".to_owned(), |address| address.to_string());
    ChildSpec::worker_that_winds_down(name, kind, move |cx| serve(listener.clone(), cx))
        .serves(serves)
        .grace(DRAIN + Duration::from_secs(2))
}

async fn serve(listener: Listener, cx: JobContext) -> Result<(), Failure> {
    let socket = listener.socket.try_clone()?;
    socket.set_nonblocking(true)?;
    // Accepted sockets inherit this option. Without it two small frames in a row (an acknowledgement, then an operation)
    // wait 40 ms for the other end's delayed acknowledgement.
    rustix::net::sockopt::set_tcp_nodelay(&socket, true)?;
    // Inherited as well. A client that never reads would hold its connection and its unsent data for ever. Only the
    // kernel can detect this: hyper does not request more data while nothing is sent.
    let stalled = u32::try_from(listener.stalled.as_millis()).unwrap_or(u32::MAX);
    rustix::net::sockopt::set_tcp_user_timeout(&socket, stalled)?;
    let handle = Handle::<SocketAddr>::new();
    let service = listener
        .router
        .into_make_service_with_connect_info::<SocketAddr>();
    let within = listener.header_timeout;
    let counting = Counting {
        connections: listener.connections,
        plain: listener.tls.is_none(),
    };
    let serving = async {
        match listener.tls {
            Some(tls) => {
                let mut server = axum_server::from_tcp_rustls(socket, tls.acceptor())?
                    .map(|inner| IdleTimeout {
                        inner: inner.acceptor(counting),
                        within,
                        versions: HttpVersions::Both,
                    })
                    .handle(handle.clone());
                slow_loris(server.http_builder(), listener.header_timeout);
                server.serve(service).await
            }
            None => {
                let mut server = axum_server::from_tcp(socket)?
                    .acceptor(IdleTimeout {
                        inner: counting,
                        within,
                        versions: HttpVersions::Http1,
                    })
                    .handle(handle.clone());
                slow_loris(server.http_builder(), listener.header_timeout);
                server.serve(service).await
            }
        }
    };
    let draining = async {
        cx.cancelled().await;
        handle.graceful_shutdown(Some(DRAIN));
        std::future::pending::<()>().await;
    };
    tokio::select! {
        outcome = serving => outcome.map_err(Into::into),
        () = draining => Ok(()),
    }
}

/// A client that sends its headers one byte at a time must not hold a connection for ever.
fn slow_loris(
    builder: &mut hyper_util::server::conn::auto::Builder<hyper_util::rt::TokioExecutor>,
    header_timeout: Duration,
) {
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        // Larger headers, and more than a hundred, get the status 431.
        .max_buf_size(LARGEST_HEAD)
        // A frame of a stream is a chunk of three pieces. One copy of them costs less than three buffers for the
        // kernel.
        .writev(false);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20))
        .max_header_list_size(LARGEST_HEAD as u32)
        .max_concurrent_streams(256);
}
