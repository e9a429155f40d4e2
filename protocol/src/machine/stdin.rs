//! Stdin by offset: a retry sends the same bytes at the same offset and does no harm.
//!
//! ```text
//!  client ──POST stdin?offset──▶ Taker ▶ Source ──stdin {offset}──▶ Taker ▶ guest
//!                                          ▲ ◀──── stdin_taken {offset} ───┘
//! ```
//!
//! [`Taker`] stands at each edge that takes bytes (the gateway's route, the daemon, the guest); [`Source`] keeps what the
//! node has not confirmed and sends it again after a reconnect. A daemon holds what the guest has no room for (never more
//! than a source lets wait) and confirms only what the guest took, since the guest outlives it.
use crate::limits::{MAX_CHUNK_BYTES, MAX_STDIN_WAITING_BYTES};

/// What to do with bytes at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StdinTaken {
    /// Take the bytes without the first `skip`; `eof` says that stdin closes after them.
    Take { skip: usize, eof: bool },
    /// Seen before, or the end was already taken: answer with [`Taker::taken`].
    Nothing,
    /// Bytes before it are missing: take nothing, answer with [`Taker::taken`] so that the sender goes back.
    Ahead,
}

/// Takes bytes in order, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taker {
    taken: u64,
    closed: bool,
}

impl Taker {
    /// One that has already taken so much.
    pub fn at(taken: u64, closed: bool) -> Self {
        Self { taken, closed }
    }

    /// Offset after the last byte that was taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Whether the end was taken.
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
        let skip = usize::try_from(self.taken - offset).map_or(len, |skip| skip.min(len));
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

/// What a gateway still has to bring to a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Source {
    confirmed: u64,
    sent: u64,
    end: u64,
    closed: bool,
    close_sent: bool,
}

impl Source {
    /// After a restart of the gateway, when the node has said (asked by an empty chunk at offset 0) what it has taken.
    pub fn restore(taken: u64) -> Self {
        Self {
            confirmed: taken,
            sent: taken,
            end: taken,
            ..Self::default()
        }
    }

    /// Offset after the last byte that came in.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// How many more bytes may wait here.
    pub fn room(&self) -> u64 {
        MAX_STDIN_WAITING_BYTES.saturating_sub(self.end - self.confirmed)
    }

    /// Offset of the first byte that has to be kept.
    pub fn kept_from(&self) -> u64 {
        self.confirmed
    }

    /// Bytes came in; `len` must not be over [`Self::room`].
    pub fn push(&mut self, len: u64, eof: bool) {
        if !self.closed {
            self.end = self.end.saturating_add(len.min(self.room()));
            self.closed = eof;
        }
    }

    /// The next chunk to send on this connection.
    pub fn next(&self) -> Option<Chunk> {
        let len = usize::try_from(self.end - self.sent)
            .map_or(MAX_CHUNK_BYTES, |n| n.min(MAX_CHUNK_BYTES));
        let eof = self.closed && self.sent + len as u64 == self.end;
        (len > 0 || (eof && !self.close_sent)).then_some(Chunk {
            offset: self.sent,
            len,
            eof,
        })
    }

    /// That chunk was sent.
    pub fn sent(&mut self, chunk: Chunk) {
        self.sent = self.sent.max(chunk.offset + chunk.len as u64).min(self.end);
        self.close_sent |= chunk.eof;
    }

    /// The node has taken everything before this offset; one that lies before what was sent means "go back".
    pub fn confirm(&mut self, offset: u64) {
        self.confirmed = self.confirmed.max(offset.min(self.sent));
    }

    /// The node is connected again: whatever it did not confirm is sent again.
    pub fn resume(&mut self) {
        self.sent = self.confirmed;
        self.close_sent = false;
    }
}
