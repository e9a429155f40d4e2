//! The times that people write on the command line.

use anyhow::anyhow;
use chrono::{DateTime, NaiveDate, SecondsFormat, TimeDelta, Utc};

use crate::api::Moment;
use crate::gateway_clock;

/// What [`moment`] reads, for people.
const FORMS: &str = "2h, 3d, 2026-11-29 or 2026-11-29T10:00:00Z";

/// A part of a list by time.
#[derive(Debug, clap::Args)]
pub(super) struct Within {
    /// Only what was at this time or later: how long ago, as 2h or 3d, a day, or a time with its offset
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Only what was before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

impl Within {
    /// Both ends, by the gateway's clock.
    ///
    /// # Errors
    /// When a text is no time.
    pub(super) fn times(&self) -> anyhow::Result<(Option<Moment>, Option<Moment>)> {
        let read = |text: &Option<String>| match text {
            Some(text) => moment(text, gateway_clock::now())
                .map(|at| Some(Moment::from(stored(at))))
                .map_err(|why| anyhow!(why)),
            None => Ok(None),
        };
        Ok((read(&self.from)?, read(&self.until)?))
    }
}

/// A time in the past: how long ago, as `30m`, `2h`, `3d` or `2w`; a day in UTC, which means its begin; or a time with its
/// offset.
///
/// # Errors
/// The forms that it reads.
fn moment(text: &str, now: DateTime<Utc>) -> Result<DateTime<Utc>, String> {
    if let Some(ago) = ago(text) {
        return Ok(now - ago);
    }
    if let Ok(day) = text.parse::<NaiveDate>() {
        return Ok(day.and_time(chrono::NaiveTime::MIN).and_utc());
    }
    DateTime::parse_from_rfc3339(text)
        .map(|at| at.to_utc())
        .map_err(|_| format!("`{text}` is no time: write {FORMS}"))
}

fn ago(text: &str) -> Option<TimeDelta> {
    let (count, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let count: u32 = count.parse().ok()?;
    let minutes = match unit {
        "m" => 1,
        "h" => 60,
        "d" => 24 * 60,
        "w" => 7 * 24 * 60,
        _ => return None,
    };
    TimeDelta::try_minutes(i64::from(count) * minutes)
}

/// As the API takes it.
fn stored(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_write_how_long_ago_a_day_or_a_time() {
        let now: DateTime<Utc> = "2026-11-29T10:00:00Z".parse().unwrap();
        for (text, time) in [
            ("30m", "2026-11-29T09:30:00Z"),
            ("2h", "2026-11-29T08:00:00Z"),
            ("3d", "2026-11-26T10:00:00Z"),
            ("1w", "2026-11-22T10:00:00Z"),
            ("2026-11-01", "2026-11-01T00:00:00Z"),
            ("2026-11-01T12:00:00+02:00", "2026-11-01T10:00:00Z"),
        ] {
            assert_eq!(moment(text, now).map(stored).as_deref(), Ok(time), "{text}");
        }
        for text in ["", "h", "soon", "-2h", "2y", "12:00", "ü"] {
            let refused = moment(text, now).unwrap_err();
            assert!(refused.contains("2026-11-29"), "{refused}");
        }
    }
}
