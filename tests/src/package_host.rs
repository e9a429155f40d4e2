//! A package registry on loopback. It serves files by path, and it can also misbehave: the answers are written as bytes.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What a path answers.
#[derive(Debug, Clone)]
pub enum Served {
    /// The file.
    File(Vec<u8>),
    /// A redirect to this address.
    Redirect(String),
    /// The head says that so many bytes follow, and these follow.
    Lying { says: u64, sends: Vec<u8> },
    /// A file whose length is not said before.
    Endless(Vec<u8>),
    /// Nothing, while the client waits.
    Silence,
    /// A file of this length, byte by byte: never silent, and never at its end.
    Trickle { says: u64 },
    /// This for the first request, and that for those after it.
    Then(Box<Served>, Box<Served>),
}

/// The registry.
#[derive(Clone)]
pub struct PackageHost {
    pub address: SocketAddr,
    served: Arc<Mutex<BTreeMap<String, Served>>>,
    visits: Arc<Mutex<Vec<String>>>,
}

impl PackageHost {
    /// Starts it without files.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let host = Self {
            address: listener.local_addr().expect("an address"),
            served: Arc::default(),
            visits: Arc::default(),
        };
        let serving = host.clone();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let host = serving.clone();
                tokio::spawn(async move { host.answer(socket).await });
            }
        });
        host
    }

    /// `http://127.0.0.1:<port>`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The setting `supplies.crates`.
    pub fn crates(&self) -> String {
        format!(
            "{}/crates/{{crate}}/{{crate}}-{{version}}.crate",
            self.url()
        )
    }

    /// Serves a path from now on.
    pub fn serve(&self, path: &str, served: Served) {
        let mut all = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(path.to_owned(), served);
    }

    /// Serves a crate of version 1.0.0.
    pub fn serve_crate(&self, name: &str, served: Served) {
        self.serve(&format!("/crates/{name}/{name}-1.0.0.crate"), served);
    }

    /// The paths that were asked for.
    pub fn visits(&self) -> Vec<String> {
        let visits = self.visits.lock().unwrap_or_else(PoisonError::into_inner);
        visits.clone()
    }

    async fn answer(&self, mut socket: TcpStream) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let Ok(byte) = socket.read_u8().await else {
                return;
            };
            head.push(byte);
        }
        let head = String::from_utf8_lossy(&head);
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let served = {
            let mut all = self.served.lock().unwrap_or_else(PoisonError::into_inner);
            match all.get(&path).cloned() {
                Some(Served::Then(first, after)) => {
                    all.insert(path.clone(), *after);
                    Some(*first)
                }
                found => found,
            }
        };
        self.visits
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(path);
        let (head, body) = match served {
            Some(Served::File(body)) => (format!("200 OK\r\ncontent-length: {}", body.len()), body),
            Some(Served::Lying { says, sends }) => {
                (format!("200 OK\r\ncontent-length: {says}"), sends)
            }
            Some(Served::Endless(body)) => ("200 OK".to_owned(), body),
            Some(Served::Redirect(to)) => (
                format!("302 Found\r\nlocation: {to}\r\ncontent-length: 0"),
                Vec::new(),
            ),
            Some(Served::Silence) => {
                // It ends when the client leaves.
                let _ = socket.read_u8().await;
                return;
            }
            Some(Served::Trickle { says }) => {
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {says}\r\n\r\n");
                let mut sent = socket.write_all(head.as_bytes()).await;
                while sent.is_ok() {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    sent = socket.write_all(b"x").await;
                }
                return;
            }
            Some(Served::Then(..)) | None => {
                ("404 Not Found\r\ncontent-length: 0".to_owned(), Vec::new())
            }
        };
        let head = format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n");
        // A client that has enough leaves.
        let _ = socket.write_all(head.as_bytes()).await;
        let _ = socket.write_all(&body).await;
        let _ = socket.shutdown().await;
    }
}

/// A compressed tar of files, as registries serve packages. Paths are written as they are.
///
/// # Panics
/// When a path is too long.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_mode(0o644);
        header.set_size(content.len() as u64);
        // The library refuses hostile paths, so the name is written as bytes.
        header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        archive.append(&header, *content).expect("it is written");
    }
    let packed = archive.into_inner().expect("it ends");
    packed.finish().expect("it ends")
}
