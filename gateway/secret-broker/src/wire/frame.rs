//! Frames: four bytes of length, one of kind, the payload. A message is MessagePack with field names; a body is bytes.
//!
//! The reader never allocates by a length that a peer claims, and a peer must finish a frame in a bounded time. Buffers
//! for messages are wiped, because a message may carry a secret.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::Instant;
use zeroize::{Zeroize, Zeroizing};

/// Longest message.
pub const MAX_MESSAGE: usize = 256 * 1024;
/// Longest piece of a body.
pub const MAX_BODY_FRAME: usize = 64 * 1024;
/// Deepest nesting of a message; the deepest of ours has 5.
const MAX_DEPTH: usize = 16;
const HEAD: usize = 5;

const MESSAGE: u8 = 1;
const BODY: u8 = 2;
const END: u8 = 3;

/// One frame.
pub enum Frame {
    Message(Zeroizing<Vec<u8>>),
    Body(Bytes),
    /// The end of a body.
    End,
}

/// Why a connection cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("a frame of kind {kind} claims {length} bytes, which is over the limit")]
    TooLarge { kind: u8, length: usize },
    #[error("a frame of an unknown kind, {0}")]
    UnknownKind(u8),
    #[error("the message is not MessagePack of the expected shape")]
    Malformed(#[source] rmp_serde::decode::Error),
    #[error("the message has bytes after its end")]
    Trailing,
    #[error("the message cannot be encoded")]
    Encode(#[source] rmp_serde::encode::Error),
    #[error("the connection broke inside a frame")]
    CutOff,
    #[error("the peer sent nothing for too long")]
    Idle,
    #[error("a frame was not finished in time, or not read in time")]
    Stalled,
    #[error("the connection failed")]
    Io(#[from] io::Error),
}

/// How long to wait for a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Until a frame begins; `None` waits without a limit.
    pub idle: Option<Duration>,
    /// From a frame's first byte to its last, in both directions.
    pub frame: Duration,
}

/// Reads frames. Every method can be dropped at an await without losing bytes.
pub struct FrameReader<R> {
    from: R,
    /// Allocated once, at its full size, so that no copy of a secret stays in a buffer that grew.
    buffer: Zeroizing<Vec<u8>>,
    begin: usize,
    end: usize,
    /// When the present frame began.
    since: Option<Instant>,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    /// A reader of `from`.
    pub fn new(from: R) -> Self {
        Self {
            from,
            buffer: Zeroizing::new(vec![0; HEAD + MAX_MESSAGE]),
            begin: 0,
            end: 0,
            since: None,
        }
    }

    /// The next frame; `None` when the peer closed between two frames.
    ///
    /// # Errors
    /// Any [`FrameError`] except `Encode`; the connection cannot be used after one.
    pub async fn next(&mut self, patience: Patience) -> Result<Option<Frame>, FrameError> {
        loop {
            if let Some(frame) = self.take()? {
                self.since = None;
                return Ok(Some(frame));
            }
            if self.begin > 0 {
                self.buffer.copy_within(self.begin..self.end, 0);
                let kept = self.end - self.begin;
                self.buffer[kept..self.end].zeroize();
                (self.begin, self.end) = (0, kept);
            }
            let partial = self.end > 0;
            let deadline = if partial {
                Some((
                    *self.since.get_or_insert_with(Instant::now) + patience.frame,
                    FrameError::Stalled,
                ))
            } else {
                patience
                    .idle
                    .map(|idle| (Instant::now() + idle, FrameError::Idle))
            };
            let read = self.from.read(&mut self.buffer[self.end..]);
            let count = match deadline {
                None => read.await?,
                Some((at, late)) => match tokio::time::timeout_at(at, read).await {
                    Ok(count) => count?,
                    Err(_) => return Err(late),
                },
            };
            if count == 0 {
                return if partial {
                    Err(FrameError::CutOff)
                } else {
                    Ok(None)
                };
            }
            self.end += count;
        }
    }

    /// A whole frame from the buffer, if it holds one.
    fn take(&mut self) -> Result<Option<Frame>, FrameError> {
        let there = &self.buffer[self.begin..self.end];
        let Some(head) = there.first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let kind = head[4];
        let most = match kind {
            MESSAGE => MAX_MESSAGE,
            BODY => MAX_BODY_FRAME,
            END => 0,
            unknown => return Err(FrameError::UnknownKind(unknown)),
        };
        if length > most {
            return Err(FrameError::TooLarge { kind, length });
        }
        let Some(payload) = there.get(HEAD..HEAD + length) else {
            return Ok(None);
        };
        let frame = match kind {
            MESSAGE => Frame::Message(Zeroizing::new(payload.to_vec())),
            BODY => Frame::Body(Bytes::copy_from_slice(payload)),
            _ => Frame::End,
        };
        let next = self.begin + HEAD + length;
        self.buffer[self.begin..next].zeroize();
        self.begin = next;
        if self.begin == self.end {
            (self.begin, self.end) = (0, 0);
        }
        Ok(Some(frame))
    }
}

/// Writes frames.
pub struct FrameWriter<W> {
    to: W,
    buffer: Zeroizing<Vec<u8>>,
}

impl<W: AsyncWrite + Unpin> FrameWriter<W> {
    /// A writer to `to`.
    pub fn new(to: W) -> Self {
        Self {
            to,
            buffer: Zeroizing::new(Vec::with_capacity(HEAD + MAX_MESSAGE)),
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// See [`FrameError`]; the connection cannot be used after one.
    pub async fn message<M: Serialize>(
        &mut self,
        message: &M,
        patience: Patience,
    ) -> Result<(), FrameError> {
        self.put_message(message)?;
        self.flush(patience).await
    }

    /// Puts a message into the buffer; it is sent together with what follows.
    ///
    /// # Errors
    /// When it cannot be encoded, or is too long.
    pub fn put_message<M: Serialize>(&mut self, message: &M) -> Result<(), FrameError> {
        let begin = self.buffer.len();
        self.buffer.extend_from_slice(&[0, 0, 0, 0, MESSAGE]);
        rmp_serde::encode::write_named(&mut *self.buffer, message).map_err(FrameError::Encode)?;
        let length = self.buffer.len() - begin - HEAD;
        if length > MAX_MESSAGE {
            self.buffer.zeroize();
            return Err(FrameError::TooLarge {
                kind: MESSAGE,
                length,
            });
        }
        self.buffer[begin..begin + 4].copy_from_slice(&length_bytes(length));
        Ok(())
    }

    /// Sends bytes of a body, in as many frames as necessary.
    ///
    /// # Errors
    /// As for [`FrameError`].
    pub async fn body(&mut self, bytes: &[u8], patience: Patience) -> Result<(), FrameError> {
        for piece in bytes.chunks(MAX_BODY_FRAME) {
            self.put(BODY, piece);
            self.flush(patience).await?;
        }
        Ok(())
    }

    /// Sends the end of a body.
    ///
    /// # Errors
    /// As for [`FrameError`].
    pub async fn end(&mut self, patience: Patience) -> Result<(), FrameError> {
        self.put(END, &[]);
        self.flush(patience).await
    }

    /// Puts bytes of a body into the buffer; they are sent together with what follows.
    pub fn put_body(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(MAX_BODY_FRAME) {
            self.put(BODY, piece);
        }
    }

    /// Puts the end of a body into the buffer.
    pub fn put_end(&mut self) {
        self.put(END, &[]);
    }

    /// Bytes in the buffer.
    pub fn waiting(&self) -> usize {
        self.buffer.len()
    }

    fn put(&mut self, kind: u8, payload: &[u8]) {
        self.buffer.extend_from_slice(&length_bytes(payload.len()));
        self.buffer.push(kind);
        self.buffer.extend_from_slice(payload);
    }

    /// Sends the buffer and wipes it.
    ///
    /// # Errors
    /// As for [`FrameError`].
    pub async fn flush(&mut self, patience: Patience) -> Result<(), FrameError> {
        let sent = tokio::time::timeout(patience.frame, self.to.write_all(&self.buffer)).await;
        // Wipes the used bytes; the capacity stays.
        self.buffer.as_mut_slice().zeroize();
        self.buffer.clear();
        sent.map_err(|_| FrameError::Stalled)?
            .map_err(FrameError::Io)
    }
}

fn length_bytes(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}

/// Encodes a message.
///
/// # Errors
/// [`FrameError::Encode`] when a value has no MessagePack form.
pub fn encode<M: Serialize>(message: &M) -> Result<Zeroizing<Vec<u8>>, FrameError> {
    // Large enough that the buffer never grows with a secret inside.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_MESSAGE));
    rmp_serde::encode::write_named(&mut *bytes, message).map_err(FrameError::Encode)?;
    Ok(bytes)
}

/// Decodes exactly one message.
///
/// # Errors
/// [`FrameError::Malformed`] and [`FrameError::Trailing`]; never panics on hostile input.
pub fn decode<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, FrameError> {
    let mut reader = rmp_serde::Deserializer::from_read_ref(bytes);
    reader.set_max_depth(MAX_DEPTH);
    let message = M::deserialize(&mut reader).map_err(FrameError::Malformed)?;
    // Only the end of the input is accepted here. Any other byte, readable or not, is an error.
    match serde::de::IgnoredAny::deserialize(&mut reader) {
        Err(rmp_serde::decode::Error::InvalidMarkerRead(error))
            if error.kind() == io::ErrorKind::UnexpectedEof =>
        {
            Ok(message)
        }
        _ => Err(FrameError::Trailing),
    }
}

#[cfg(test)]
mod tests;
