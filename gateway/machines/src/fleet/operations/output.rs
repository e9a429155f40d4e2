//! The output of one operation for its readers: its last bytes, the offset of each reader, the requests to the machine,
//! and what a reader gets. Pure: times are passed in.
//!
//! [`Receiver`] decides what to request from the machine; the channel's simulation drives the same type. This module adds
//! the readers. Each reader begins at any offset and reads at its own pace.
//!
//! A reader of an ended operation gets all of its output before the end. The rest may still be on its machine. Then it is
//! requested, even if the machine has to connect again first. Only bytes that are not available any more are a gap.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bytes::Bytes;
use roost_protocol::limits::{KEPT_OUTPUT_BYTES, MAX_STREAMED_BYTES};
use roost_protocol::machine::output::{Grant, OutputFault, Receiver, Taken};
use roost_protocol::output::Piece;

use super::kept::{HEAD_BYTES, KeptOutput, TAIL_BYTES};
use super::pace::{self, Reader};
use super::ring::{Part, Ring};

/// How long readers wait for the rest of an ended operation whose machine is away. It is longer than the longest retry
/// interval of a daemon, one minute.
pub(super) const RETURNS_WITHIN: Duration = Duration::from_secs(90);
/// How long an ended operation without readers stays in memory. For an operation from before the gateway's start, it is
/// also how long the machine keeps all output, because the readers have to connect again first.
pub(super) const LINGER: Duration = Duration::from_secs(60);

/// Whether the machine can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Here,
    Away {
        since: Instant,
    },
    /// Only through another gateway.
    Elsewhere,
    /// The machine does not know the operation, or the machine was removed.
    Gone,
}

/// What a reader gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// The next part.
    Part(Part),
    /// The end, after all output.
    End,
    /// Another gateway has the machine; the reader must read there.
    Elsewhere,
    /// Nothing yet.
    Nothing,
}

/// See the module's description.
#[derive(Debug)]
pub(super) struct Output {
    ring: Ring,
    /// The first bytes, which the ring drops.
    head: KeptOutput,
    receiver: Receiver,
    readers: HashMap<u64, Reader>,
    next_reader: u64,
    /// Offset after the last byte that was ever here.
    seen: u64,
    /// Where the output ends, and when the gateway learned it.
    end: Option<(u64, Instant)>,
    reach: Reach,
    /// The operation is from before this gateway's start, so it may have had readers that this process does not know.
    inherited: bool,
}

impl Output {
    /// For an operation that is about to be sent.
    pub(super) fn of_new() -> Self {
        Self {
            ring: Ring::default(),
            head: KeptOutput::default(),
            receiver: Receiver::new(pace::WINDOW),
            readers: HashMap::new(),
            next_reader: 0,
            seen: 0,
            end: None,
            reach: Reach::Here,
            inherited: false,
        }
    }

    /// For an operation from the store; `from` is the offset of its first reader.
    pub(super) fn inherited(from: u64) -> Self {
        Self {
            ring: Ring::at(from),
            receiver: Receiver::restore(pace::WINDOW, from),
            inherited: true,
            ..Self::of_new()
        }
    }

    /// Offset after the last byte that was ever here.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    /// The operation is over, and its output ends at this offset. Only the first end counts.
    pub(super) fn ended(&mut self, output_end: u64, now: Instant) {
        self.end.get_or_insert((output_end, now));
        self.receiver.ended(output_end);
        self.mark_the_rest();
    }

    /// How long ago the gateway learned the end; `None` before it.
    pub(super) fn over_for(&self, now: Instant) -> Option<Duration> {
        let (_, at) = self.end?;
        Some(now.saturating_duration_since(at))
    }

    /// The machine reported where its output ends. This may be less than was here before (the machine lost power).
    pub(super) fn held_to(&mut self, output_end: u64) {
        self.receiver.held_to(output_end);
        self.mark_the_rest();
    }

    fn mark_the_rest(&mut self) {
        if let Some(Taken::Gap { from, to }) = self.receiver.give_up_rest() {
            self.keep(Part::Gap { from, to });
        }
    }

    fn keep(&mut self, part: Part) {
        if part.start() == self.head.head() {
            self.head.add(&part, 0, HEAD_BYTES);
        }
        self.ring.push(part);
        self.seen = self.seen.max(self.ring.end());
    }

    /// The first and the last bytes of an output that ends here; `None` while some of it has not arrived.
    pub(super) fn kept(&self, end: u64) -> Option<KeptOutput> {
        if self.ring.end() < end {
            return None;
        }
        let (mut kept, mut at) = (self.head.clone(), self.head.head());
        at = at
            .max(end.saturating_sub(TAIL_BYTES))
            .max(self.ring.start());
        while let Some(part) = self.ring.read(at) {
            at = part.end();
            kept.add(&part, 0, end);
        }
        Some(kept)
    }

    /// Takes a piece from the machine.
    ///
    /// # Errors
    /// When a correct machine never sends such a piece.
    pub(super) fn take(&mut self, piece: Piece) -> Result<Taken, OutputFault> {
        let taken = self.receiver.take(&piece)?;
        match (taken, piece) {
            (
                Taken::Data { skip, len },
                Piece::Data {
                    stream,
                    offset,
                    data,
                },
            ) => {
                let offset = offset.saturating_add(skip);
                let data = cut(data, skip, len);
                self.keep(Part::Data {
                    stream,
                    offset,
                    data,
                });
            }
            (Taken::Gap { from, to }, _) => self.keep(Part::Gap { from, to }),
            _ => {}
        }
        self.mark_the_rest();
        Ok(taken)
    }

    /// The machine can be reached. Pieces that were on the way are lost; wanted output is requested from the end of the
    /// ring.
    pub(super) fn attached(&mut self) {
        self.reach = Reach::Here;
        self.receiver.disconnected();
        let first = self.readers.values().map(|reader| reader.at).min();
        match first {
            Some(at) if self.ring.is_empty() => self.rewind(at),
            None if self.end.is_some() => {}
            _ => self.receiver.want(),
        }
    }

    fn rewind(&mut self, from: u64) {
        let from = from.min(MAX_STREAMED_BYTES);
        self.ring = Ring::at(from);
        self.receiver.rewind(from);
    }

    /// The machine has been out of reach since then.
    pub(super) fn detached(&mut self, since: Instant) {
        if matches!(self.reach, Reach::Here | Reach::Elsewhere) {
            self.reach = Reach::Away { since };
        }
        self.receiver.disconnected();
    }

    /// Another gateway holds the machine's connection.
    pub(super) fn elsewhere(&mut self) {
        self.reach = Reach::Elsewhere;
        self.receiver.disconnected();
    }

    /// Whether a reader at `at` needs bytes that only the machine has.
    pub(super) fn needs_machine(&self, at: u64) -> bool {
        self.end.is_none_or(|(end, _)| at < end) && self.ring.read(at).is_none()
    }

    /// The machine's output is gone.
    pub(super) fn gone(&mut self) {
        self.reach = Reach::Gone;
        self.receiver.disconnected();
    }

    /// Whether readers of an ended operation must not wait for its machine (any more).
    pub(super) fn is_out_of_reach(&self, now: Instant) -> bool {
        match self.reach {
            Reach::Here | Reach::Elsewhere => false,
            Reach::Away { since } => now.saturating_duration_since(since) >= RETURNS_WITHIN,
            Reach::Gone => true,
        }
    }

    /// The next request to the machine; it counts as sent. `None` when there is none.
    pub(super) fn due(&mut self, now: Instant) -> Option<Grant> {
        // After the end, output is requested only for readers.
        if self.reach != Reach::Here || (self.end.is_some() && self.readers.is_empty()) {
            return None;
        }
        self.receiver.consume(self.slowest(now));
        self.receiver.due()
    }

    fn slowest(&self, now: Instant) -> u64 {
        pace::slowest(self.ring.end(), self.readers.values().copied(), now)
    }

    /// The offset up to which the machine need not keep output.
    pub(super) fn stored_to(&self, now: Instant) -> u64 {
        let awaits_readers = self.inherited
            && self.end.is_some_and(|(end, _)| end > KEPT_OUTPUT_BYTES)
            && self.over_for(now).is_some_and(|over| over < LINGER);
        if awaits_readers {
            0
        } else if self.readers.is_empty() {
            u64::MAX
        } else {
            self.ring.end()
        }
    }

    pub(super) fn is_read(&self) -> bool {
        !self.readers.is_empty()
    }

    pub(super) fn enter(&mut self, at: u64, now: Instant) -> u64 {
        let reader = self.next_reader;
        self.next_reader = reader.saturating_add(1);
        self.readers.insert(reader, Reader { at, moved: now });
        reader
    }

    pub(super) fn leave(&mut self, reader: u64) {
        self.readers.remove(&reader);
    }

    /// What `reader` gets at `at`, and whether a request to the machine is due.
    pub(super) fn read(&mut self, reader: u64, at: u64, now: Instant) -> (Found, bool) {
        let found = self.find(at, now);
        if found == Found::Nothing {
            self.ask_for(at);
        }
        let caught_up = at >= self.ring.end();
        if let Some(entry) = self.readers.get_mut(&reader)
            && (entry.at != at || caught_up)
        {
            *entry = Reader { at, moved: now };
        }
        (found, self.is_due(now))
    }

    /// Uses a copy of the receiver: a request counts as sent only when the dispatcher sends it.
    fn is_due(&self, now: Instant) -> bool {
        let mut receiver = self.receiver.clone();
        receiver.consume(self.slowest(now));
        self.reach == Reach::Here && receiver.due().is_some()
    }

    fn find(&self, at: u64, now: Instant) -> Found {
        if let Some(part) = self.ring.read(at) {
            return Found::Part(part);
        }
        match self.end {
            Some((end, _)) if at >= end => Found::End,
            Some((end, _)) if self.is_out_of_reach(now) => {
                // The ring may have later bytes.
                let kept = self.ring.start();
                let to = if at < kept && !self.ring.is_empty() {
                    kept
                } else {
                    end
                };
                Found::Part(Part::Gap { from: at, to })
            }
            _ if self.reach == Reach::Elsewhere => Found::Elsewhere,
            _ => Found::Nothing,
        }
    }

    /// A reader waits at `at`: makes sure that these bytes come.
    fn ask_for(&mut self, at: u64) {
        if self.reach != Reach::Here {
            // When the machine is back, output continues at the end of the ring; a reader that is behind asks then.
            return;
        }
        if at < self.ring.start() || (self.ring.is_empty() && !self.receiver.is_under_way()) {
            // After a rewind for another reader the ring reaches this reader's offset again.
            self.rewind(at);
        } else if !self.receiver.is_asked() {
            self.receiver.want();
        }
    }
}

/// `len` bytes after the first `skip`. If a machine repeats a large piece with few new bytes, only the new bytes are
/// kept.
fn cut(data: Vec<u8>, skip: u64, len: u64) -> Bytes {
    let whole = data.len();
    let from = usize::try_from(skip).map_or(whole, |skip| skip.min(whole));
    let len = usize::try_from(len).map_or(whole, |len| len.min(whole.saturating_sub(from)));
    let to = from.saturating_add(len);
    if len < whole / 2 {
        Bytes::copy_from_slice(&data[from..to])
    } else {
        Bytes::from(data).slice(from..to)
    }
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
