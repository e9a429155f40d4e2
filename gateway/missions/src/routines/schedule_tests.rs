//! Due times: the two changes of the clock, schedules that are refused, and a comparison with a slow reference.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, NaiveDateTime, TimeDelta, TimeZone, Timelike, Utc};
use chrono_tz::Tz;
use proptest::prelude::*;

use super::schedule::{Checked, CronSchedule, LoopSchedule, Schedule};
use roost_web::json::Mistakes;

fn utc(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).unwrap().to_utc()
}

fn cron(expression: &str, zone: &str) -> Schedule {
    Schedule::Cron(CronSchedule {
        expression: expression.to_owned(),
        time_zone: zone.to_owned(),
    })
}

fn checked(schedule: &Schedule) -> Checked {
    schedule.checked(utc("2026-01-01T00:00:00Z")).unwrap()
}

/// The next due times, in UTC without the year.
fn next(expression: &str, zone: &str, after: &str, most: usize) -> Vec<String> {
    let schedule = checked(&cron(expression, zone));
    let dues = schedule.upcoming(schedule.next(utc(after)), most);
    let shown = dues.iter().map(|due| due.format("%m-%dT%H:%M").to_string());
    shown.collect()
}

fn refused(schedule: &Schedule) -> String {
    let mut mistakes = Mistakes::default();
    let now = utc("2026-11-28T00:00:00Z");
    let found = schedule.check(now, "/schedule", &mut mistakes);
    assert!(found.is_none(), "{schedule:?} is not refused");
    let errors = mistakes.done().unwrap_err().errors;
    format!("{}: {}", errors[0].pointer, errors[0].detail)
}

#[test]
fn expression_is_read_in_its_time_zone() {
    let found = next("0 9 * * 1", "Europe/Berlin", "2026-11-28T00:00:00Z", 2);
    assert_eq!(found, ["11-30T08:00", "12-07T08:00"]);
    let found = next("0 9 * * 1-5", "America/New_York", "2026-11-28T00:00:00Z", 2);
    assert_eq!(found, ["11-30T14:00", "12-01T14:00"]);
    let found = next("@daily", "UTC", "2026-11-28T00:00:00Z", 1);
    assert_eq!(found, ["11-29T00:00"]);
}

#[test]
fn time_that_does_not_exist_fires_when_the_clock_jumps_over_it() {
    // In Berlin, 2:00 to 3:00 of 2026-03-29 does not exist. 3:00 is 1:00 UTC.
    let found = next("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", 3);
    assert_eq!(found, ["03-28T01:30", "03-29T01:00", "03-30T00:30"]);
    // Several such times are one firing.
    let found = next(
        "0,15,30 2,3 29 3 *",
        "Europe/Berlin",
        "2026-03-28T12:00:00Z",
        3,
    );
    assert_eq!(found, ["03-29T01:00", "03-29T01:15", "03-29T01:30"]);
}

#[test]
fn time_that_happens_twice_fires_the_first_time() {
    // In Berlin, 2:00 to 3:00 of 2026-10-25 happens twice: at 0:00 and at 1:00 UTC.
    let found = next("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2);
    assert_eq!(found, ["10-25T00:30", "10-26T01:30"]);
    let in_second_pass = next("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", 1);
    assert_eq!(in_second_pass, ["10-26T01:30"]);
}

#[test]
fn interval_goes_on_through_both_changes_of_the_clock() {
    let found = next("*/30 * * * *", "Europe/Berlin", "2026-10-25T00:10:00Z", 5);
    let all = [
        "10-25T00:30",
        "10-25T01:00",
        "10-25T01:30",
        "10-25T02:00",
        "10-25T02:30",
    ];
    assert_eq!(found, all);
    let found = next("*/30 * * * *", "Europe/Berlin", "2026-03-29T00:10:00Z", 3);
    assert_eq!(found, ["03-29T00:30", "03-29T01:00", "03-29T01:30"]);
    // The change of this zone is half an hour.
    let found = next(
        "0 * * * *",
        "Australia/Lord_Howe",
        "2026-04-04T13:50:00Z",
        3,
    );
    assert_eq!(found, ["04-04T14:00", "04-04T15:30", "04-04T16:30"]);
}

#[test]
fn schedule_that_never_fires_is_refused_at_once() {
    let begun = std::time::Instant::now();
    for expression in ["0 0 30 2 *", "* * 31 4,6,9,11 *", "0 * 30 2 *"] {
        let said = refused(&cron(expression, "Europe/Berlin"));
        assert!(
            said.contains("/schedule/expression"),
            "{expression}: {said}"
        );
    }
    let took = begun.elapsed();
    assert!(took.as_secs() < 10, "three expressions took {took:?}");
    let leap_day = checked(&cron("0 0 29 2 *", "UTC")).next(utc("2026-11-28T00:00:00Z"));
    assert_eq!(leap_day, Some(utc("2028-02-29T00:00:00Z")));
}

#[test]
fn what_is_no_schedule_is_refused_with_its_place() {
    for (expression, part) in [
        ("* * * * * *", "seconds"),
        ("*/5 * * * * * *", "seconds"),
        ("", "must have 1 to 200"),
        ("* * * *", "has 4 fields"),
        ("61 * * * *", "is not a cron expression"),
        ("0 9 * * FOO", "is not a cron expression"),
        ("@reboot", "is not a cron expression"),
        ("🦀 * * * *", "is not a cron expression"),
    ] {
        let said = refused(&cron(expression, "UTC"));
        assert!(
            said.starts_with("/schedule/expression: "),
            "{expression}: {said}"
        );
        assert!(said.contains(part), "{expression}: {said}");
    }
    let long = format!("{} * * * *", "1,".repeat(200));
    assert!(refused(&cron(&long, "UTC")).contains("must have 1 to 200"));
    let said = refused(&cron("0 9 * * *", "Mars/Olympus"));
    assert!(said.starts_with("/schedule/time_zone: "), "{said}");
}

fn every(minutes: u32) -> LoopSchedule {
    LoopSchedule {
        every_minutes: minutes,
        starts_at: Some(utc("2026-11-28T00:00:00.123456Z")),
        times: None,
        until: None,
    }
}

#[test]
fn loop_begins_at_its_begin_and_ends_after_its_times_or_its_end() {
    // The begin has a part of a second, which counts for nothing.
    let start = utc("2026-11-28T00:00:00Z");
    let of = LoopSchedule {
        times: Some(3),
        ..every(90)
    };
    let of = checked(&Schedule::Loop(of));
    let dues = of.upcoming(of.first(start), 10);
    let minutes: Vec<i64> = dues
        .iter()
        .map(|due| (*due - start).num_minutes())
        .collect();
    assert_eq!(minutes, [0, 90, 180]);
    assert_eq!(of.progress(Some(dues[1])), Some(1.0 / 3.0));
    assert_eq!(of.progress(None), Some(1.0));
    let until = Some(start + TimeDelta::minutes(180));
    let of = checked(&Schedule::Loop(LoopSchedule { until, ..every(90) }));
    assert_eq!(of.upcoming(of.first(start), 10).len(), 3);
}

#[test]
fn loop_that_is_no_loop_is_refused() {
    for (of, part) in [
        (every(0), "/schedule/every_minutes"),
        (every(525_601), "/schedule/every_minutes"),
        (
            LoopSchedule {
                times: Some(0),
                ..every(5)
            },
            "/schedule/times",
        ),
        (
            LoopSchedule {
                until: Some(utc("2026-11-27T00:00:00Z")),
                ..every(5)
            },
            "its end lies in the past",
        ),
        (
            LoopSchedule {
                until: Some(DateTime::<Utc>::MAX_UTC),
                ..every(5)
            },
            "/schedule/until",
        ),
    ] {
        let said = refused(&Schedule::Loop(of.clone()));
        assert!(said.contains(part), "{of:?}: {said}");
    }
}

#[test]
fn schedules_are_said_in_words() {
    let said = cron("0 9 * * 1", "Europe/Berlin").in_words();
    assert!(
        said.contains("09:00") && said.ends_with("(Europe/Berlin)"),
        "{said}"
    );
    assert_eq!(Schedule::Loop(every(30)).in_words(), "Every 30 minutes");
    let of = LoopSchedule {
        times: Some(4),
        ..every(120)
    };
    assert_eq!(Schedule::Loop(of).in_words(), "Every 2 hours, 4 times");
    assert_eq!(Schedule::Loop(every(1_440)).in_words(), "Every day");
}

/// A field of an expression as text, and the values that it means.
#[derive(Debug, Clone)]
struct Field {
    text: String,
    values: BTreeSet<u32>,
    is_star: bool,
}

fn field(low: u32, high: u32) -> impl Strategy<Value = Field> {
    let star = Just(Field {
        text: "*".to_owned(),
        values: (low..=high).collect(),
        is_star: true,
    });
    let list = prop::collection::btree_set(low..=high, 1..4).prop_map(|values| Field {
        text: values
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(","),
        values,
        is_star: false,
    });
    let step = (2..(high - low)).prop_map(move |step| Field {
        text: format!("*/{step}"),
        values: (low..=high).step_by(step as usize).collect(),
        is_star: true,
    });
    let range = (low..high).prop_flat_map(move |from| {
        (from + 1..=high).prop_map(move |to| Field {
            text: format!("{from}-{to}"),
            values: (from..=to).collect(),
            is_star: false,
        })
    });
    prop_oneof![star, list, step, range]
}

/// An expression whose days are all days or days of the week: how both are combined is the library's matter.
#[derive(Debug, Clone)]
struct Fields {
    minute: Field,
    hour: Field,
    month: Field,
    weekday: Field,
}

fn fields() -> impl Strategy<Value = Fields> {
    (field(0, 59), field(0, 23), field(1, 12), field(0, 6)).prop_map(|all| Fields {
        minute: all.0,
        hour: all.1,
        month: all.2,
        weekday: all.3,
    })
}

impl Fields {
    fn text(&self) -> String {
        let Self {
            minute,
            hour,
            month,
            weekday,
        } = self;
        format!(
            "{} {} * {} {}",
            minute.text, hour.text, month.text, weekday.text
        )
    }

    fn matches(&self, wall: NaiveDateTime) -> bool {
        self.minute.values.contains(&wall.minute())
            && self.hour.values.contains(&wall.hour())
            && self.month.values.contains(&wall.month())
            && self
                .weekday
                .values
                .contains(&wall.weekday().num_days_from_sunday())
    }

    /// Looks at each minute, one after the other.
    fn reference(
        &self,
        zone: Tz,
        after: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let minute = TimeDelta::minutes(1);
        let wall = |at: DateTime<Utc>| zone.from_utc_datetime(&at.naive_utc()).naive_local();
        let mut at = after + minute;
        while at <= until {
            let (before, now) = (wall(at - minute), wall(at));
            let happened_before = || (1..=180).any(|back| wall(at - minute * back) == now);
            let is_due = self.matches(now) && (self.hour.is_star || !happened_before());
            let mut jumped = before + minute;
            let mut jumped_over = false;
            while !self.hour.is_star && jumped < now {
                jumped_over |= self.matches(jumped);
                jumped += minute;
            }
            if is_due || jumped_over {
                return Some(at);
            }
            at += minute;
        }
        None
    }
}

/// Two days before changes of the clock, and days without one.
const BEFORE: [(&str, &str); 8] = [
    ("Europe/Berlin", "2026-03-28T00:00:00Z"),
    ("Europe/Berlin", "2026-10-24T00:00:00Z"),
    ("America/New_York", "2026-03-07T06:00:00Z"),
    ("America/New_York", "2026-10-31T06:00:00Z"),
    ("Australia/Lord_Howe", "2026-04-03T14:00:00Z"),
    ("Australia/Lord_Howe", "2026-10-02T14:00:00Z"),
    ("Asia/Kolkata", "2026-06-01T00:00:00Z"),
    ("UTC", "2026-12-30T00:00:00Z"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn next_due_time_is_that_of_a_walk_over_all_minutes(
        fields in fields(), place in 0..BEFORE.len(), minutes in 0i64..2_880
    ) {
        let (name, from) = BEFORE[place];
        let zone: Tz = name.parse().unwrap();
        let after = utc(from) + TimeDelta::minutes(minutes);
        let until = after + TimeDelta::days(4);
        let schedule = cron(&fields.text(), name);
        let found = checked(&schedule).next(after).filter(|due| *due <= until);
        prop_assert_eq!(found, fields.reference(zone, after, until), "{} in {}", fields.text(), name);
    }

    #[test]
    fn due_times_only_go_forward(fields in fields(), place in 0..BEFORE.len()) {
        let (name, from) = BEFORE[place];
        let schedule = checked(&cron(&fields.text(), name));
        let dues = schedule.upcoming(schedule.next(utc(from)), 40);
        for pair in dues.windows(2) {
            prop_assert!(pair[1] - pair[0] >= TimeDelta::minutes(1), "{:?}", pair);
        }
    }
}
