//! The last bytes of an operation's output, numbered. Pure: no clock, no I/O.
//!
//! A ring holds one contiguous range of offsets, of data and marked gaps. What arrives in order is kept, what repeats
//! is trimmed, what lies beyond the end (sent before a rewind took effect) is not taken.

use std::collections::VecDeque;

use bytes::Bytes;
use roost_protocol::output::{Piece, StreamName};

/// Bytes that a ring keeps.
pub const RING_BYTES: u64 = 1024 * 1024;
/// Parts that a ring keeps: a command that writes byte by byte must not cost a hundred times its output.
const RING_PARTS: usize = 8192;

/// A part of the output as a subscriber gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Bytes of one stream.
    Data {
        stream: StreamName,
        offset: u64,
        data: Bytes,
    },
    /// Bytes `from..to` can no longer be had.
    Gap { from: u64, to: u64 },
}

impl Part {
    /// Offset of the first byte.
    pub fn start(&self) -> u64 {
        match self {
            Self::Data { offset, .. } => *offset,
            Self::Gap { from, .. } => *from,
        }
    }

    /// Offset after the last byte.
    pub fn end(&self) -> u64 {
        match self {
            Self::Data { offset, data, .. } => offset + data.len() as u64,
            Self::Gap { to, .. } => *to,
        }
    }

    /// The part from `offset` on; `None` when it ends before.
    pub fn after(&self, offset: u64) -> Option<Self> {
        if self.end() <= offset {
            return None;
        }
        if self.start() >= offset {
            return Some(self.clone());
        }
        Some(match self {
            Self::Data {
                stream,
                offset: start,
                data,
            } => {
                let skip = usize::try_from(offset - start).ok()?;
                Self::Data {
                    stream: *stream,
                    offset,
                    data: data.slice(skip..),
                }
            }
            Self::Gap { to, .. } => Self::Gap {
                from: offset,
                to: *to,
            },
        })
    }
}

impl From<Piece> for Part {
    fn from(piece: Piece) -> Self {
        match piece {
            Piece::Data {
                stream,
                offset,
                data,
            } => Self::Data {
                stream,
                offset,
                data: Bytes::from(data),
            },
            Piece::Gap { from, to } => Self::Gap { from, to },
        }
    }
}

/// What became of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It continued the output, whole or in part.
    Extended,
    /// All of it was known.
    Repeated,
    /// It lies beyond the end: left over from before a rewind, or a node that skips.
    Beyond,
    /// It ends before it begins, or at a number that no output reaches.
    Nonsense,
}

/// The ring.
#[derive(Debug, Clone, Default)]
pub struct Ring {
    parts: VecDeque<Part>,
    start: u64,
    end: u64,
    bytes: u64,
}

impl Ring {
    /// An empty ring that stands at `offset`.
    pub fn at(offset: u64) -> Self {
        Self {
            start: offset,
            end: offset,
            ..Self::default()
        }
    }

    /// Offset of the first byte that it has.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Offset after the last byte that it has.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Takes a piece from a node. `limit` is the largest offset that output can reach.
    pub fn push(&mut self, part: Part, limit: u64) -> Taken {
        if part.end() < part.start() || part.end() > limit {
            return Taken::Nonsense;
        }
        if part.start() > self.end {
            return Taken::Beyond;
        }
        let Some(part) = part.after(self.end) else {
            return Taken::Repeated;
        };
        self.end = part.end();
        if let Part::Data { data, .. } = &part {
            self.bytes += data.len() as u64;
        }
        self.parts.push_back(part);
        while self.bytes > RING_BYTES || self.parts.len() > RING_PARTS {
            match self.parts.pop_front() {
                Some(gone) => {
                    if let Part::Data { data, .. } = &gone {
                        self.bytes -= data.len() as u64;
                    }
                    self.start = gone.end();
                }
                None => break,
            }
        }
        Taken::Extended
    }

    /// The part at `offset`, when the ring has it.
    pub fn read(&self, offset: u64) -> Option<Part> {
        if offset < self.start || offset >= self.end {
            return None;
        }
        // Parts are contiguous and in order: the first that ends after the offset holds it.
        let index = self.parts.partition_point(|part| part.end() <= offset);
        self.parts.get(index).and_then(|part| part.after(offset))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn data(offset: u64, text: &[u8]) -> Part {
        Part::Data {
            stream: StreamName::Stdout,
            offset,
            data: Bytes::copy_from_slice(text),
        }
    }

    fn all(ring: &Ring) -> Vec<u8> {
        let (mut at, mut out) = (ring.start(), Vec::new());
        while let Some(part) = ring.read(at) {
            at = part.end();
            if let Part::Data { data, .. } = part {
                out.extend_from_slice(&data);
            }
        }
        out
    }

    #[test]
    fn repeats_are_trimmed_and_what_lies_beyond_is_not_taken() {
        let mut ring = Ring::default();
        assert_eq!(ring.push(data(0, b"abc"), 100), Taken::Extended);
        assert_eq!(ring.push(data(0, b"abc"), 100), Taken::Repeated);
        assert_eq!(ring.push(data(5, b"xyz"), 100), Taken::Beyond);
        assert_eq!(ring.push(data(2, b"cde"), 100), Taken::Extended);
        assert_eq!(all(&ring), b"abcde");
        assert_eq!(ring.read(3), Some(data(3, b"de")));
        assert_eq!(ring.read(5), None);
    }

    #[test]
    fn numbers_that_no_output_reaches_are_refused() {
        let mut ring = Ring::default();
        assert_eq!(
            ring.push(Part::Gap { from: 5, to: 2 }, 100),
            Taken::Nonsense
        );
        assert_eq!(
            ring.push(
                Part::Gap {
                    from: 0,
                    to: u64::MAX
                },
                100
            ),
            Taken::Nonsense
        );
        assert_eq!(ring.end(), 0);
    }

    #[test]
    fn old_parts_make_room_and_a_gap_is_read_as_one() {
        let mut ring = Ring::default();
        let block = vec![b'x'; 64 * 1024];
        for n in 0..40u64 {
            ring.push(data(n * 65_536, &block), u64::MAX);
        }
        assert!(ring.end() - ring.start() <= RING_BYTES);
        assert_eq!(ring.end(), 40 * 65_536);
        ring.push(
            Part::Gap {
                from: ring.end(),
                to: ring.end() + 10,
            },
            u64::MAX,
        );
        let at = ring.end() - 4;
        assert_eq!(
            ring.read(at),
            Some(Part::Gap {
                from: at,
                to: at + 4
            })
        );
    }

    proptest! {
        /// However a node repeats and overlaps its pieces, a reader sees each byte once and in order.
        #[test]
        fn any_order_of_overlapping_pieces_reads_as_the_output(cuts in prop::collection::vec((0usize..200, 0usize..50), 1..80)) {
            let truth: Vec<u8> = (0..=255u8).collect();
            let mut ring = Ring::default();
            for (from, length) in cuts {
                let to = (from + length).min(truth.len());
                ring.push(data(from as u64, &truth[from..to]), 256);
            }
            let seen = all(&ring);
            prop_assert_eq!(&seen[..], &truth[..seen.len()]);
            prop_assert_eq!(seen.len() as u64, ring.end());
        }
    }
}
