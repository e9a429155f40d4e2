//! A proxy before PostgreSQL that breaks off between two statements of its clients. All connections break, as they do
//! when the server restarts, and new ones are accepted at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use url::Url;

/// On which side of a statement the connections break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The server does not get it.
    Before,
    /// The server carries it out, and nobody hears of it.
    After,
}

/// The end of the message that asks for TLS.
const TLS_REQUEST: [u8; 4] = 80_877_103_u32.to_be_bytes();

/// Runs until it is dropped.
#[derive(Debug)]
pub struct BreakingProxy {
    url: Url,
    plan: Arc<Plan>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Plan {
    /// The statements until the break. Negative: it has happened, or none is planned.
    left: AtomicI64,
    side: watch::Sender<Side>,
    breaks: watch::Sender<u64>,
}

impl BreakingProxy {
    /// A proxy before the server of this URL.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn before(server: &str) -> Self {
        let mut url = Url::parse(server).expect("a URL");
        let host = url.host_str().expect("a host").to_owned();
        let server = (host, url.port().unwrap_or(5432));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        url.set_host(Some("127.0.0.1")).expect("a host");
        url.set_port(Some(port)).expect("a port");
        let plan = Arc::new(Plan {
            left: AtomicI64::new(-1),
            side: watch::channel(Side::Before).0,
            breaks: watch::channel(0).0,
        });
        let planned = plan.clone();
        let task = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let (plan, server) = (planned.clone(), server.clone());
                tokio::spawn(async move {
                    let mut breaks = plan.breaks.subscribe();
                    let Ok(far) = TcpStream::connect(server).await else {
                        return;
                    };
                    // A statement is several small messages, and each waits for nothing.
                    let fast = near.set_nodelay(true).and(far.set_nodelay(true));
                    fast.expect("a socket of this process");
                    let (near_read, near_write) = near.into_split();
                    let (far_read, far_write) = far.into_split();
                    let last = AtomicBool::new(false);
                    // Either end may close at any time.
                    tokio::select! {
                        _ = statements(near_read, far_write, &plan, &last) => {}
                        _ = answers(far_read, near_write, &plan, &last) => {}
                        _ = breaks.changed() => {}
                    }
                });
            }
        });
        Self { url, plan, task }
    }

    /// The URL of the database behind the proxy.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Breaks at the statement that is the `nth` from now on, counted from 0, of whatever connection.
    pub fn break_at(&self, nth: u32, side: Side) {
        self.plan.side.send_replace(side);
        self.plan.left.store(i64::from(nth), Ordering::SeqCst);
    }

    /// Whether the planned break has happened. It plans none from now on.
    pub fn broke(&self) -> bool {
        self.plan.left.swap(-1, Ordering::SeqCst) < 0
    }
}

impl Drop for BreakingProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Forwards what a client sends, message by message, and breaks where it is planned. `last` is set when the answer to
/// what was sent is the one that nobody gets.
async fn statements(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    plan: &Plan,
    last: &AtomicBool,
) -> std::io::Result<()> {
    let mut length = from.read_u32().await?;
    let mut kind = None;
    loop {
        let mut message = Vec::from_iter(kind);
        message.extend(length.to_be_bytes());
        let head = message.len();
        let body = usize::try_from(length).unwrap_or(4).saturating_sub(4);
        message.resize(head + body, 0);
        from.read_exact(&mut message[head..]).await?;
        // The messages of a statement end with a sync. A simple query is one message.
        let ends = matches!(kind, Some(b'S' | b'Q'));
        if ends && plan.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            if *plan.side.borrow() == Side::Before {
                plan.breaks.send_modify(|n| *n += 1);
                return Ok(());
            }
            last.store(true, Ordering::SeqCst);
        }
        to.write_all(&message).await?;
        // The start has no type, and may come after a request for TLS.
        let asks_for_tls = kind.is_none() && message.ends_with(&TLS_REQUEST);
        if !asks_for_tls {
            kind = Some(from.read_u8().await?);
        }
        length = from.read_u32().await?;
    }
}

/// Forwards what the server answers, up to the last answer.
async fn answers(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    plan: &Plan,
    last: &AtomicBool,
) -> std::io::Result<()> {
    let mut some = vec![0; 16 << 10];
    loop {
        let n = from.read(&mut some).await?;
        if n == 0 {
            return Ok(());
        }
        if last.load(Ordering::SeqCst) {
            plan.breaks.send_modify(|n| *n += 1);
            return Ok(());
        }
        to.write_all(&some[..n]).await?;
    }
}
