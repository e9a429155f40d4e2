//! The last bytes of an operation's output, numbered. Pure: no clock, no I/O.
//!
//! A ring holds one contiguous range of offsets, of data and marked gaps. `roost_protocol::machine::output` decides what
//! may be added at its end. The ring only keeps it, and drops the oldest parts.

use std::collections::VecDeque;

use bytes::Bytes;
use roost_protocol::output::StreamName;

/// Bytes that a ring keeps.
pub const RING_BYTES: u64 = 1024 * 1024;
/// The most parts of a ring: a command that writes byte by byte must not need a hundred times its output in memory.
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
    /// Bytes `from..to` are not available any more.
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
            Self::Data { offset, data, .. } => offset.saturating_add(data.len() as u64),
            Self::Gap { to, .. } => *to,
        }
    }

    /// Bytes that it needs in memory.
    fn bytes(&self) -> u64 {
        match self {
            Self::Data { data, .. } => data.len() as u64,
            Self::Gap { .. } => 0,
        }
    }

    /// The part from `offset` on; `None` when the part ends before.
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
                let skip = usize::try_from(offset.saturating_sub(*start)).ok()?;
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

/// The ring.
#[derive(Debug, Clone, Default)]
pub struct Ring {
    parts: VecDeque<Part>,
    start: u64,
    end: u64,
    bytes: u64,
}

impl Ring {
    /// An empty ring at `offset`.
    pub fn at(offset: u64) -> Self {
        Self {
            start: offset,
            end: offset,
            ..Self::default()
        }
    }

    /// Offset of its first byte.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Offset after its last byte.
    pub fn end(&self) -> u64 {
        self.end
    }

    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Adds a part at its end. A part that does not begin at the end is ignored.
    pub fn push(&mut self, part: Part) {
        if part.start() != self.end || part.end() <= self.end {
            return;
        }
        self.end = part.end();
        self.bytes = self.bytes.saturating_add(part.bytes());
        self.parts.push_back(part);
        while self.bytes > RING_BYTES || self.parts.len() > RING_PARTS {
            match self.parts.pop_front() {
                Some(gone) => {
                    self.bytes = self.bytes.saturating_sub(gone.bytes());
                    self.start = gone.end();
                }
                None => break,
            }
        }
    }

    /// The part at `offset`, if the ring has it.
    pub fn read(&self, offset: u64) -> Option<Part> {
        if offset < self.start || offset >= self.end {
            return None;
        }
        // Parts are contiguous and in order: the first part that ends after the offset contains it.
        let index = self.parts.partition_point(|part| part.end() <= offset);
        self.parts.get(index).and_then(|part| part.after(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(offset: u64, text: &[u8]) -> Part {
        Part::Data {
            stream: StreamName::Stdout,
            offset,
            data: Bytes::copy_from_slice(text),
        }
    }

    #[test]
    fn only_what_begins_at_its_end_is_kept() {
        let mut ring = Ring::default();
        for part in [
            data(0, b"abc"),
            data(1, b"bc"),
            data(5, b"xyz"),
            data(3, b"de"),
        ] {
            ring.push(part);
        }
        ring.push(Part::Gap { from: 5, to: 2 });
        assert_eq!((ring.start(), ring.end()), (0, 5));
        assert_eq!(ring.read(1), Some(data(1, b"bc")));
        assert_eq!(ring.read(3), Some(data(3, b"de")));
        assert_eq!(ring.read(5), None);
    }

    #[test]
    fn old_parts_make_room_and_a_gap_is_read_as_one() {
        let mut ring = Ring::default();
        let block = vec![b'x'; 64 * 1024];
        for n in 0..40u64 {
            ring.push(data(n * 65_536, &block));
        }
        assert!(ring.end() - ring.start() <= RING_BYTES);
        assert_eq!(ring.end(), 40 * 65_536);
        ring.push(Part::Gap {
            from: ring.end(),
            to: ring.end() + 10,
        });
        let at = ring.end() - 4;
        assert_eq!(
            ring.read(at),
            Some(Part::Gap {
                from: at,
                to: at + 4
            })
        );
    }
}
