//! The words of routines, and what happens at a due time.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::schedule::Checked;

macro_rules! words {
    ($(#[$meta:meta])* $name:ident as $schema:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ } else $other:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        #[schema(as = $schema)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// The word in the database and in the API.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Reads the word of the database.
            pub fn from_stored(word: &str) -> Self {
                match word { $($word => Self::$variant,)+ _ => Self::$other }
            }
        }
    };
}

words! {
    /// What happens with due times at which no gateway worked.
    Missed as RoutineMissed {
        /// They are only noted in the journal.
        Skip = "skip",
        /// The newest of them fires once, when it is at most seven days old. The others are noted.
        Once = "once",
    } else Skip
}

words! {
    /// What happens at a due time while an earlier firing still works.
    Overlap as RoutineOverlap {
        /// It is only noted in the journal.
        Skip = "skip",
        /// It fires too, while at most five firings of the routine work.
        Allow = "allow",
    } else Skip
}

words! {
    /// What makes a routine fire.
    Cause as FiringCause {
        /// A due time of its schedule.
        Schedule = "schedule",
        /// A due time at which no gateway worked.
        CatchUp = "catch_up",
        /// A person.
        Manual = "manual",
    } else Schedule
}

words! {
    /// The state of a firing.
    FiringState as FiringState {
        /// What it started works.
        Started = "started",
        /// What it started has ended well.
        Done = "done",
        /// It could not start, or what it started has failed.
        Failed = "failed",
        /// An earlier firing still worked.
        Skipped = "skipped",
        /// No gateway worked at the due time.
        Missed = "missed",
    } else Failed
}

/// What of a routine works now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AtWork {
    pub firings: u64,
    /// Something of them waits for an approval.
    pub at_door: bool,
}

/// The state of a routine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RoutineStanding)]
pub enum Standing {
    /// It waits for its next due time.
    Scheduled,
    /// A firing works.
    Running,
    /// A firing works, and something of it waits for an approval.
    Door,
    /// A person paused it.
    Paused,
    /// Its schedule has ended.
    Done,
}

/// A gateway that looks later than this after a due time was away.
pub const GRACE: TimeDelta = TimeDelta::minutes(1);
/// The oldest due time that fires afterwards.
pub const MOST_LATE: TimeDelta = TimeDelta::days(7);
/// The firings of a routine that may work at once.
pub const MOST_AT_ONCE: u64 = 5;
/// The due times that a look counts. A minute's routine reaches it after a week.
const MOST_COUNTED: usize = 10_080;

/// Due times at which no gateway worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lapsed {
    pub last: DateTime<Utc>,
    pub count: u32,
}

/// What happens now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    Nothing,
    Fire(DateTime<Utc>, Cause),
    /// Noted, because so many firings still work.
    Skip(DateTime<Utc>, Cause),
}

/// What a look at a routine decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub lapsed: Option<Lapsed>,
    pub act: Act,
    pub next: Option<DateTime<Utc>>,
}

/// What a look at a routine sees.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    pub schedule: &'a Checked,
    pub missed: Missed,
    pub overlap: Overlap,
    /// The due time that was not handled yet.
    pub due: DateTime<Utc>,
    pub now: DateTime<Utc>,
    /// The firings of the routine that work.
    pub open: u64,
}

impl Look<'_> {
    /// What happens at the due times up to now.
    pub fn decide(&self) -> Decision {
        if self.due > self.now {
            return Decision {
                lapsed: None,
                act: Act::Nothing,
                next: Some(self.due),
            };
        }
        let after = |due: &DateTime<Utc>| self.schedule.next(*due);
        let dues: Vec<DateTime<Utc>> = std::iter::successors(Some(self.due), after)
            .take_while(|due| *due <= self.now)
            .take(MOST_COUNTED)
            .collect();
        let (count, last) = (dues.len(), dues.last().copied().unwrap_or(self.due));
        let late = self.now - last;
        let cause = match late > GRACE {
            true => Cause::CatchUp,
            false => Cause::Schedule,
        };
        let fires = cause == Cause::Schedule || (self.missed == Missed::Once && late <= MOST_LATE);
        let lapsed = match fires {
            true => count - 1,
            false => count,
        };
        let before = match fires {
            true => lapsed.checked_sub(1).map(|place| dues[place]),
            false => Some(last),
        };
        Decision {
            lapsed: before.map(|last| Lapsed {
                last,
                count: u32::try_from(lapsed).unwrap_or(u32::MAX),
            }),
            act: match (fires, self.may_start()) {
                (false, _) => Act::Nothing,
                (true, true) => Act::Fire(last, cause),
                (true, false) => Act::Skip(last, cause),
            },
            next: self.schedule.next(self.now),
        }
    }

    fn may_start(&self) -> bool {
        may_start(self.overlap, self.open)
    }
}

/// Whether one more firing may work while so many do.
pub fn may_start(overlap: Overlap, open: u64) -> bool {
    match overlap {
        Overlap::Skip => open == 0,
        Overlap::Allow => open < MOST_AT_ONCE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routines::schedule::{LoopSchedule, Schedule};

    fn at(minute: i64) -> DateTime<Utc> {
        let start = DateTime::parse_from_rfc3339("2026-11-28T00:00:00Z").unwrap();
        start.to_utc() + TimeDelta::minutes(minute)
    }

    fn every_ten_minutes(times: Option<u32>) -> Checked {
        let of = LoopSchedule {
            every_minutes: 10,
            starts_at: Some(at(0)),
            times,
            until: None,
        };
        Schedule::Loop(of).checked(at(0)).unwrap()
    }

    fn decide(missed: Missed, now: DateTime<Utc>, open: u64) -> Decision {
        let schedule = every_ten_minutes(None);
        let overlap = Overlap::Skip;
        let due = at(10);
        let look = Look {
            schedule: &schedule,
            missed,
            overlap,
            due,
            now,
            open,
        };
        look.decide()
    }

    #[test]
    fn nothing_happens_before_the_due_time() {
        let found = decide(Missed::Once, at(9), 0);
        assert_eq!((found.act, found.next), (Act::Nothing, Some(at(10))));
    }

    #[test]
    fn due_time_fires_unless_an_earlier_firing_works() {
        let fires = decide(Missed::Skip, at(10) + GRACE, 0);
        assert_eq!(fires.act, Act::Fire(at(10), Cause::Schedule));
        assert_eq!((fires.lapsed, fires.next), (None, Some(at(20))));
        let waits = decide(Missed::Skip, at(10), 1);
        assert_eq!(waits.act, Act::Skip(at(10), Cause::Schedule));
    }

    #[test]
    fn missed_due_times_are_noted_and_the_newest_fires_once_where_the_policy_says_so() {
        let now = at(45);
        let skipped = decide(Missed::Skip, now, 0);
        let all = Lapsed {
            last: at(40),
            count: 4,
        };
        assert_eq!((skipped.lapsed, skipped.act), (Some(all), Act::Nothing));
        let once = decide(Missed::Once, now, 0);
        let rest = Lapsed {
            last: at(30),
            count: 3,
        };
        assert_eq!(once.lapsed, Some(rest));
        assert_eq!(once.act, Act::Fire(at(40), Cause::CatchUp));
        assert_eq!(once.next, Some(at(50)));
    }

    #[test]
    fn due_time_that_is_not_late_fires_although_earlier_ones_were_missed() {
        let found = decide(Missed::Skip, at(40), 0);
        assert_eq!(found.act, Act::Fire(at(40), Cause::Schedule));
        assert_eq!(
            found.lapsed,
            Some(Lapsed {
                last: at(30),
                count: 3
            })
        );
    }

    #[test]
    fn due_time_of_more_than_a_week_ago_does_not_fire() {
        let schedule = every_ten_minutes(Some(2));
        let look = |now| Look {
            schedule: &schedule,
            missed: Missed::Once,
            overlap: Overlap::Skip,
            due: at(0),
            now,
            open: 0,
        };
        let in_time = look(at(10) + MOST_LATE).decide();
        assert_eq!(in_time.act, Act::Fire(at(10), Cause::CatchUp));
        let too_late = look(at(11) + MOST_LATE).decide();
        let both = Lapsed {
            last: at(10),
            count: 2,
        };
        assert_eq!((too_late.act, too_late.lapsed), (Act::Nothing, Some(both)));
        assert_eq!(too_late.next, None);
    }

    #[test]
    fn year_of_minutes_is_counted_to_a_bound() {
        let of = LoopSchedule {
            every_minutes: 1,
            starts_at: Some(at(0)),
            times: None,
            until: None,
        };
        let schedule = Schedule::Loop(of).checked(at(0)).unwrap();
        let (missed, overlap) = (Missed::Skip, Overlap::Skip);
        let (due, now) = (at(0), at(525_600) + TimeDelta::seconds(30));
        let found = Look {
            schedule: &schedule,
            missed,
            overlap,
            due,
            now,
            open: 0,
        }
        .decide();
        assert_eq!(found.lapsed.map(|lapsed| lapsed.count), Some(10_080));
        assert_eq!(found.next, Some(at(525_601)));
    }
}
