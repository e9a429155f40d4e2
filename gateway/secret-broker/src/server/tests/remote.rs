//! A remote on this machine: sends scripted answers in scripted pieces and records what it receives.

use std::sync::Mutex;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// One received request.
#[derive(Debug, Clone)]
pub struct Received {
    pub head: String,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// The pieces of one answer.
pub type Pieces = Vec<Vec<u8>>;
type Say = Arc<dyn Fn(&Received) -> Pieces + Send + Sync>;

pub struct Remote {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Remote {
    pub async fn start(say: impl Fn(&Received) -> Pieces + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (received, say): (Arc<Mutex<Vec<Received>>>, Say) = (Arc::default(), Arc::new(say));
        let all = received.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(stream, all.clone(), say.clone()));
            }
        });
        Self { address, received }
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

/// A whole answer with its length.
pub fn whole(status: u16, headers: &str, body: &[u8]) -> Pieces {
    let head = format!(
        "HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    vec![[head.as_bytes(), body].concat()]
}

/// An answer in chunks, each written separately.
pub fn chunked(pieces: &[&[u8]]) -> Pieces {
    let mut all = vec![b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec()];
    for piece in pieces {
        all.push([format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat());
    }
    all.push(b"0\r\n\r\n".to_vec());
    all
}

async fn converse(mut stream: TcpStream, all: Arc<Mutex<Vec<Received>>>, say: Say) {
    let mut bytes = Vec::new();
    loop {
        let Some((received, used)) = parse(&bytes) else {
            let mut piece = [0; 16 * 1024];
            match stream.read(&mut piece).await {
                Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
                _ => return,
            }
            continue;
        };
        bytes.drain(..used);
        all.lock().unwrap().push(received.clone());
        for piece in say(&received) {
            if piece.is_empty() {
                // The script ends the connection here.
                return;
            }
            if stream.write_all(&piece).await.is_err() || stream.flush().await.is_err() {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

/// Parses a whole request at the beginning of the bytes; returns it and its length.
fn parse(bytes: &[u8]) -> Option<(Received, usize)> {
    let end = bytes.windows(4).position(|part| part == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut received = Received {
        head,
        body: Vec::new(),
    };
    if received.header("transfer-encoding") == Some("chunked") {
        let mut at = end;
        loop {
            let line = bytes[at..].windows(2).position(|part| part == b"\r\n")?;
            let length =
                usize::from_str_radix(std::str::from_utf8(&bytes[at..at + line]).ok()?, 16).ok()?;
            let begin = at + line + 2;
            let piece = bytes.get(begin..begin + length + 2)?;
            received.body.extend_from_slice(&piece[..length]);
            at = begin + length + 2;
            if length == 0 {
                return Some((received, at));
            }
        }
    }
    let length: usize = received
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    received.body = bytes.get(end..end + length)?.to_vec();
    Some((received, end + length))
}
