//! How far a node may send output: credit at the pace of the readers. Pure.
//!
//! Credit follows the slowest active reader, so that its next bytes are still in the ring. A reader that has taken
//! nothing for [`PATIENCE`] does not hold credit back; it continues later with a replay. Without readers credit follows
//! the output itself, so that output never stalls because there is no reader.

use std::time::{Duration, Instant};

use super::ring::RING_BYTES;

/// Bytes beyond the pace that may be on the way. It is less than the ring holds, so that an active reader misses nothing.
pub const WINDOW: u64 = RING_BYTES / 2;
/// How long a reader may take nothing before it no longer holds credit back.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The position of one reader.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// The offset of its next byte.
    pub at: u64,
    /// When it last took something, or last had everything.
    pub moved: Instant,
}

/// The offset of the slowest active reader; without one, the end of the output.
pub fn slowest(end: u64, readers: impl IntoIterator<Item = Reader>, now: Instant) -> u64 {
    readers
        .into_iter()
        .filter(|reader| reader.at < end && now.saturating_duration_since(reader.moved) < PATIENCE)
        .map(|reader| reader.at)
        .min()
        .unwrap_or(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_readers_credit_follows_the_output() {
        assert_eq!(slowest(77, [], Instant::now()), 77);
    }

    #[test]
    fn a_slow_reader_holds_credit_back_until_patience_ends() {
        let now = Instant::now();
        let slow = Reader { at: 0, moved: now };
        let fast = Reader {
            at: WINDOW,
            moved: now,
        };
        assert_eq!(slowest(WINDOW, [slow, fast], now), 0);
        assert_eq!(slowest(WINDOW, [slow, fast], now + PATIENCE), WINDOW);
    }

    #[test]
    fn a_reader_that_is_caught_up_holds_nothing_back() {
        let now = Instant::now();
        let idle = Reader {
            at: WINDOW,
            moved: now,
        };
        assert_eq!(slowest(WINDOW, [idle], now), WINDOW);
    }
}
