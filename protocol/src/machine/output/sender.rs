//! The node's side of one operation's output: what is kept, what was sent, and how much credit it has.
use super::Next;
use crate::limits::{INITIAL_CREDIT_BYTES, MAX_CHUNK_BYTES, MAX_STREAMED_BYTES};

/// The node's side of one operation's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    cap: u64,
    kept_from: u64,
    end: u64,
    /// Where the output ended according to the ledger. Bytes between `end` and this offset are lost.
    ended: u64,
    dropped: u64,
    next: u64,
    credit: u64,
    attached: bool,
}

impl Sender {
    /// A new command's output. Its first connection needs no replay.
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

    /// Output found on disk after a restart. It waits for a replay.
    pub fn restore(cap: u64, kept_from: u64, end: u64, dropped: u64) -> Self {
        Self {
            kept_from: kept_from.min(end),
            end,
            dropped,
            attached: false,
            ..Self::new(cap)
        }
    }

    /// Records that the operation ended with its output here. Output should be synced before the end is written. Where
    /// it was not, a power cut can lose output that the ledger counts, and the rest is sent as a gap.
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

    /// The command wrote `len` bytes. Returns how many of them to keep; the rest is counted.
    pub fn write(&mut self, len: u64) -> u64 {
        let keep = len.min(self.cap.saturating_sub(self.end));
        self.end = self.end.saturating_add(keep);
        self.dropped = self.dropped.saturating_add(len.saturating_sub(keep));
        keep
    }

    /// The store dropped everything before `kept_from`.
    pub fn trim(&mut self, kept_from: u64) {
        self.kept_from = self.kept_from.max(kept_from.min(self.end));
    }

    /// The connection is gone: nothing is sent until the next replay.
    pub fn detach(&mut self) {
        self.attached = false;
    }

    /// The receiver requests output from `from` on, with the first credit beyond it.
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
            .min(self.end.saturating_sub(self.next))
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

    /// Whether everything available was sent on this connection.
    pub fn drained(&self) -> bool {
        self.attached && self.next >= self.end.max(self.ended)
    }
}
