//! A load balancer: one address for several gateways. Connections go to the gateway that it points at.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// Runs until it is dropped.
#[derive(Debug)]
pub struct LoadBalancer {
    at: SocketAddr,
    to: Arc<AtomicU16>,
    /// Number of turns; a turn closes existing connections.
    turns: watch::Sender<u64>,
    task: JoinHandle<()>,
}

impl LoadBalancer {
    /// Points at a port of this machine.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = listener.local_addr().expect("an address");
        let to = Arc::new(AtomicU16::new(port));
        let (turns, _) = watch::channel(0);
        let (target, watched) = (to.clone(), turns.clone());
        let task = tokio::spawn(async move {
            let mut lines = JoinSet::new();
            while let Ok((mut near, _)) = listener.accept().await {
                let (target, mut turned) = (target.clone(), watched.subscribe());
                turned.mark_unchanged();
                lines.spawn(async move {
                    let port = target.load(Ordering::SeqCst);
                    let Ok(mut far) = TcpStream::connect(("127.0.0.1", port)).await else {
                        return;
                    };
                    let both = tokio::io::copy_bidirectional(&mut near, &mut far);
                    // Either end may close at any time.
                    tokio::select! { _ = both => {} _ = turned.changed() => {} }
                });
                while lines.try_join_next().is_some() {}
            }
        });
        Self {
            at,
            to,
            turns,
            task,
        }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://{}", self.at)
    }

    /// Points at another port and closes existing connections.
    pub fn turn(&self, port: u16) {
        self.to.store(port, Ordering::SeqCst);
        self.turns.send_modify(|turn| *turn += 1);
    }
}

impl Drop for LoadBalancer {
    fn drop(&mut self) {
        self.task.abort();
    }
}
