//! The part of a command's output that the gateway keeps: its first and its last bytes. Pure.
//!
//! The machine keeps the output for a day, and only while it is paired. People read a command's output later, from
//! another page, and after the sandbox has ended.

use bytes::Bytes;
use roost_protocol::output::StreamName;

use super::ring::Part;

/// The first bytes of an output that are kept.
pub const HEAD_BYTES: u64 = 32 * 1024;
/// The last bytes of an output that are kept. The end of a log says more than its begin.
pub const TAIL_BYTES: u64 = 96 * 1024;

/// Parts with bytes, in the order of their offsets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptOutput {
    parts: Vec<Part>,
}

impl KeptOutput {
    /// Adds the bytes of a part that lie in `from..to` and after the parts that are here.
    pub fn add(&mut self, part: &Part, from: u64, to: u64) {
        let after = self.parts.last().map_or(0, Part::end).max(from);
        let Some(Part::Data {
            stream,
            offset,
            data,
        }) = part.after(after)
        else {
            return;
        };
        let room = usize::try_from(to.saturating_sub(offset)).unwrap_or(usize::MAX);
        let data = data.slice(..data.len().min(room));
        if !data.is_empty() {
            self.parts.push(Part::Data {
                stream,
                offset,
                data,
            });
        }
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Offset after the first bytes without a hole.
    pub fn head(&self) -> u64 {
        self.parts
            .iter()
            .fold(0, |at, part| match part.start() == at {
                true => part.end(),
                false => at,
            })
    }

    /// Whether it is the whole output.
    pub fn is_whole(&self, output_end: u64) -> bool {
        self.head() >= output_end
    }

    /// The first part of `from..to`, which the reader would get as a gap otherwise.
    pub fn fill(&self, from: u64, to: u64) -> Part {
        let next = self.parts.iter().find_map(|part| part.after(from));
        match next {
            Some(part) if part.start() == from => part,
            Some(part) if part.start() < to => Part::Gap {
                from,
                to: part.start(),
            },
            _ => Part::Gap { from, to },
        }
    }

    /// The form in the store: for each piece its stream, offset, length and bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for part in &self.parts {
            let Part::Data {
                stream,
                offset,
                data,
            } = part
            else {
                continue;
            };
            all.push(match stream {
                StreamName::Stdout => 1,
                StreamName::Stderr => 2,
            });
            all.extend_from_slice(&offset.to_le_bytes());
            all.extend_from_slice(&(data.len() as u64).to_le_bytes());
            all.extend_from_slice(data);
        }
        all
    }

    /// Reads what [`encode`](Self::encode) wrote; `None` for anything else.
    pub fn decode(stored: Vec<u8>) -> Option<Self> {
        let mut rest = Bytes::from(stored);
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let stream = match take(&mut rest, 1)?.first()? {
                1 => StreamName::Stdout,
                2 => StreamName::Stderr,
                _ => return None,
            };
            let offset = number(&mut rest)?;
            let length = usize::try_from(number(&mut rest)?).ok()?;
            let data = take(&mut rest, length)?;
            parts.push(Part::Data {
                stream,
                offset,
                data,
            });
        }
        Some(Self { parts })
    }
}

fn take(rest: &mut Bytes, length: usize) -> Option<Bytes> {
    (length <= rest.len()).then(|| rest.split_to(length))
}

fn number(rest: &mut Bytes) -> Option<u64> {
    let bytes = take(rest, 8)?;
    Some(u64::from_le_bytes(bytes.as_ref().try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn data(stream: StreamName, offset: u64, length: usize) -> Part {
        let bytes = (0..length).map(|n| ((offset as usize + n) % 251) as u8);
        Part::Data {
            stream,
            offset,
            data: bytes.collect::<Vec<u8>>().into(),
        }
    }

    fn read(kept: &KeptOutput, end: u64) -> Vec<Part> {
        let (mut at, mut all) = (0, Vec::new());
        while at < end {
            let part = kept.fill(at, end);
            assert_eq!(part.start(), at);
            assert!(part.end() > at && part.end() <= end, "{part:?}");
            at = part.end();
            all.push(part);
        }
        all
    }

    #[test]
    fn reader_gets_the_begin_the_mark_of_the_middle_and_the_end() {
        let mut kept = KeptOutput::default();
        kept.add(&data(StreamName::Stdout, 0, 50), 0, 40);
        kept.add(&data(StreamName::Stderr, 60, 40), 70, 100);
        assert_eq!((kept.head(), kept.is_whole(100)), (40, false));
        assert_eq!(
            read(&kept, 100),
            [
                data(StreamName::Stdout, 0, 40),
                Part::Gap { from: 40, to: 70 },
                data(StreamName::Stderr, 70, 30),
            ]
        );
        assert_eq!(kept.fill(90, 200), data(StreamName::Stderr, 90, 10));
        assert_eq!(kept.fill(100, 200), Part::Gap { from: 100, to: 200 });
    }

    proptest! {
        #[test]
        fn what_is_stored_reads_back_and_no_byte_is_at_another_offset(
            pieces in proptest::collection::vec((0u64..400, 0usize..200, any::<bool>()), 0..12),
        ) {
            let mut kept = KeptOutput::default();
            for (offset, length, err) in pieces {
                let stream = if err { StreamName::Stderr } else { StreamName::Stdout };
                kept.add(&data(stream, offset, length), 0, 500);
            }
            prop_assert_eq!(KeptOutput::decode(kept.encode()), Some(kept.clone()));
            for part in read(&kept, 600) {
                if let Part::Data { stream, offset, data: bytes } = part {
                    prop_assert_eq!(data(stream, offset, bytes.len()), Part::Data { stream, offset, data: bytes });
                }
            }
        }

        #[test]
        fn damaged_bytes_are_refused_and_break_nothing(stored in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Some(kept) = KeptOutput::decode(stored.clone()) {
                prop_assert_eq!(kept.encode(), stored);
            }
        }
    }
}
