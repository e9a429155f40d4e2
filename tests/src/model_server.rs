//! A model server below HTTP: it sends the test's bytes exactly, and detects when the client disconnects.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};

/// How long a test waits for an event before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// One received request.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Request line and headers, in lower case.
    pub head: String,
    pub body: serde_json::Value,
}

/// The next action of the server.
pub enum Act {
    Say(Bytes),
    /// Waits for a signal of the test.
    Wait(oneshot::Receiver<()>),
    /// Sends this repeatedly, as long as the client reads.
    Repeat(Bytes, Duration),
    /// Sends nothing more and keeps the connection open.
    Hang,
}

/// A server that answers each client in the same way.
pub struct ModelServer {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    gone: mpsc::Receiver<()>,
}

impl ModelServer {
    /// Starts one that performs these actions for the first client, and answers no other.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn once(acts: Vec<Act>) -> Self {
        let (listener, server, told) = Self::listen().await;
        let asked = server.asked.clone();
        tokio::spawn(async move {
            if let Ok((socket, _)) = listener.accept().await {
                serve(socket, |_| acts, &asked).await;
                let _ = told.send(()).await;
            }
        });
        server
    }

    /// Starts one that sends this to every client.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn always(answer: impl Into<Bytes>) -> Self {
        let (listener, server, told) = Self::listen().await;
        let (asked, answer) = (server.asked.clone(), answer.into());
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                serve(socket, |_| vec![Act::Say(answer.clone())], &asked).await;
                let _ = told.try_send(());
            }
        });
        server
    }

    /// Starts one whose answer depends on the request.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn that(answer: impl Fn(&Asked) -> Bytes + Send + Sync + 'static) -> Self {
        let (listener, server, _told) = Self::listen().await;
        let asked = server.asked.clone();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                serve(socket, |request| vec![Act::Say(answer(request))], &asked).await;
            }
        });
        server
    }

    /// As [`ModelServer::always`], after this delay.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn slowly(answer: impl Into<Bytes>, thinks: Duration) -> Self {
        let (listener, server, _told) = Self::listen().await;
        let (asked, answer) = (server.asked.clone(), answer.into());
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (go_on, wait) = oneshot::channel();
                tokio::spawn(async move {
                    tokio::time::sleep(thinks).await;
                    let _ = go_on.send(());
                });
                let acts = vec![Act::Wait(wait), Act::Say(answer.clone())];
                serve(socket, |_| acts, &asked).await;
            }
        });
        server
    }

    async fn listen() -> (TcpListener, Self, mpsc::Sender<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (told, gone) = mpsc::channel(1);
        let server = Self {
            address: listener.local_addr().expect("an address"),
            asked: Arc::default(),
            gone,
        };
        (listener, server, told)
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.clone()
    }

    /// Waits until the first client's connection is closed.
    ///
    /// # Panics
    /// When it stays open.
    pub async fn is_left(&mut self) {
        let left = tokio::time::timeout(PATIENCE, self.gone.recv()).await;
        left.expect("the connection is closed");
    }
}

/// The head of an answer that streams events until its connection ends.
pub fn stream_head() -> Bytes {
    Bytes::from_static(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n",
    )
}

/// A whole answer.
pub fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Bytes {
    let mut head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-length: {}\r\nconnection: close\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    Bytes::from(format!("{head}\r\n{body}"))
}

async fn serve(
    mut socket: TcpStream,
    acts: impl FnOnce(&Asked) -> Vec<Act>,
    asked: &Mutex<Vec<Asked>>,
) {
    let Some(told) = read(&mut socket).await else {
        return;
    };
    let acts = acts(&told);
    asked
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(told);
    for act in acts {
        match act {
            Act::Say(bytes) => {
                if socket.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Act::Wait(go) => drop(go.await),
            Act::Repeat(bytes, every) => {
                while socket.write_all(&bytes).await.is_ok() {
                    if !every.is_zero() && ends_within(&mut socket, every).await {
                        return;
                    }
                }
                return;
            }
            Act::Hang => {
                ends_within(&mut socket, PATIENCE * 10).await;
                return;
            }
        }
    }
    drop(socket.shutdown().await);
    // Read the rest of the client's data, so that the client does not get a reset before it has read the answer.
    ends_within(&mut socket, PATIENCE).await;
}

/// Whether the client closes the connection within this time.
async fn ends_within(socket: &mut TcpStream, time: Duration) -> bool {
    let mut piece = [0; 1024];
    let until = tokio::time::Instant::now() + time;
    loop {
        match tokio::time::timeout_at(until, socket.read(&mut piece)).await {
            Err(_) => return false,
            Ok(Ok(0) | Err(_)) => return true,
            Ok(Ok(_)) => {}
        }
    }
}

/// One request with a body of a known length.
async fn read(socket: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        let count = socket
            .read(&mut piece)
            .await
            .ok()
            .filter(|&count| count > 0)?;
        bytes.extend_from_slice(&piece[..count]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"))
            .and_then(|length| length.trim().parse().ok())
            .unwrap_or(0);
        if bytes.len() >= end + 4 + length {
            let body = serde_json::from_slice(&bytes[end + 4..]).unwrap_or_default();
            return Some(Asked { head, body });
        }
    }
}

/// A real server (tests/python/model_server.py): llama.cpp with a tiny model of random weights. It ends when dropped.
pub struct RealModels {
    child: std::process::Child,
    pub address: SocketAddr,
}

impl RealModels {
    /// Starts it with this key.
    ///
    /// # Panics
    /// When its packages are missing.
    pub fn start(key: &str) -> Self {
        use std::io::BufRead;
        use std::process::{Command, Stdio};
        let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let mut child = Command::new(format!("{repository}/target/python/bin/python3"))
            .args(["tests/python/model_server.py", key])
            .current_dir(repository)
            // It ends together with this pipe, so it cannot outlive a killed test.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("run `deploy/setup.sh test`, which installs the packages of tests/python");
        let out = child.stdout.take().expect("a pipe");
        let mut line = String::new();
        let read = std::io::BufReader::new(out).read_line(&mut line);
        read.expect("a line");
        let address = line
            .trim()
            .strip_prefix("http://")
            .and_then(|at| at.parse().ok());
        Self {
            child,
            address: address.expect("the server of models starts and says where it is"),
        }
    }
}

impl Drop for RealModels {
    fn drop(&mut self) {
        // A process that has already ended is only waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
