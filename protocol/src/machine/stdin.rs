//! Stdin by offset: a retry sends the same bytes at the same offset and is harmless.
//!
//! ```text
//!  client ──POST stdin?offset──▶ Feed ──stdin {offset}──▶ Feed ──stdin {offset}──▶ guest ▶ command
//!                                gateway ◀─ stdin_taken ─ daemon ◀── stdin_taken ────┘
//! ```
//!
//! The credit is implicit: unconfirmed bytes never exceed [`MAX_STDIN_WAITING_BYTES`], and only bytes that the command
//! has read are confirmed. So a command that does not read yet slows its client down, and the guest never has to refuse
//! bytes. [`Source`] decides what to send, and sends unconfirmed bytes again over a new connection. [`Feed`] is a
//! source with its bytes; the gateway and the daemon use it. [`Taker`] accepts bytes in order, each once, as a guest
//! does.
use std::collections::VecDeque;

use crate::limits::{MAX_CHUNK_BYTES, MAX_STDIN_WAITING_BYTES};

/// What to do with bytes at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StdinTaken {
    /// Accept the bytes without the first `skip`. With `eof`, stdin closes after them.
    Take { skip: usize, eof: bool },
    /// Known, or after the end: answer with [`Taker::taken`].
    Nothing,
    /// Bytes before it are missing: accept nothing, and answer with [`Taker::taken`] so that the sender goes back.
    Ahead,
}

/// Accepts bytes in order, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taker {
    taken: u64,
    closed: bool,
}

impl Taker {
    /// A taker that has already accepted so many bytes.
    pub fn at(taken: u64, closed: bool) -> Self {
        Self { taken, closed }
    }

    /// Offset after the last accepted byte.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Whether the end was accepted.
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// Decides about `len` bytes at `offset`.
    pub fn take(&mut self, offset: u64, len: usize, eof: bool) -> StdinTaken {
        if self.closed {
            return StdinTaken::Nothing;
        }
        if offset > self.taken {
            return StdinTaken::Ahead;
        }
        let Some(end) = offset.checked_add(len as u64) else {
            return StdinTaken::Nothing;
        };
        let closes = eof && end >= self.taken;
        if end <= self.taken && !closes {
            return StdinTaken::Nothing;
        }
        let known = self.taken.saturating_sub(offset);
        let skip = usize::try_from(known).map_or(len, |skip| skip.min(len));
        self.taken = self.taken.max(end);
        self.closed = closes;
        StdinTaken::Take { skip, eof: closes }
    }
}

/// A chunk to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub offset: u64,
    pub len: usize,
    pub eof: bool,
}

/// The decision about offered bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// `skip` bytes are known; keep the `take` bytes after them. Offer the rest when there is room.
    Take { skip: usize, take: usize },
    /// Bytes before them are missing, or stdin was closed before them. The expected offset is given.
    Refused { expected: u64 },
}

/// What still must be sent to the other end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Source {
    confirmed: u64,
    sent: u64,
    end: u64,
    closed: bool,
    close_sent: bool,
    /// The end was sent, and everything before it was confirmed afterwards.
    close_confirmed: bool,
}

impl Source {
    /// Restores it after a restart, when the other end has reported (on an empty chunk) what it has accepted.
    pub fn restore(taken: u64) -> Self {
        Self {
            confirmed: taken,
            sent: taken,
            end: taken,
            ..Self::default()
        }
    }

    /// Offset after the last received byte.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Offset after the last confirmed byte.
    pub fn confirmed(&self) -> u64 {
        self.confirmed
    }

    /// Whether stdin was closed and the other end has accepted everything before that.
    pub fn is_over(&self) -> bool {
        self.close_confirmed
    }

    /// How many more bytes may wait here.
    pub fn room(&self) -> u64 {
        MAX_STDIN_WAITING_BYTES.saturating_sub(self.end.saturating_sub(self.confirmed))
    }

    /// Offset of the first byte that must be kept.
    pub fn kept_from(&self) -> u64 {
        self.confirmed
    }

    /// Decides about `len` bytes at `offset` and accepts as many as there is room for. Stdin closes after them when all
    /// of them are accepted.
    pub fn offer(&mut self, offset: u64, len: usize, eof: bool) -> Offered {
        let refused = Offered::Refused { expected: self.end };
        if offset > self.end {
            return refused;
        }
        let Some(to) = offset.checked_add(len as u64) else {
            return refused;
        };
        if self.closed && to > self.end {
            return refused;
        }
        // At most all of the bytes are known.
        let skip = usize::try_from(self.end.saturating_sub(offset)).map_or(len, |n| n.min(len));
        let rest = len.saturating_sub(skip);
        let take = usize::try_from(self.room()).map_or(rest, |room| room.min(rest));
        self.push(take as u64, eof && take == rest && to >= self.end);
        Offered::Take { skip, take }
    }

    /// Adds received bytes; of more than [`Self::room`], only that many count.
    pub fn push(&mut self, len: u64, eof: bool) {
        if !self.closed {
            self.end = self.end.saturating_add(len.min(self.room()));
            self.closed = eof;
        }
    }

    /// The next chunk to send on this connection.
    pub fn next(&self) -> Option<Chunk> {
        let unsent = self.end.saturating_sub(self.sent);
        let len = usize::try_from(unsent).map_or(MAX_CHUNK_BYTES, |n| n.min(MAX_CHUNK_BYTES));
        let eof = self.closed && len as u64 == unsent;
        (len > 0 || (eof && !self.close_sent)).then_some(Chunk {
            offset: self.sent,
            len,
            eof,
        })
    }

    /// Records that the chunk was sent.
    pub fn sent(&mut self, chunk: Chunk) {
        let to = chunk.offset.saturating_add(chunk.len as u64);
        self.sent = self.sent.max(to).min(self.end);
        self.close_sent |= chunk.eof;
    }

    /// The other end has accepted everything before this offset. This may be more than was sent from here: an earlier
    /// process sent it, and the command reads it now.
    pub fn confirm(&mut self, offset: u64) {
        let most = if self.closed { self.end } else { u64::MAX };
        self.confirmed = self.confirmed.max(offset.min(most));
        self.sent = self.sent.max(self.confirmed);
        self.end = self.end.max(self.confirmed);
        self.close_confirmed |= self.close_sent && self.confirmed == self.end;
    }

    /// The other end is connected again: unconfirmed bytes are sent again.
    pub fn resume(&mut self) {
        self.sent = self.confirmed;
        self.close_sent = false;
    }
}

/// A [`Source`] with its unconfirmed bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    source: Source,
    bytes: VecDeque<u8>,
}

impl Feed {
    /// As [`Source::restore`].
    pub fn restore(taken: u64) -> Self {
        Self {
            source: Source::restore(taken),
            bytes: VecDeque::new(),
        }
    }

    /// The state without the bytes.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Accepts the bytes that are new and have room.
    pub fn offer(&mut self, offset: u64, data: &[u8], eof: bool) -> Offered {
        let offered = self.source.offer(offset, data.len(), eof);
        if let Offered::Take { skip, take } = offered {
            let new = data.iter().skip(skip).take(take);
            self.bytes.extend(new);
        }
        offered
    }

    /// The next chunk to send on this connection with its bytes; counts as sent.
    pub fn take_next(&mut self) -> Option<(Chunk, Vec<u8>)> {
        let chunk = self.source.next()?;
        let before = chunk.offset.saturating_sub(self.source.kept_from());
        let skip = usize::try_from(before).unwrap_or(usize::MAX);
        let bytes = self.bytes.iter().skip(skip).take(chunk.len).copied();
        let bytes = bytes.collect();
        self.source.sent(chunk);
        Some((chunk, bytes))
    }

    /// As [`Source::confirm`]; drops the confirmed bytes.
    pub fn confirm(&mut self, offset: u64) {
        let before = self.source.kept_from();
        self.source.confirm(offset);
        let gone = self.source.kept_from().saturating_sub(before);
        let gone = usize::try_from(gone).unwrap_or(usize::MAX);
        self.bytes.drain(..gone.min(self.bytes.len()));
    }

    /// As [`Source::resume`].
    pub fn resume(&mut self) {
        self.source.resume();
    }
}
