//! From which time on a look reads the runs of a mission: between two whole windows only what is new.

use std::time::{Duration, Instant};

/// How often a whole window is read.
const EVERY: Duration = Duration::from_secs(15);
/// The window, in milliseconds: a text that was committed late is still found.
const WINDOW_MS: i64 = 300_000;
/// What a look between two windows reads again, in milliseconds.
const OVERLAP_MS: i64 = 3_000;

/// What was read so far. A new actor has read nothing, so its first look reads everything.
#[derive(Debug, Default)]
pub struct Window {
    /// The time of the newest text that was read, in milliseconds since 1970.
    until_ms: i64,
    /// When a whole window was read last.
    read_at: Option<Instant>,
}

impl Window {
    /// The time in milliseconds since 1970 from which a look at `now` reads.
    pub fn since_ms(&self, now: Instant) -> i64 {
        let back = if self.is_due(now) {
            WINDOW_MS
        } else {
            OVERLAP_MS
        };
        (self.until_ms - back).max(0)
    }

    /// A look that began at `now` has read up to `until_ms`, and what it found is stored.
    pub fn has_read(&mut self, now: Instant, until_ms: i64) {
        if self.is_due(now) {
            self.read_at = Some(now);
        }
        self.until_ms = self.until_ms.max(until_ms);
    }

    fn is_due(&self, now: Instant) -> bool {
        self.read_at
            .is_none_or(|at| now.duration_since(at) >= EVERY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_look_reads_all_and_later_ones_what_is_new_with_a_whole_window_every_15_seconds() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut window = Window::default();
        assert_eq!(window.since_ms(begin), 0);
        window.has_read(begin, 1_000_000);
        assert_eq!(window.since_ms(at(1)), 997_000);
        window.has_read(at(1), 1_001_000);
        assert_eq!(window.since_ms(at(14)), 998_000);
        assert_eq!(window.since_ms(at(15)), 701_000);
        window.has_read(at(15), 1_015_000);
        assert_eq!(window.since_ms(at(16)), 1_012_000);
        assert_eq!(window.since_ms(at(29)), 1_012_000);
        assert_eq!(window.since_ms(at(30)), 715_000);
    }

    #[test]
    fn look_whose_finds_were_not_stored_is_repeated_from_the_same_time() {
        let begin = Instant::now();
        let mut window = Window::default();
        window.has_read(begin, 1_000_000);
        let due = begin + EVERY;
        let since = window.since_ms(due);
        assert_eq!(window.since_ms(due + Duration::from_secs(1)), since);
        window.has_read(due, 900_000);
        assert_eq!(window.since_ms(due), 997_000, "time does not go back");
    }
}
