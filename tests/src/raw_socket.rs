//! A connection below HTTP clients: for clients that are slow, hostile, or do not read.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::Gateway;

/// How long a test waits for bytes or an end before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection to a gateway's public listener.
#[derive(Debug)]
pub struct RawSocket {
    socket: TcpStream,
    read: Vec<u8>,
}

impl RawSocket {
    /// Connects with a small receive buffer.
    ///
    /// # Panics
    /// When nobody listens.
    pub async fn connect(gateway: &Gateway) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(32 << 10).expect("a buffer");
        let connected = socket.connect(gateway.app().public_address()).await;
        Self {
            socket: connected.expect("somebody listens"),
            read: Vec::new(),
        }
    }

    /// Sends bytes. A closed connection ignores them.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        drop(self.socket.write_all(bytes.as_ref()).await);
    }

    /// Requests a path with a bearer token.
    pub async fn get(&mut self, path: &str, token: &str) {
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n");
        self.send(request).await;
    }

    /// Reads until `done` returns true for the received text; `false` when the connection ended before.
    ///
    /// # Panics
    /// When nothing more arrives.
    pub async fn read_until(&mut self, done: impl Fn(&str) -> bool) -> bool {
        let mut piece = vec![0; 64 << 10];
        loop {
            let latest = self.read.len().saturating_sub(16 << 10);
            if done(&String::from_utf8_lossy(&self.read[latest..])) {
                return true;
            }
            let read = tokio::time::timeout(PATIENCE, self.socket.read(&mut piece)).await;
            match read.expect("bytes or an end in time") {
                Ok(count @ 1..) => self.read.extend_from_slice(&piece[..count]),
                Ok(0) | Err(_) => return false,
            }
        }
    }

    /// Reads one byte, if one has arrived.
    pub fn read_byte(&mut self) {
        let mut byte = [0];
        if let Ok(1) = self.socket.try_read(&mut byte) {
            self.read.push(byte[0]);
        }
    }

    /// Reads to the end of the connection; returns everything received.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn read_to_end(&mut self) -> String {
        self.read_until(|_| false).await;
        self.text()
    }

    /// Everything received so far.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.read).into_owned()
    }

    /// The sequence numbers of the received events. A frame is never split between two chunks.
    pub fn sequences(&self) -> Vec<i64> {
        self.text()
            .lines()
            .filter_map(|line| line.strip_prefix("id: 1."))
            .map(|seq| seq.trim().parse().expect("a number"))
            .collect()
    }
}
