//! How long a run may work, and how many turns of models it may use. Pure rules, and their JSON. The limit of its cost is
//! beside them in the run's record.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use roost_web::json::Mistakes;

const MOST_TURNS: i32 = 100_000;
/// Seconds. The waker looks once a second, so a shorter limit would not be exact.
const LEAST_TIME: i32 = 10;
/// Thirty days, in seconds.
const MOST_TIME: i32 = 30 * 24 * 60 * 60;

/// The limits of a run. They count for the run together with the runs that it starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunLimits {
    /// The most turns of models. The step whose turn would be one more fails. No limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100_000)]
    pub turns: Option<i32>,
    /// Seconds from the begin of the run, in which its waits and pauses count. Then the run fails. No limit when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 10, maximum = 2_592_000)]
    pub time_s: Option<i32>,
}

impl RunLimits {
    /// Checks the limits of a request, which are at `pointer`.
    pub fn check(self, pointer: &str, mistakes: &mut Mistakes) {
        if self
            .turns
            .is_some_and(|turns| !(1..=MOST_TURNS).contains(&turns))
        {
            mistakes.add(&format!("{pointer}/turns"), "must be from 1 to 100,000");
        }
        if self
            .time_s
            .is_some_and(|time| !(LEAST_TIME..=MOST_TIME).contains(&time))
        {
            mistakes.add(
                &format!("{pointer}/time_s"),
                "must be from 10 seconds to 30 days",
            );
        }
    }

    /// These limits, each in place of the other's.
    pub fn or(self, other: Self) -> Self {
        Self {
            turns: self.turns.or(other.turns),
            time_s: self.time_s.or(other.time_s),
        }
    }
}

/// Whether one more turn fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Fits,
    /// Turns in flight may be the last ones. One that fails gives its place back.
    Wait,
    /// The limit is reached.
    Over,
}

/// Whether one more turn fits under a limit, after `made` turns and while `in_flight` turns are not yet over.
pub fn one_more_turn(limit: i32, made: i64, in_flight: u64) -> Turn {
    let limit = i64::from(limit);
    let in_flight = i64::try_from(in_flight).unwrap_or(i64::MAX);
    if made >= limit {
        return Turn::Over;
    }
    match made.saturating_add(in_flight) >= limit {
        true => Turn::Wait,
        false => Turn::Fits,
    }
}

/// Why a run ended at its limit of time, for people.
pub(super) fn time_is_up(limit_s: Option<i32>) -> String {
    let limit = limit_s.and_then(|limit| u64::try_from(limit).ok());
    let limit = limit.map_or_else(String::new, |limit| {
        let limit = humantime::format_duration(Duration::from_secs(limit));
        format!(" of {limit}")
    });
    format!("The run reached its time limit{limit}. Fork it from a step to go on with more time.")
}

/// Why a step got no further turn, for people.
pub fn turns_are_used(limit: i32) -> String {
    let turns = match limit {
        1 => "the one turn".to_owned(),
        more => format!("the {more} turns"),
    };
    format!(
        "The run has used {turns} of models that it may use. Fork it from this step to go on with more turns."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turn_fits_waits_or_is_over() {
        for (limit, made, in_flight, wanted) in [
            (1, 0, 0, Turn::Fits),
            (1, 0, 1, Turn::Wait),
            (1, 1, 0, Turn::Over),
            (3, 1, 1, Turn::Fits),
            (3, 1, 2, Turn::Wait),
            (3, 4, 0, Turn::Over),
            (3, 0, u64::MAX, Turn::Wait),
        ] {
            let found = one_more_turn(limit, made, in_flight);
            assert_eq!(found, wanted, "{limit} {made} {in_flight}");
        }
    }

    #[test]
    fn limits_out_of_range_are_mistakes_at_their_place() {
        let wrong = |turns, time_s| {
            let mut mistakes = Mistakes::default();
            RunLimits { turns, time_s }.check("/limits", &mut mistakes);
            let errors = mistakes.done().err().map(|wrong| wrong.errors);
            let errors = errors.unwrap_or_default().into_iter();
            errors.map(|error| error.pointer).collect::<Vec<_>>()
        };
        assert!(wrong(None, None).is_empty());
        assert!(wrong(Some(1), Some(10)).is_empty());
        assert_eq!(wrong(Some(0), Some(9)), ["/limits/turns", "/limits/time_s"]);
        assert_eq!(
            wrong(Some(MOST_TURNS + 1), Some(MOST_TIME + 1)),
            ["/limits/turns", "/limits/time_s"]
        );
    }
}
