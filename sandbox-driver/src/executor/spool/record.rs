//! One record of a spool: kind, offset, length, checksum, bytes. A gap has a length and no bytes.
use roost_protocol::guest::checksum;
use roost_protocol::output::StreamName;

/// Bytes before a record's payload.
pub const HEADER: usize = 1 + 8 + 8 + 4;

/// The content of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Data(StreamName),
    Gap,
}

/// A record's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub kind: Kind,
    /// Offset of the first byte of output in it.
    pub offset: u64,
    /// Number of bytes of output in it.
    pub length: u64,
    checksum: u32,
}

impl Header {
    /// Bytes that follow the header.
    pub fn payload(&self) -> u64 {
        match self.kind {
            Kind::Data(_) => self.length,
            Kind::Gap => 0,
        }
    }

    /// Offset after its last byte of output.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.length)
    }

    /// Whether the payload matches the checksum.
    pub fn holds(&self, payload: &[u8]) -> bool {
        sum(self.offset, self.length, payload) == self.checksum
    }
}

/// Encodes a piece of data.
pub fn data(stream: StreamName, offset: u64, bytes: &[u8]) -> Vec<u8> {
    let kind = match stream {
        StreamName::Stdout => 1,
        StreamName::Stderr => 2,
    };
    encode(kind, offset, bytes.len() as u64, bytes)
}

/// Encodes a mark that `from..to` is no longer available.
pub fn gap(from: u64, to: u64) -> Vec<u8> {
    encode(3, from, to.saturating_sub(from), &[])
}

fn encode(kind: u8, offset: u64, length: u64, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER + payload.len());
    out.push(kind);
    out.extend_from_slice(&offset.to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&sum(offset, length, payload).to_le_bytes());
    out.extend_from_slice(payload);
    out
}

/// Reads a header; `None` for invalid bytes.
pub fn header(bytes: &[u8]) -> Option<Header> {
    let bytes: &[u8; HEADER] = bytes.get(..HEADER)?.try_into().ok()?;
    let kind = match bytes[0] {
        1 => Kind::Data(StreamName::Stdout),
        2 => Kind::Data(StreamName::Stderr),
        3 => Kind::Gap,
        _ => return None,
    };
    let long = |at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[at..at + 8]);
        u64::from_le_bytes(word)
    };
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[17..21]);
    Some(Header {
        kind,
        offset: long(1),
        length: long(9),
        checksum: u32::from_le_bytes(word),
    })
}

fn sum(offset: u64, length: u64, payload: &[u8]) -> u32 {
    checksum(payload)
        ^ checksum(&offset.to_le_bytes())
        ^ checksum(&length.to_le_bytes()).rotate_left(1)
}
