//! Frames of the guest stream: magic, length, checksum, MessagePack. A reader finds the next frame after invalid bytes.
use serde::{Serialize, de::DeserializeOwned};

/// Begins each frame. These bytes cannot begin a valid payload and are unlikely in text.
const MAGIC: [u8; 4] = [0xC1, 0x52, 0x4F, 0xC1];
const HEADER: usize = MAGIC.len() + 4 + 4;
/// Largest payload, bytes.
pub const MAX_PAYLOAD: usize = 256 * 1024;

/// Why a message cannot be encoded.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error("the message cannot be encoded")]
    Encode(#[source] rmp_serde::encode::Error),
    #[error("a message of {0} bytes is over the limit of {MAX_PAYLOAD}")]
    TooLarge(usize),
}

/// Encodes one message as a frame.
///
/// # Errors
/// [`WireError`] when it cannot be encoded or is too large.
pub fn encode<M: Serialize>(message: &M) -> Result<Vec<u8>, WireError> {
    let payload = rmp_serde::to_vec_named(message).map_err(WireError::Encode)?;
    if payload.len() > MAX_PAYLOAD {
        return Err(WireError::TooLarge(payload.len()));
    }
    let length = u32::try_from(payload.len()).map_err(|_| WireError::TooLarge(payload.len()))?;
    let mut frame = Vec::with_capacity(HEADER.saturating_add(payload.len()));
    frame.extend_from_slice(&MAGIC);
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&checksum(&payload).to_le_bytes());
    frame.extend_from_slice(&payload);
    Ok(frame)
}

/// Accepts bytes in any pieces and returns whole messages. Skips and counts invalid bytes.
#[derive(Debug, Default)]
pub struct FrameReader {
    buffer: Vec<u8>,
    skipped: u64,
}

impl FrameReader {
    /// Adds bytes from the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Number of skipped bytes so far.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Whether an incomplete frame waits for more bytes.
    pub fn is_partial(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// The next whole message, or `None` until more bytes arrive.
    pub fn next_message<M: DeserializeOwned>(&mut self) -> Option<M> {
        loop {
            self.seek_magic();
            if self.buffer.len() < HEADER {
                return None;
            }
            let length = u32::from_le_bytes([
                self.buffer[4],
                self.buffer[5],
                self.buffer[6],
                self.buffer[7],
            ]) as usize;
            if length > MAX_PAYLOAD {
                self.skip(1);
                continue;
            }
            let whole = HEADER.saturating_add(length);
            if self.buffer.len() < whole {
                // An incomplete frame may claim more bytes than will ever come. The caller's next hello and `resync`
                // find a later frame inside it.
                return None;
            }
            let sum = u32::from_le_bytes([
                self.buffer[8],
                self.buffer[9],
                self.buffer[10],
                self.buffer[11],
            ]);
            let payload = &self.buffer[HEADER..whole];
            if checksum(payload) != sum {
                self.skip(1);
                continue;
            }
            let message = rmp_serde::from_slice(payload);
            self.buffer.drain(..whole);
            match message {
                Ok(message) => return Some(message),
                Err(_) => self.skipped = self.skipped.saturating_add(whole as u64),
            }
        }
    }

    /// Discards the frame at the front, after no bytes came for a while, and searches for the next one.
    pub fn resync(&mut self) {
        if !self.buffer.is_empty() {
            self.skip(1);
        }
    }

    fn seek_magic(&mut self) {
        let at = self
            .buffer
            .windows(MAGIC.len())
            .position(|window| window == MAGIC);
        let garbage = at.unwrap_or_else(|| {
            // Keep a suffix that may begin a magic number.
            let keep = (1..MAGIC.len())
                .rev()
                .find(|&n| self.buffer.ends_with(&MAGIC[..n]))
                .unwrap_or(0);
            self.buffer.len().saturating_sub(keep)
        });
        self.skip(garbage);
    }

    fn skip(&mut self, bytes: usize) {
        self.buffer.drain(..bytes);
        self.skipped = self.skipped.saturating_add(bytes as u64);
    }
}

/// CRC-32 (IEEE), bit by bit: frames are small, and the guest needs no dependency for it.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "two counters up to 256 and 8, computed at compile time"
)]
pub fn checksum(bytes: &[u8]) -> u32 {
    const fn table() -> [u32; 256] {
        let mut table = [0u32; 256];
        let mut n = 0;
        while n < 256 {
            let mut c = n as u32;
            let mut bit = 0;
            while bit < 8 {
                c = if c & 1 == 1 {
                    0xEDB8_8320 ^ (c >> 1)
                } else {
                    c >> 1
                };
                bit += 1;
            }
            table[n] = c;
            n += 1;
        }
        table
    }
    const TABLE: [u32; 256] = table();
    !bytes.iter().fold(!0u32, |crc, byte| {
        TABLE[usize::from((crc as u8) ^ byte)] ^ (crc >> 8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::ToGuest;

    fn hello(nonce: u64) -> Vec<u8> {
        encode(&ToGuest::Hello { nonce }).expect("a small message encodes")
    }

    #[test]
    fn the_checksum_is_crc32() {
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn frames_that_arrive_byte_by_byte_are_read() {
        let mut reader = FrameReader::default();
        let bytes = [hello(1), hello(2)].concat();
        let mut got = Vec::new();
        for byte in bytes {
            reader.push(&[byte]);
            while let Some(message) = reader.next_message::<ToGuest>() {
                got.push(message);
            }
        }
        assert_eq!(
            got,
            [ToGuest::Hello { nonce: 1 }, ToGuest::Hello { nonce: 2 }]
        );
        assert_eq!(reader.skipped(), 0);
    }

    #[test]
    fn reader_that_starts_mid_frame_finds_the_next_frame() {
        let mut reader = FrameReader::default();
        let first = hello(1);
        reader.push(&first[7..]);
        reader.push(b"garbage\xC1");
        reader.push(&hello(2));
        assert_eq!(
            reader.next_message::<ToGuest>(),
            Some(ToGuest::Hello { nonce: 2 })
        );
        assert_eq!(reader.skipped(), (first.len() - 7 + 8) as u64);
    }

    #[test]
    fn resync_skips_a_torn_frame() {
        let mut reader = FrameReader::default();
        let torn = hello(1);
        reader.push(&torn[..torn.len() - 3]);
        assert_eq!(reader.next_message::<ToGuest>(), None);
        reader.resync();
        reader.push(&hello(2));
        assert_eq!(
            reader.next_message::<ToGuest>(),
            Some(ToGuest::Hello { nonce: 2 })
        );
    }

    #[test]
    fn flipped_bit_loses_only_one_frame() {
        let mut reader = FrameReader::default();
        let mut bad = hello(1);
        let last = bad.len() - 1;
        bad[last] ^= 1;
        reader.push(&bad);
        reader.push(&hello(2));
        assert_eq!(
            reader.next_message::<ToGuest>(),
            Some(ToGuest::Hello { nonce: 2 })
        );
    }
}
