//! The gateway's side of one operation's output: what to request from the node, and how to handle a piece.
//!
//! ```text
//!            want · rewind            replay sent               a piece at `next`
//!  Silent ──────────────────▶ Owed ────────────────▶ Awaited ────────────────────▶ Flowing
//!    ▲                          ▲                                                     │
//!    └── the connection is gone └──── rewind, or a hole: what is missing is asked for ┘
//! ```
//!
//! A new operation begins as Flowing: its first connection needs no replay. While a replay is awaited, pieces beyond
//! `next` were sent before it and are dropped. Afterwards such a piece is a hole that the node made. The gateway
//! requests the missing bytes once, and closes the connection if the node skips them again.
//!
//! A rewind while output is under way makes this undecidable: pieces of the former replay look like the awaited one.
//! From then on, until the connection ends, a piece beyond `next` is a stray, and the missing bytes are requested.
use crate::limits::{INITIAL_CREDIT_BYTES, MAX_CHUNK_BYTES, MAX_STREAMED_BYTES};
use crate::output::Piece;

/// What happened to a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Already known, or beyond the end that was reported to callers.
    Duplicate,
    /// Take `len` bytes of the data after the first `skip`.
    Data { skip: u64, len: u64 },
    /// Bytes `from..to` are lost for good: show the mark.
    Gap { from: u64, to: u64 },
    /// Not requested, or sent before the newest replay: dropped.
    Stray,
    /// Bytes before it are missing: it is dropped, and the missing bytes are requested again.
    Hole,
}

/// The node broke the rules of the stream: close its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutputFault {
    #[error("a chunk of {0} bytes is over the limit of {MAX_CHUNK_BYTES}")]
    ChunkTooLarge(u64),
    #[error("output up to {end} was sent, but credit ended at {granted}")]
    OverCredit { end: u64, granted: u64 },
    #[error("output ends at {0}, which is beyond what one operation may stream")]
    BeyondCap(u64),
    #[error("a gap from {from} to {to} is reversed")]
    Backwards { from: u64, to: u64 },
    #[error("output from {from} on was skipped again after it was requested")]
    SkippedAgain { from: u64 },
}

/// What to send to the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grant {
    /// Send the control frame `credit`.
    Credit { up_to: u64 },
    /// Send the control frame `replay`.
    Replay { from: u64 },
}

/// What was requested from the node on this connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Nothing: the node sends nothing.
    Silent,
    /// A replay must be sent when there is room.
    Owed,
    /// A replay was sent; its first piece has not arrived yet.
    Awaited,
    /// Output arrives in order.
    Flowing,
}

/// The gateway's side of one operation's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receiver {
    window: u64,
    next: u64,
    consumed: u64,
    granted: u64,
    asked: Asked,
    /// Where the output ends, once the operation is over.
    end: Option<u64>,
    /// Where it ends on the node, which may have lost earlier output (a power cut).
    held: Option<u64>,
    /// Where a hole was first found. A second one at the same place is a fault.
    hole: Option<u64>,
    /// A rewind met output under way, so pieces of two replays may be mixed on this connection.
    mixed: bool,
}

impl Receiver {
    /// A new operation's output. `window` is what may wait for the reader: at least the first credit.
    pub fn new(window: u64) -> Self {
        Self {
            window: window.max(INITIAL_CREDIT_BYTES),
            next: 0,
            consumed: 0,
            granted: INITIAL_CREDIT_BYTES,
            asked: Asked::Flowing,
            end: None,
            held: None,
            hole: None,
            mixed: false,
        }
    }

    /// Output that is complete or not needed before `next`. Nothing arrives before [`Self::want`].
    pub fn restore(window: u64, next: u64) -> Self {
        Self {
            next,
            consumed: next,
            granted: next,
            asked: Asked::Silent,
            ..Self::new(window)
        }
    }

    /// Offset after the last accepted byte.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Bytes (including gaps) that the reader has not consumed; without gaps never over the window.
    pub fn waiting(&self) -> u64 {
        self.next.saturating_sub(self.consumed)
    }

    /// Whether all output is here. This is known only after the end.
    pub fn is_complete(&self) -> bool {
        self.end.is_some_and(|end| self.next >= end)
    }

    /// Whether the missing output was requested or arrives by itself.
    pub fn is_asked(&self) -> bool {
        self.asked != Asked::Silent
    }

    /// Whether pieces are on the way.
    pub fn is_under_way(&self) -> bool {
        matches!(self.asked, Asked::Awaited | Asked::Flowing)
    }

    /// Records the end of the operation and of its output. Only the first end counts.
    pub fn ended(&mut self, output_end: u64) {
        self.end.get_or_insert(output_end);
    }

    /// Records where the node's output ends. The node reports it again with each replay of an ended operation.
    pub fn held_to(&mut self, output_end: u64) {
        self.held = Some(output_end);
    }

    /// The output between the node's end and the end reported to callers is lost; it counts as received from here on.
    pub fn give_up_rest(&mut self) -> Option<Taken> {
        let end = self.end?;
        let from = self.next;
        (self.held.is_some_and(|held| from >= held) && from < end).then(|| {
            self.next = end;
            Taken::Gap { from, to: end }
        })
    }

    /// The connection is gone: pieces on the way are lost, and the next connection sends nothing without a request.
    pub fn disconnected(&mut self) {
        self.asked = Asked::Silent;
        self.mixed = false;
    }

    /// The next output is needed and nothing is on the way: [`Self::due`] requests it.
    pub fn want(&mut self) {
        if !self.is_complete() {
            self.asked = Asked::Owed;
            self.granted = self.next;
        }
    }

    /// Output from `from` on is needed (again); received pieces beyond it are discarded.
    pub fn rewind(&mut self, from: u64) {
        self.mixed |= self.is_under_way();
        self.next = from;
        self.consumed = from;
        self.want();
    }

    /// Handles a piece.
    ///
    /// # Errors
    /// [`OutputFault`] when the node broke a rule; nothing was accepted.
    pub fn take(&mut self, piece: &Piece) -> Result<Taken, OutputFault> {
        let (from, to) = (piece.start(), piece.end());
        if to > MAX_STREAMED_BYTES {
            return Err(OutputFault::BeyondCap(to));
        }
        if from > to {
            return Err(OutputFault::Backwards { from, to });
        }
        if let Piece::Data { data, .. } = piece
            && data.len() > MAX_CHUNK_BYTES
        {
            return Err(OutputFault::ChunkTooLarge(data.len() as u64));
        }
        // A machine may have continued after the gateway ended the operation. The end reported to callers stands.
        let end = to.min(self.end.unwrap_or(to));
        if end <= self.next {
            return Ok(Taken::Duplicate);
        }
        match self.asked {
            Asked::Silent | Asked::Owed => return Ok(Taken::Stray),
            Asked::Awaited if from > self.next => return Ok(Taken::Stray),
            Asked::Awaited | Asked::Flowing => {}
        }
        let is_data = matches!(piece, Piece::Data { .. });
        if is_data && to > self.granted {
            return Err(OutputFault::OverCredit {
                end: to,
                granted: self.granted,
            });
        }
        if from > self.next {
            return self.found_hole();
        }
        let before = std::mem::replace(&mut self.next, end);
        self.asked = Asked::Flowing;
        self.hole = None;
        if is_data {
            return Ok(Taken::Data {
                skip: before.saturating_sub(from),
                len: end.saturating_sub(before),
            });
        }
        // Lost bytes need no reader.
        if self.consumed == before {
            self.consumed = end;
        }
        Ok(Taken::Gap {
            from: before,
            to: end,
        })
    }

    fn found_hole(&mut self) -> Result<Taken, OutputFault> {
        if self.mixed {
            self.asked = Asked::Owed;
            self.granted = self.next;
            return Ok(Taken::Stray);
        }
        if self.hole == Some(self.next) {
            return Err(OutputFault::SkippedAgain { from: self.next });
        }
        self.hole = Some(self.next);
        self.asked = Asked::Owed;
        self.granted = self.next;
        Ok(Taken::Hole)
    }

    /// The reader consumed output up to this offset; [`Self::due`] may grant more credit.
    pub fn consume(&mut self, up_to: u64) {
        self.consumed = self.consumed.max(up_to.min(self.next));
    }

    /// The frame to send to the node, if it is worth one; counts as sent.
    pub fn due(&mut self) -> Option<Grant> {
        match self.asked {
            Asked::Silent => None,
            _ if self.is_complete() => None,
            Asked::Owed => self.replay_if_room(),
            Asked::Awaited | Asked::Flowing => {
                let possible = self.consumed.saturating_add(self.window);
                (possible.saturating_sub(self.granted) >= self.window / 4).then(|| {
                    self.granted = possible;
                    Grant::Credit { up_to: possible }
                })
            }
        }
    }

    /// At most the window may wait, so what a replay sends at once must fit.
    fn replay_if_room(&mut self) -> Option<Grant> {
        let granted = self.next.saturating_add(INITIAL_CREDIT_BYTES);
        (granted <= self.consumed.saturating_add(self.window)).then(|| {
            self.asked = Asked::Awaited;
            self.granted = granted;
            Grant::Replay { from: self.next }
        })
    }
}
