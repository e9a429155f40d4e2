//! The gateway's clock. Lists show ages of the gateway's times, and the clock of this machine may be an hour off.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta, Utc};

/// What two right clocks and a slow network may differ by, in seconds.
const TOLERATED_S: i64 = 5;

/// By how many seconds the gateway's clock is ahead of this machine's.
static AHEAD_S: AtomicI64 = AtomicI64::new(0);

/// The time by the gateway's clock.
pub(crate) fn now() -> DateTime<Utc> {
    Utc::now() + TimeDelta::seconds(AHEAD_S.load(Ordering::Relaxed))
}

/// Reads the date of an answer. Without one, this machine's clock counts.
pub(crate) fn hear(date: Option<&str>) {
    AHEAD_S.store(ahead(date, Utc::now()), Ordering::Relaxed);
}

fn ahead(date: Option<&str>, here: DateTime<Utc>) -> i64 {
    let there = date.and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    let ahead = there.map_or(0, |there| (there.to_utc() - here).num_seconds());
    match ahead.abs() > TOLERATED_S {
        true => ahead,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clock_that_is_wrong_is_corrected() {
        let here = DateTime::parse_from_rfc3339("2026-11-28T12:00:00Z").unwrap();
        for (date, seconds) in [
            (Some("Sat, 28 Nov 2026 13:00:00 GMT"), 3_600),
            (Some("Sat, 28 Nov 2026 11:00:00 GMT"), -3_600),
            (Some("Sat, 28 Nov 2026 12:00:04 GMT"), 0),
            (Some("yesterday"), 0),
            (None, 0),
        ] {
            assert_eq!(ahead(date, here.to_utc()), seconds, "{date:?}");
        }
    }
}
