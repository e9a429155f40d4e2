//! When a routine is due: a cron expression in a time zone, or a loop. The due times are a pure function of the schedule
//! and a time.
//!
//! What a change of the clock does to a cron expression:
//! * The hour field begins with `*`: the expression means an interval. It fires in each hour that passes. So it fires in
//!   both passes of an hour that happens twice, and not in an hour that does not exist.
//! * Otherwise it means a time of the day, and each day has it once. A time that happens twice fires the first time. A
//!   time that does not exist fires at the moment at which the clock jumps over it.

use chrono::{DateTime, Duration, TimeDelta, Utc};
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::zone::Zone;
use roost_web::json::Mistakes;

/// A schedule as it is written in requests and rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schema(as = RoutineSchedule)]
pub enum Schedule {
    Cron(CronSchedule),
    Loop(LoopSchedule),
}

/// A cron expression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RoutineCron)]
pub struct CronSchedule {
    /// Minute, hour, day of the month, month, day of the week. Also `@hourly`, `@daily`, `@weekly`, `@monthly`. A day
    /// matches when the day of the month or the day of the week does, if both are given.
    #[schema(min_length = 1, max_length = 200)]
    pub expression: String,
    /// The name of a time zone, such as `Europe/Berlin`. `UTC` when it is absent.
    #[serde(default = "utc")]
    #[schema(max_length = 64)]
    pub time_zone: String,
}

fn utc() -> String {
    "UTC".to_owned()
}

/// A loop: once at its begin, and then again after each interval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RoutineLoop)]
pub struct LoopSchedule {
    /// From 1 minute to a year.
    #[schema(minimum = 1, maximum = 525_600)]
    pub every_minutes: u32,
    /// The first firing. The time at which the routine is made or changed when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<DateTime<Utc>>,
    /// How often it is due in all. Without an end when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100_000)]
    pub times: Option<u32>,
    /// It is not due after this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<DateTime<Utc>>,
}

/// A schedule that was checked.
#[derive(Debug, Clone)]
pub enum Checked {
    Cron { cron: Box<Cron>, zone: Zone },
    Loop(LoopSchedule),
}

/// An expression that is not due for longer counts as one that never fires.
const FARTHEST: TimeDelta = TimeDelta::days(3_653);
const MOST_MINUTES: u32 = 525_600;
const MOST_TIMES: u32 = 100_000;
const MOST_EXPRESSION: usize = 200;
/// The years in which times are computed.
const LAST_YEAR: i32 = 2_200;

impl Schedule {
    /// Checks the schedule at a time. `pointer` is its place in the request.
    pub fn check(
        &self,
        now: DateTime<Utc>,
        pointer: &str,
        mistakes: &mut Mistakes,
    ) -> Option<Checked> {
        let (field, detail) = match self.checked(now) {
            Ok(checked) => match checked.first(now) {
                Some(_) => return Some(checked),
                None => match self {
                    Self::Cron(_) => (
                        "/expression",
                        "never fires: it has no due time within the next ten years".to_owned(),
                    ),
                    Self::Loop(_) => ("", "never fires: its end lies in the past".to_owned()),
                },
            },
            Err(wrong) => wrong,
        };
        mistakes.add(&format!("{pointer}{field}"), detail);
        None
    }

    /// Reads the schedule. The error is the field and what is wrong with it.
    ///
    /// # Errors
    /// When the expression or the zone is not one, or a number is out of range.
    pub fn checked(&self, now: DateTime<Utc>) -> Result<Checked, (&'static str, String)> {
        match self {
            Self::Cron(cron) => cron.checked(),
            Self::Loop(of) => of.checked(now),
        }
    }

    /// The schedule with the begin of its loop.
    #[must_use]
    pub fn starting(self, now: DateTime<Utc>) -> Self {
        match self {
            Self::Loop(of) => Self::Loop(LoopSchedule {
                starts_at: Some(whole(of.starts_at.unwrap_or(now))),
                ..of
            }),
            cron @ Self::Cron(_) => cron,
        }
    }

    /// As people read it.
    pub fn in_words(&self) -> String {
        match self {
            Self::Cron(cron) => {
                let words = cron.parsed().map(|parsed| parsed.describe());
                let words = words.unwrap_or_else(|_| cron.expression.clone());
                format!("{} ({})", words.trim_end_matches('.'), cron.time_zone)
            }
            Self::Loop(of) => of.in_words(),
        }
    }

    /// The field `schedule` of the event: the expression, or the loop in words.
    pub fn hint(&self) -> String {
        match self {
            Self::Cron(cron) => cron.expression.clone(),
            Self::Loop(of) => of.in_words(),
        }
    }
}

impl CronSchedule {
    fn parsed(&self) -> Result<Cron, (&'static str, String)> {
        let wrong = |detail: String| Err(("/expression", detail));
        let expression = self.expression.trim();
        if expression.is_empty() || expression.len() > MOST_EXPRESSION {
            return wrong(format!("must have 1 to {MOST_EXPRESSION} characters"));
        }
        let fields = expression.split_ascii_whitespace().count();
        if fields == 6 || fields == 7 {
            return wrong(
                "has a field for seconds or years; a routine fires once a minute at most, so write five fields: minute, \
                 hour, day of the month, month, day of the week"
                    .to_owned(),
            );
        }
        if fields != 5 && !expression.starts_with('@') {
            return wrong(format!(
                "has {fields} fields; write five: minute, hour, day of the month, month, day of the week"
            ));
        }
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        parser.parse(expression).or_else(|error| {
            wrong(format!(
                "is not a cron expression: {}",
                error.to_string().trim_end_matches('.')
            ))
        })
    }

    fn checked(&self) -> Result<Checked, (&'static str, String)> {
        let cron = Box::new(self.parsed()?);
        let zone = self.time_zone.parse::<chrono_tz::Tz>().map_err(|_| {
            let detail = "is not the name of a time zone, such as Europe/Berlin or UTC";
            ("/time_zone", detail.to_owned())
        })?;
        let hours = self.expression.split_ascii_whitespace().nth(1);
        let is_interval = match hours {
            Some(hours) => hours.starts_with('*'),
            None => self.expression.trim().eq_ignore_ascii_case("@hourly"),
        };
        let zone = Zone { zone, is_interval };
        Ok(Checked::Cron { cron, zone })
    }
}

impl LoopSchedule {
    fn checked(&self, now: DateTime<Utc>) -> Result<Checked, (&'static str, String)> {
        if !(1..=MOST_MINUTES).contains(&self.every_minutes) {
            let detail = format!("must be from 1 to {MOST_MINUTES}");
            return Err(("/every_minutes", detail));
        }
        if self
            .times
            .is_some_and(|times| !(1..=MOST_TIMES).contains(&times))
        {
            return Err(("/times", format!("must be from 1 to {MOST_TIMES}")));
        }
        for (field, time) in [("/starts_at", self.starts_at), ("/until", self.until)] {
            let far = Duration::days(36_525);
            if time.is_some_and(|time| (time - now).abs() > far) {
                return Err((field, "must be within a hundred years".to_owned()));
            }
        }
        let starts_at = Some(whole(self.starts_at.unwrap_or(now)));
        Ok(Checked::Loop(Self {
            starts_at,
            ..self.clone()
        }))
    }

    fn interval(&self) -> TimeDelta {
        TimeDelta::minutes(i64::from(self.every_minutes))
    }

    fn in_words(&self) -> String {
        let minutes = self.every_minutes;
        let (number, unit) = match minutes {
            _ if minutes.is_multiple_of(1_440) => (minutes / 1_440, "day"),
            _ if minutes.is_multiple_of(60) => (minutes / 60, "hour"),
            _ => (minutes, "minute"),
        };
        let every = match number {
            1 => format!("Every {unit}"),
            _ => format!("Every {number} {unit}s"),
        };
        let times = match self.times {
            Some(1) => ", once".to_owned(),
            Some(times) => format!(", {times} times"),
            None => String::new(),
        };
        let until = self
            .until
            .map(|until| until.format(", until %Y-%m-%d %H:%M UTC"));
        let until = until.map(|until| until.to_string()).unwrap_or_default();
        every + &times + &until
    }

    fn next(&self, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let start = self.starts_at?;
        let every = self.interval().num_seconds().max(1);
        let passed = (after - start).num_milliseconds();
        let place = match passed < 0 {
            true => 0,
            false => passed / (every * 1_000) + 1,
        };
        if self.times.is_some_and(|times| place >= i64::from(times)) {
            return None;
        }
        let due = start.checked_add_signed(TimeDelta::seconds(place.checked_mul(every)?))?;
        self.until.is_none_or(|until| due <= until).then_some(due)
    }
}

impl Checked {
    /// The first due time after a time.
    pub fn next(&self, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self {
            Self::Cron { cron, zone } => {
                let due = zone.next(cron, after)?;
                (due - after <= FARTHEST).then_some(due)
            }
            Self::Loop(of) => of.next(after),
        }
    }

    /// The first due time of a schedule that begins now. A loop that begins now is due now.
    pub fn first(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match self {
            Self::Cron { .. } => self.next(now),
            Self::Loop(_) => self.next(whole(now) - TimeDelta::milliseconds(1)),
        }
    }

    /// The next due times.
    pub fn upcoming(&self, from: Option<DateTime<Utc>>, most: usize) -> Vec<DateTime<Utc>> {
        std::iter::successors(from, |due| self.next(*due))
            .take(most)
            .collect()
    }

    /// The share of a loop that is over, when it has a number of times.
    pub fn progress(&self, next: Option<DateTime<Utc>>) -> Option<f64> {
        let Self::Loop(of) = self else { return None };
        let (start, times) = (of.starts_at?, of.times?);
        let Some(next) = next else { return Some(1.0) };
        let passed = (next - start).num_seconds() / of.interval().num_seconds().max(1);
        let passed = u32::try_from(passed.max(0)).unwrap_or(times).min(times);
        Some(f64::from(passed) / f64::from(times))
    }
}

/// The whole second of a time. Databases keep less of a second than the clock has, and a due time must be equal to itself.
fn whole(at: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp(at.timestamp(), 0).unwrap_or(at)
}

/// The last wall-clock year in which a search continues.
pub(super) fn is_too_far(year: i32) -> bool {
    year > LAST_YEAR
}
