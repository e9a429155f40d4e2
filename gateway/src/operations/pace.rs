//! How far a node may send output: credit by the pace of those who read. Pure.
//!
//! Credit follows the slowest reader that is at work, so that what it needs is still in the ring. A reader that has
//! taken nothing for [`PATIENCE`] is not waited for: it will find its place again by a replay. Without readers
//! credit follows the output itself, so that nothing ever stalls because nobody looks.

use std::time::{Duration, Instant};

use super::ring::RING_BYTES;

/// Bytes beyond the pace that may be under way; less than the ring holds, so that a reader in time misses nothing.
pub const WINDOW: u64 = RING_BYTES / 2;
/// Credit is renewed in steps of at least this many bytes.
pub const STEP: u64 = WINDOW / 4;
/// How long a reader may take nothing before it is not waited for.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Where one reader stands.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// The next byte that it wants.
    pub at: u64,
    /// When it last took something or was last caught up.
    pub moved: Instant,
}

/// Up to which offset output may be sent, when that is news.
pub fn credit(
    granted: u64,
    end: u64,
    readers: impl IntoIterator<Item = Reader>,
    now: Instant,
) -> Option<u64> {
    let slowest = readers
        .into_iter()
        .filter(|reader| reader.at < end && now.saturating_duration_since(reader.moved) < PATIENCE)
        .map(|reader| reader.at)
        .min();
    let up_to = slowest.unwrap_or(end).saturating_add(WINDOW);
    (up_to >= granted.saturating_add(STEP)).then_some(up_to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_readers_credit_follows_the_output() {
        let now = Instant::now();
        assert_eq!(credit(0, 0, [], now), Some(WINDOW));
        assert_eq!(credit(WINDOW, STEP - 1, [], now), None);
        assert_eq!(credit(WINDOW, STEP, [], now), Some(WINDOW + STEP));
    }

    #[test]
    fn a_slow_reader_holds_credit_back_until_patience_ends() {
        let now = Instant::now();
        let slow = Reader { at: 0, moved: now };
        let fast = Reader {
            at: WINDOW,
            moved: now,
        };
        assert_eq!(credit(WINDOW, WINDOW, [slow, fast], now), None);
        assert_eq!(
            credit(WINDOW, WINDOW, [slow, fast], now + PATIENCE),
            Some(2 * WINDOW)
        );
    }

    #[test]
    fn a_reader_that_is_caught_up_holds_nothing_back() {
        let now = Instant::now();
        let idle = Reader {
            at: WINDOW,
            moved: now,
        };
        assert_eq!(
            credit(WINDOW, WINDOW, [idle], now + 2 * PATIENCE),
            Some(2 * WINDOW)
        );
    }
}
