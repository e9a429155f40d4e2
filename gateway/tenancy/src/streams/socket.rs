//! One stream on its own socket: it takes frames from the stream's queue, writes them as chunks of HTTP/1.1, and notices
//! at once when the client closes its end. It is a future that ends with the connection; the sender polls it.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::send_queue::SendQueueReader;
use roost_web::connections::Connection;

/// The most bytes that a client may send after its request. The answer said that the connection closes, so they have no
/// meaning.
const MOST_IGNORED: usize = 64 << 10;
/// Chunks up to this size are copied and written at once: a copy costs less than three buffers for the kernel.
const SMALL: usize = 2 << 10;
/// The size of the largest chunk in hexadecimal digits, and the end of the line.
const HEAD: usize = 18;

/// A stream and its socket.
pub(super) struct StreamSocket {
    socket: TcpStream,
    reader: SendQueueReader,
    /// The chunk that the socket has not taken completely.
    chunk: Option<Chunk>,
    /// The last chunk is written or on its way.
    last: bool,
    ignored: usize,
    /// The connection counts until its socket closes.
    _connection: Connection,
}

/// A chunk of HTTP/1.1 on its way.
struct Chunk {
    bytes: Bytes,
    sent: usize,
    /// The socket had no room.
    waits: bool,
}

impl StreamSocket {
    pub(super) fn new(socket: TcpStream, connection: Connection, reader: SendQueueReader) -> Self {
        Self {
            socket,
            reader,
            chunk: None,
            last: false,
            ignored: 0,
            _connection: connection,
        }
    }

    /// Writes everything that waits. Ready when the connection is over.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            if let Some(chunk) = &mut self.chunk {
                if chunk.waits && self.reader.is_cut(cx) {
                    // The rest of the chunk must not be sent.
                    return Poll::Ready(Ok(()));
                }
                match chunk.poll_write(&mut self.socket, cx) {
                    Poll::Ready(written) => written?,
                    Poll::Pending if self.reader.is_cut(cx) => return Poll::Ready(Ok(())),
                    Poll::Pending => {
                        chunk.waits = true;
                        return Poll::Pending;
                    }
                }
                self.chunk = None;
            }
            if self.last {
                return Poll::Ready(Ok(()));
            }
            self.chunk = match self.reader.poll_frames(cx) {
                Poll::Pending => return Poll::Pending,
                // An empty chunk would end the answer.
                Poll::Ready(Some(bytes)) if bytes.is_empty() => None,
                Poll::Ready(Some(bytes)) => Some(Chunk::of(bytes)),
                Poll::Ready(None) => {
                    self.last = true;
                    Some(Chunk::of(Bytes::new()))
                }
            };
        }
    }

    /// Reads and ignores what the client sends. Ready when the client has closed its end or sent too much.
    fn poll_client(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut space = [0; 512];
        loop {
            let mut buffer = ReadBuf::new(&mut space);
            match Pin::new(&mut self.socket).poll_read(cx, &mut buffer) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Ready(Ok(())) => {
                    self.ignored += buffer.filled().len();
                    if buffer.filled().is_empty() || self.ignored > MOST_IGNORED {
                        return Poll::Ready(());
                    }
                }
            }
        }
    }
}

impl Future for StreamSocket {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.poll_send(cx).is_ready() || self.poll_client(cx).is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

impl Chunk {
    fn of(bytes: Bytes) -> Self {
        Self {
            bytes,
            sent: 0,
            waits: false,
        }
    }

    /// Writes the rest: the size in hexadecimal digits, the bytes, the end of the line.
    fn poll_write(&mut self, socket: &mut TcpStream, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut space = [0; HEAD];
        let head = head(self.bytes.len(), &mut space);
        let all = head.len() + self.bytes.len() + 2;
        while self.sent < all {
            let written = if all <= SMALL {
                let mut copy = [0; SMALL];
                copy[..head.len()].copy_from_slice(head);
                copy[head.len()..all - 2].copy_from_slice(&self.bytes);
                copy[all - 2..all].copy_from_slice(b"\r\n");
                Pin::new(&mut *socket).poll_write(cx, &copy[self.sent..all])
            } else {
                let mut parts = [head, &self.bytes[..], &b"\r\n"[..]].map(IoSlice::new);
                let mut parts = &mut parts[..];
                IoSlice::advance_slices(&mut parts, self.sent);
                Pin::new(&mut *socket).poll_write_vectored(cx, parts)
            };
            match written {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(count)) => self.sent += count,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return Poll::Pending,
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// The first line of a chunk.
fn head(size: usize, space: &mut [u8; HEAD]) -> &[u8] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let (mut at, mut rest) = (HEAD - 2, size);
    space[at..].copy_from_slice(b"\r\n");
    loop {
        at -= 1;
        space[at] = DIGITS[rest % 16];
        rest /= 16;
        if rest == 0 {
            return &space[at..];
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;
    use crate::streams::send_queue::{self, SendQueue};
    use roost_web::client_address::TrustedProxies;
    use roost_web::connections::{Admission, ConnectionLimits, Connections};

    /// Both ends of a connection with small buffers, and the queue of the stream on it.
    async fn stream() -> (SendQueue, StreamSocket, TcpStream, Connections) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let client = TcpSocket::new_v4().unwrap();
        client.set_recv_buffer_size(4 << 10).unwrap();
        let client = client.connect(listener.local_addr().unwrap());
        let (client, server) = tokio::join!(client, listener.accept());
        let (server, from) = server.unwrap();
        let limits = ConnectionLimits::of_operators();
        let connections = Connections::new(limits, TrustedProxies::default());
        let Admission::Taken(connection) = connections.admit(from.ip(), true) else {
            panic!("there is room");
        };
        let (queue, reader) = send_queue::pair();
        let socket = StreamSocket::new(server, connection, reader);
        (queue, socket, client.unwrap(), connections)
    }

    /// The contents of an answer in chunks. Fails when it is not complete.
    fn contents(mut text: &str) -> String {
        let mut contents = String::new();
        loop {
            let (size, rest) = text.split_once("\r\n").expect("the size of a chunk");
            let size = usize::from_str_radix(size, 16).expect("hexadecimal digits");
            contents.push_str(&rest[..size]);
            text = rest[size..]
                .strip_prefix("\r\n")
                .expect("the end of a chunk");
            if size == 0 {
                assert_eq!(text, "", "after the last chunk");
                return contents;
            }
        }
    }

    #[tokio::test]
    async fn frames_of_every_size_arrive_in_chunks_and_the_answer_ends() {
        let (queue, socket, mut client, _connections) = stream().await;
        let mut expected = String::new();
        let sending = async {
            for size in [1, 15, 16, 2_030, 2_048, 2_049, 16_384, 70_000, 300_000, 3] {
                let frame = "x".repeat(size - 1) + "\n";
                queue.send(Bytes::from(frame.clone())).await.unwrap();
                expected.push_str(&frame);
            }
            queue.end();
        };
        let mut received = String::new();
        let ((), (), read) = tokio::join!(sending, socket, client.read_to_string(&mut received));
        read.unwrap();
        assert!(contents(&received) == expected);
    }

    #[tokio::test]
    async fn client_that_closes_its_end_is_noticed_at_once() {
        let (_queue, socket, client, connections) = stream().await;
        assert_eq!(connections.counts().0, 1, "it counts");
        drop(client);
        socket.await;
        assert_eq!(connections.counts().0, 0);
    }

    #[tokio::test]
    async fn client_may_send_a_little_and_not_much() {
        let (queue, socket, mut client, _connections) = stream().await;
        let mut socket = Box::pin(socket);
        client
            .write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            .await
            .unwrap();
        queue.send(Bytes::from_static(b"hello")).await.unwrap();
        let mut five = [0; 10];
        tokio::select! {
            () = &mut socket => panic!("it goes on"),
            read = client.read_exact(&mut five) => read.unwrap(),
        };
        assert_eq!(&five, b"5\r\nhello\r\n");
        let flood = async { while client.write_all(&[b'x'; 1_024]).await.is_ok() {} };
        tokio::join!(socket, flood);
    }

    #[tokio::test]
    async fn cut_stream_closes_without_the_rest_of_its_chunk() {
        let (queue, socket, mut client, _connections) = stream().await;
        // More than both ends' buffers hold.
        queue.send(Bytes::from(vec![b'x'; 32 << 20])).await.unwrap();
        let cut = async {
            let mut some = [0; 100];
            client.read_exact(&mut some).await.unwrap();
            queue.discard();
        };
        tokio::join!(socket, cut);
        let mut rest = Vec::new();
        // A reset may come before the end.
        drop(client.read_to_end(&mut rest).await);
        assert!(rest.len() < 32 << 20);
        assert!(!rest.ends_with(b"0\r\n\r\n"));
    }

    proptest! {
        #[test]
        fn size_of_a_chunk_is_written_in_hexadecimal_digits(size: usize) {
            let mut space = [0; HEAD];
            let text = std::str::from_utf8(head(size, &mut space)).unwrap();
            prop_assert_eq!(text, format!("{size:x}\r\n"));
        }
    }
}
