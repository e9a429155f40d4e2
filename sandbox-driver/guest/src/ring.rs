//! The output ring of one command: bytes of both streams in one sequence of offsets. Pure.
//!
//! Unacknowledged bytes are never dropped: a full ring has no room, and the command waits. Acknowledged bytes stay
//! until their room is needed, for a reader that requests them again. After the cap, bytes are counted and dropped.
use std::collections::VecDeque;

use roost_protocol::limits::MAX_CHUNK_BYTES;
use roost_protocol::output::{Piece, StreamName};

/// The ring; see the module.
#[derive(Debug)]
pub struct Ring {
    segments: VecDeque<Segment>,
    /// Offset of the oldest byte in the ring.
    base: u64,
    /// Offset after the newest byte.
    end: u64,
    /// The reader has received everything before this.
    acked: u64,
    /// Where the next piece begins.
    sent: u64,
    /// Pieces may be sent up to this offset.
    up_to: u64,
    cap: u64,
    dropped: u64,
    size: u64,
}

#[derive(Debug)]
struct Segment {
    stream: StreamName,
    offset: u64,
    data: Vec<u8>,
}

impl Segment {
    fn end(&self) -> u64 {
        self.offset + self.data.len() as u64
    }
}

impl Ring {
    /// A ring of `size` bytes that numbers at most `cap` bytes and may send `credit` bytes at first.
    pub fn new(size: usize, cap: u64, credit: u64) -> Self {
        Self {
            segments: VecDeque::new(),
            base: 0,
            end: 0,
            acked: 0,
            sent: 0,
            up_to: credit,
            cap,
            dropped: 0,
            size: size as u64,
        }
    }

    /// Bytes that may be read from the command now. Beyond the cap there is no limit.
    pub fn room(&self) -> usize {
        if self.end >= self.cap {
            return usize::MAX;
        }
        let waiting = self.end - self.acked;
        usize::try_from(self.size.saturating_sub(waiting)).unwrap_or(usize::MAX)
    }

    /// Adds the command's output; drops bytes beyond the cap and bytes that are too old to keep.
    pub fn push(&mut self, stream: StreamName, data: &[u8]) {
        let fits = usize::try_from(self.cap - self.end.min(self.cap)).unwrap_or(usize::MAX);
        let (kept, over) = data.split_at(fits.min(data.len()));
        self.dropped += over.len() as u64;
        if kept.is_empty() {
            return;
        }
        match self.segments.back_mut() {
            Some(last)
                if last.stream == stream && last.data.len() + kept.len() <= MAX_CHUNK_BYTES =>
            {
                last.data.extend_from_slice(kept);
            }
            _ => self.segments.push_back(Segment {
                stream,
                offset: self.end,
                data: kept.to_vec(),
            }),
        }
        self.end += kept.len() as u64;
        while let Some(first) = self.segments.front()
            && first.end() <= self.acked
            && self.end - self.base > self.size
        {
            self.base = first.end();
            self.segments.pop_front();
        }
    }

    /// The command ended: makes room for the rest in its pipes, whatever was acknowledged.
    pub fn overdraw(&mut self, bytes: usize) {
        self.size += bytes as u64;
    }

    /// Applies credit: the reader may receive bytes before `up_to` and has those before `acked`.
    pub fn credit(&mut self, up_to: u64, acked: u64) {
        self.up_to = self.up_to.max(up_to);
        self.acked = self.acked.max(acked.min(self.end));
    }

    /// Sends again from this offset.
    pub fn replay(&mut self, from: u64) {
        self.sent = from.min(self.end);
    }

    /// The next piece to send, if credit allows one.
    pub fn next_piece(&mut self) -> Option<Piece> {
        if self.sent >= self.end {
            return None;
        }
        if self.sent < self.base {
            let piece = Piece::Gap {
                from: self.sent,
                to: self.base,
            };
            self.sent = self.base;
            return Some(piece);
        }
        let credit = usize::try_from(self.up_to.saturating_sub(self.sent)).unwrap_or(usize::MAX);
        if credit == 0 {
            return None;
        }
        let at = self
            .segments
            .partition_point(|segment| segment.end() <= self.sent);
        let segment = self.segments.get(at)?;
        let from = usize::try_from(self.sent - segment.offset).unwrap_or(usize::MAX);
        let rest = segment.data.get(from..)?;
        let data = rest[..rest.len().min(credit).min(MAX_CHUNK_BYTES)].to_vec();
        let piece = Piece::Data {
            stream: segment.stream,
            offset: self.sent,
            data,
        };
        self.sent = piece.end();
        Some(piece)
    }

    /// Whether every byte was sent.
    pub fn is_drained(&self) -> bool {
        self.sent >= self.end
    }

    pub fn end(&self) -> u64 {
        self.end
    }

    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use StreamName::{Stderr, Stdout};

    fn text(piece: Option<Piece>) -> String {
        match piece {
            Some(Piece::Data {
                stream,
                offset,
                data,
            }) => {
                format!("{stream:?}@{offset}:{}", String::from_utf8_lossy(&data))
            }
            Some(Piece::Gap { from, to }) => format!("gap {from}-{to}"),
            None => "nothing".to_owned(),
        }
    }

    #[test]
    fn both_streams_share_one_sequence_in_the_order_they_were_read() {
        let mut ring = Ring::new(100, 1000, 1000);
        ring.push(Stdout, b"ab");
        ring.push(Stderr, b"c");
        ring.push(Stdout, b"d");
        assert_eq!(text(ring.next_piece()), "Stdout@0:ab");
        assert_eq!(text(ring.next_piece()), "Stderr@2:c");
        assert_eq!(text(ring.next_piece()), "Stdout@3:d");
        assert!(ring.is_drained());
    }

    #[test]
    fn nothing_is_sent_beyond_the_credit() {
        let mut ring = Ring::new(100, 1000, 3);
        ring.push(Stdout, b"abcdef");
        assert_eq!(text(ring.next_piece()), "Stdout@0:abc");
        assert_eq!(text(ring.next_piece()), "nothing");
        ring.credit(4, 0);
        assert_eq!(text(ring.next_piece()), "Stdout@3:d");
        ring.credit(2, 0);
        assert_eq!(text(ring.next_piece()), "nothing", "credit is given once");
    }

    #[test]
    fn full_ring_has_no_room_until_an_acknowledgement() {
        let mut ring = Ring::new(4, 1000, 1000);
        ring.push(Stdout, b"abcd");
        assert_eq!(ring.room(), 0);
        ring.credit(1000, 3);
        assert_eq!(ring.room(), 3);
    }

    #[test]
    fn replay_marks_dropped_bytes_as_a_gap_and_resends_the_rest() {
        let mut ring = Ring::new(4, 1000, 1000);
        ring.push(Stdout, b"abcd");
        ring.credit(1000, 4);
        ring.push(Stderr, b"ef");
        ring.replay(0);
        assert_eq!(text(ring.next_piece()), "gap 0-4");
        assert_eq!(text(ring.next_piece()), "Stderr@4:ef");
        ring.replay(4);
        assert_eq!(text(ring.next_piece()), "Stderr@4:ef");
    }

    #[test]
    fn bytes_over_the_cap_are_counted_and_never_block() {
        let mut ring = Ring::new(4, 6, 1000);
        ring.push(Stdout, b"abcd");
        ring.credit(1000, 4);
        ring.push(Stdout, b"efgh");
        assert_eq!((ring.end(), ring.dropped()), (6, 2));
        assert_eq!(ring.room(), usize::MAX);
        ring.push(Stdout, &[0; 1000]);
        assert_eq!((ring.end(), ring.dropped()), (6, 1002));
    }

    #[test]
    fn any_mix_of_pushes_credit_and_replays_gives_every_byte_once_in_order() {
        // A small generator instead of a dependency; it gives the same histories at each run.
        let mut seed = 1u64;
        let mut next = |most: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % most
        };
        for _ in 0..200 {
            let mut ring = Ring::new(64, 10_000, 16);
            let (mut written, mut got) = (Vec::new(), Vec::new());
            for _ in 0..200 {
                let n = usize::try_from(next(20)).unwrap().min(ring.room());
                let data: Vec<u8> = (0..n).map(|_| u8::try_from(next(256)).unwrap()).collect();
                written.extend_from_slice(&data);
                ring.push(if next(2) == 0 { Stdout } else { Stderr }, &data);
                if next(10) == 0 {
                    ring.replay(got.len() as u64);
                }
                while let Some(piece) = ring.next_piece() {
                    assert_eq!(piece.start(), got.len() as u64);
                    match piece {
                        Piece::Data { data, .. } => got.extend_from_slice(&data),
                        Piece::Gap { .. } => panic!("unacknowledged bytes were dropped"),
                    }
                }
                ring.credit(got.len() as u64 + next(32), got.len() as u64);
            }
            ring.credit(u64::MAX, 0);
            while let Some(Piece::Data { data, .. }) = ring.next_piece() {
                got.extend_from_slice(&data);
            }
            assert_eq!(got, written);
        }
    }
}
