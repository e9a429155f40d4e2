//! The wall clock of a time zone, and what its changes do to due times. The rules are in [`super::schedule`].

use chrono::{DateTime, Datelike, LocalResult, NaiveDateTime, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use croner::Cron;

use super::schedule::is_too_far;

/// How a cron expression is read on the wall clock of a zone.
#[derive(Debug, Clone, Copy)]
pub struct Zone {
    pub zone: Tz,
    /// The expression means an interval, not a time of the day.
    pub is_interval: bool,
}

impl Zone {
    /// The first due time of the expression after a time.
    pub fn next(&self, cron: &Cron, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self.is_interval {
            true => self.next_of_interval(cron, after),
            false => self.next_of_day(cron, after),
        }
    }

    /// Each wall-clock time counts once.
    fn next_of_day(&self, cron: &Cron, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut wall = self.wall(after);
        loop {
            wall = next_on_wall(cron, wall)?;
            let due = self.moment(wall)?;
            // In the second pass of an hour, the times of the first pass are over.
            if due > after {
                return Some(due);
            }
        }
    }

    /// Each moment counts whose wall-clock time matches. Between two changes of the clock, wall clock and time run alike.
    fn next_of_interval(&self, cron: &Cron, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut from = after;
        loop {
            let offset = self.offset(from);
            let wall = from.naive_utc() + offset;
            let due = next_on_wall(cron, wall).map(|due| (due - offset).and_utc());
            let until = due.unwrap_or(from + TimeDelta::days(366));
            match self.change_between(from, until) {
                // A second earlier, so that a due time at the change itself counts.
                Some(change) => {
                    let earlier = change - TimeDelta::seconds(1);
                    let wall = earlier.naive_utc() + self.offset(change);
                    let due = next_on_wall(cron, wall)?;
                    let due = (due - self.offset(change)).and_utc();
                    if self.change_between(change, due).is_none() {
                        return Some(due);
                    }
                    from = change;
                }
                None => return due,
            }
        }
    }

    fn offset(&self, at: DateTime<Utc>) -> TimeDelta {
        let offset = self.zone.offset_from_utc_datetime(&at.naive_utc()).fix();
        TimeDelta::seconds(i64::from(offset.local_minus_utc()))
    }

    fn wall(&self, at: DateTime<Utc>) -> NaiveDateTime {
        at.naive_utc() + self.offset(at)
    }

    /// The moment of a wall-clock time: the first one when it happens twice, and the change of the clock when it does not
    /// happen.
    fn moment(&self, wall: NaiveDateTime) -> Option<DateTime<Utc>> {
        match self.zone.from_local_datetime(&wall) {
            LocalResult::Single(at) => Some(at.to_utc()),
            LocalResult::Ambiguous(one, other) => Some(one.min(other).to_utc()),
            LocalResult::None => {
                let around = wall.and_utc();
                let from = around - TimeDelta::days(2);
                self.change_between(from, around + TimeDelta::days(2))
            }
        }
    }

    /// The first change of the clock after `from`, up to `until`.
    fn change_between(&self, from: DateTime<Utc>, until: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let before = self.offset(from);
        let mut low = from;
        let mut high = loop {
            let high = (low + TimeDelta::days(1)).min(until);
            if self.offset(high) != before {
                break high;
            }
            if high >= until {
                return None;
            }
            low = high;
        };
        while high - low > TimeDelta::seconds(1) {
            let middle = low + (high - low) / 2;
            match self.offset(middle) == before {
                true => low = middle,
                false => high = middle,
            }
        }
        // Changes happen at whole seconds.
        DateTime::from_timestamp(high.timestamp(), 0)
    }
}

/// The next match on a wall clock that never changes.
fn next_on_wall(cron: &Cron, after: NaiveDateTime) -> Option<NaiveDateTime> {
    if is_too_far(after.year()) {
        return None;
    }
    let found = cron.find_next_occurrence(&after.and_utc(), false).ok()?;
    Some(found.naive_utc())
}
