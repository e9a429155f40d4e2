//! Output by offset, with credit. Promise P3: what was emitted replays from an offset; a gap is marked, never silent.
//!
//! ```text
//!  offsets   0 ────────── kept_from ─────────── next ──────────── end ······ cap
//!  sender      gone (gap)          kept, sent         kept, unsent     counted and dropped beyond the cap
//!                                              credit: may send up to here
//!  receiver  stored ─────────────────────────── next ── granted
//! ```
//!
//! One numbered sequence an operation. Credit is an absolute offset, so a repeated or late grant does no harm, and one
//! slow reader holds up its own stream only. After a reconnect the sender waits for `replay {from}`; the receiver sends
//! it when its reader has room for the first credit beyond it, so it never holds more than its window. A node syncs what
//! was written before it writes the end to its ledger; what a power cut takes all the same is sent as a gap.
use crate::limits::{INITIAL_CREDIT_BYTES, MAX_CHUNK_BYTES, MAX_STREAMED_BYTES};
use crate::output::Piece;

/// What to send next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Bytes `offset..offset + most`, or fewer when the stream's name changes in between.
    Data { offset: u64, most: u64 },
    /// Bytes that are gone.
    Gap { from: u64, to: u64 },
}

/// The node's side of one operation's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    cap: u64,
    kept_from: u64,
    end: u64,
    /// Where the output ended as the ledger says; what lies between `end` and it did not survive.
    ended: u64,
    dropped: u64,
    next: u64,
    credit: u64,
    attached: bool,
}

impl Sender {
    /// A new command's output; its first connection needs no replay.
    pub fn new(cap: u64) -> Self {
        Self {
            cap: cap.min(MAX_STREAMED_BYTES),
            kept_from: 0,
            end: 0,
            ended: 0,
            dropped: 0,
            next: 0,
            credit: INITIAL_CREDIT_BYTES,
            attached: true,
        }
    }

    /// Output found on disk after a restart: waits for a replay.
    pub fn restore(cap: u64, kept_from: u64, end: u64, dropped: u64) -> Self {
        Self {
            kept_from: kept_from.min(end),
            end,
            dropped,
            attached: false,
            ..Self::new(cap)
        }
    }

    /// The operation ended with its output here. Output is to be synced before the end is written; where it was not, a
    /// power cut can leave less than the ledger knows of, and the rest is sent as a gap.
    pub fn ended_at(&mut self, output_end: u64) {
        self.ended = output_end;
    }

    /// Offset after the last byte that counts.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Offset of the oldest byte that can be sent.
    pub fn kept_from(&self) -> u64 {
        self.kept_from
    }

    /// Bytes beyond the cap.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The command wrote `len` bytes: how many of them to keep. The rest is counted.
    pub fn write(&mut self, len: u64) -> u64 {
        let keep = len.min(self.cap.saturating_sub(self.end));
        self.end += keep;
        self.dropped = self.dropped.saturating_add(len - keep);
        keep
    }

    /// The store dropped what lies before `kept_from`.
    pub fn trim(&mut self, kept_from: u64) {
        self.kept_from = self.kept_from.max(kept_from.min(self.end));
    }

    /// The connection is gone: nothing is sent until the next replay.
    pub fn detach(&mut self) {
        self.attached = false;
    }

    /// The receiver asks for what lies at and after `from`, with the first credit beyond it.
    pub fn replay(&mut self, from: u64) {
        self.attached = true;
        self.next = from;
        self.credit = from.saturating_add(INITIAL_CREDIT_BYTES);
    }

    /// The receiver has room up to this offset.
    pub fn credit(&mut self, up_to: u64) {
        self.credit = self.credit.max(up_to);
    }

    /// What may be sent now.
    pub fn next(&self) -> Option<Next> {
        if !self.attached {
            return None;
        }
        let gap = |to| {
            Some(Next::Gap {
                from: self.next,
                to,
            })
        };
        if self.next < self.kept_from {
            return gap(self.kept_from);
        }
        if self.next >= self.end {
            return if self.next < self.ended {
                gap(self.ended)
            } else {
                None
            };
        }
        let most = self
            .credit
            .saturating_sub(self.next)
            .min(self.end - self.next)
            .min(MAX_CHUNK_BYTES as u64);
        (most > 0).then_some(Next::Data {
            offset: self.next,
            most,
        })
    }

    /// Bytes (or a gap) up to this offset were sent.
    pub fn sent(&mut self, up_to: u64) {
        self.next = self.next.max(up_to.min(self.end.max(self.ended)));
    }

    /// Whether everything there is was sent on this connection.
    pub fn drained(&self) -> bool {
        self.attached && self.next >= self.end.max(self.ended)
    }
}

/// What became of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Known already.
    Duplicate,
    /// Take the data without its first `skip` bytes.
    Data { skip: u64 },
    /// Bytes `from..to` are gone for good: show the mark. A piece of data follows it when `data` is true.
    Gap { from: u64, to: u64, data: bool },
}

/// The node broke the rules of the stream: close its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutputFault {
    #[error("a chunk of {0} bytes is over the limit of {MAX_CHUNK_BYTES}")]
    ChunkTooLarge(u64),
    #[error("output up to {end} was sent, credit ended at {granted}")]
    OverCredit { end: u64, granted: u64 },
    #[error("the offset {0} is beyond what one operation may stream")]
    BeyondCap(u64),
    #[error("a gap from {from} to {to} is turned around")]
    Backwards { from: u64, to: u64 },
}

/// What to tell the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grant {
    /// Send the control frame `credit`.
    Credit { up_to: u64 },
    /// Send the control frame `replay`.
    Replay { from: u64 },
}

/// The gateway's side of one operation's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receiver {
    window: u64,
    next: u64,
    consumed: u64,
    granted: u64,
    /// A replay is owed on this connection and waits for room.
    owed: bool,
}

impl Receiver {
    /// A new operation's output. `window` is what may wait for the reader, at least the first credit.
    pub fn new(window: u64) -> Self {
        Self {
            window: window.max(INITIAL_CREDIT_BYTES),
            next: 0,
            consumed: 0,
            granted: INITIAL_CREDIT_BYTES,
            owed: false,
        }
    }

    /// Output that an earlier life of the gateway stored up to `next`; call [`Self::resume`] once connected.
    pub fn restore(window: u64, next: u64) -> Self {
        Self {
            next,
            consumed: next,
            granted: next,
            ..Self::new(window)
        }
    }

    /// Offset after the last byte that was taken.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Bytes (gaps counted in) taken that the reader has not consumed; without gaps never over the window.
    pub fn waiting(&self) -> u64 {
        self.next - self.consumed
    }

    /// Takes a piece.
    ///
    /// # Errors
    /// [`OutputFault`] when the node broke a rule; nothing was taken.
    pub fn take(&mut self, piece: &Piece) -> Result<Taken, OutputFault> {
        let (from, to) = (piece.start(), piece.end());
        if to > MAX_STREAMED_BYTES {
            return Err(OutputFault::BeyondCap(to));
        }
        if let Piece::Data { data, .. } = piece {
            if data.len() > MAX_CHUNK_BYTES {
                return Err(OutputFault::ChunkTooLarge(data.len() as u64));
            }
            if to > self.granted && to > self.next {
                return Err(OutputFault::OverCredit {
                    end: to,
                    granted: self.granted,
                });
            }
        } else if from > to {
            return Err(OutputFault::Backwards { from, to });
        }
        if to <= self.next {
            return Ok(Taken::Duplicate);
        }
        let before = self.next;
        self.next = to;
        Ok(match piece {
            Piece::Gap { .. } => {
                // Nobody has to read what is gone.
                if self.consumed == before {
                    self.consumed = to;
                }
                Taken::Gap {
                    from: before,
                    to,
                    data: false,
                }
            }
            // A connection keeps order, so this is the node's mistake; it becomes visible instead of shifting bytes.
            Piece::Data { .. } if from > before => Taken::Gap {
                from: before,
                to: from,
                data: true,
            },
            Piece::Data { .. } => Taken::Data {
                skip: before - from,
            },
        })
    }

    /// The reader consumed up to this offset: what to grant, if it is worth a frame.
    pub fn consume(&mut self, up_to: u64) -> Option<Grant> {
        self.consumed = self.consumed.max(up_to.min(self.next));
        if self.owed {
            return self.replay_if_room();
        }
        let possible = self.consumed.saturating_add(self.window);
        (possible.saturating_sub(self.granted) >= self.window / 2).then(|| {
            self.granted = possible;
            Grant::Credit { up_to: possible }
        })
    }

    /// The node is connected again: ask for what comes next, now or when the reader has room.
    pub fn resume(&mut self) -> Option<Grant> {
        self.owed = true;
        self.granted = self.next;
        self.replay_if_room()
    }

    fn replay_if_room(&mut self) -> Option<Grant> {
        let granted = self.next.saturating_add(INITIAL_CREDIT_BYTES);
        (granted <= self.consumed.saturating_add(self.window)).then(|| {
            self.owed = false;
            self.granted = granted;
            Grant::Replay { from: self.next }
        })
    }
}
