//! Pure rules of the sums: their times, their order, and how many rows there are.

use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use uuid::Uuid;

use roost_execution::runs::{Summed, Sums};

/// The most rows. The rest is one sum.
pub const MOST_ROWS: usize = 500;
/// The longest time.
const MOST_DAYS: i64 = 366;
/// The time when a request names none.
const DEFAULT_DAYS: i64 = 30;

/// What a row is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Day(NaiveDate),
    Id(Uuid),
    Model(String),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => day.fmt(f),
            Self::Id(id) => id.fmt(f),
            Self::Model(name) => name.fmt(f),
        }
    }
}

/// The sums of a key, or of what has no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyed {
    pub key: Option<Key>,
    pub sums: Sums,
}

impl From<Summed> for Keyed {
    fn from(row: Summed) -> Self {
        let day =
            |days: i64| Some(DateTime::from_timestamp(days.checked_mul(86_400)?, 0)?.date_naive());
        let key = match (row.id, row.day, row.model) {
            (Some(id), ..) => Some(Key::Id(id)),
            (_, Some(days), _) => day(days).map(Key::Day),
            (.., Some(model)) => Some(Key::Model(model)),
            _ => None,
        };
        Self {
            key,
            sums: row.sums,
        }
    }
}

/// From a time until before another one.
pub type Range = (DateTime<Utc>, DateTime<Utc>);
/// The parameter that is wrong, and what it must be.
pub type Mistake = (&'static str, &'static str);

/// The times of a request. An error names the parameter, and says what it must be.
pub fn times(
    from: Option<DateTime<Utc>>,
    to: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<Range, Mistake> {
    let to = to.unwrap_or(now);
    let default = || to.checked_sub_signed(TimeDelta::days(DEFAULT_DAYS));
    let from = from.or_else(default).unwrap_or(to);
    if from >= to {
        return Err(("to", "must be later than `from`"));
    }
    if to - from > TimeDelta::days(MOST_DAYS) {
        return Err(("from", "must be at most 366 days before `to`"));
    }
    Ok((from, to))
}

/// Sums up the rows with the same key again.
pub fn folded(rows: Vec<Keyed>) -> Vec<Keyed> {
    let mut sums: BTreeMap<Option<Key>, Sums> = BTreeMap::new();
    for row in rows {
        *sums.entry(row.key).or_default() += row.sums;
    }
    sums.into_iter()
        .map(|(key, sums)| Keyed { key, sums })
        .collect()
}

/// The rows in their order, and the sums of those that have no room. Days stand in their order, and other keys by cost,
/// then tokens, then runs.
pub fn ordered(mut rows: Vec<Keyed>) -> (Vec<Keyed>, Option<Sums>) {
    let is_day = |row: &Keyed| matches!(row.key, Some(Key::Day(_)));
    rows.sort_by(|a, b| {
        let size = |row: &Keyed| match is_day(row) {
            true => (0, 0, 0),
            false => {
                let sums = row.sums;
                (
                    sums.cost_microusd,
                    sums.tokens_in + sums.tokens_out,
                    sums.runs,
                )
            }
        };
        size(b).cmp(&size(a)).then_with(|| a.key.cmp(&b.key))
    });
    let rest = rows.split_off(rows.len().min(MOST_ROWS));
    let others = rest
        .into_iter()
        .map(|row| row.sums)
        .reduce(|mut sums, more| {
            sums += more;
            sums
        });
    (rows, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: Option<Key>, cost_microusd: i64) -> Keyed {
        Keyed {
            key,
            sums: Sums {
                runs: 1,
                cost_microusd,
                ..Sums::default()
            },
        }
    }

    fn model(name: &str) -> Option<Key> {
        Some(Key::Model(name.to_owned()))
    }

    #[test]
    fn times_are_the_last_thirty_days_and_at_most_a_year() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let days = TimeDelta::days;
        assert_eq!(times(None, None, now), Ok((now - days(30), now)));
        let to = now - days(400);
        assert_eq!(times(None, Some(to), now), Ok((to - days(30), to)));
        assert_eq!(
            times(Some(now - days(366)), None, now),
            Ok((now - days(366), now))
        );
        let refused = |from, to| times(from, to, now).unwrap_err().0;
        assert_eq!(refused(Some(now - days(367)), None), "from");
        assert_eq!(refused(Some(now), Some(now)), "to");
        assert_eq!(refused(None, Some(DateTime::<Utc>::MIN_UTC)), "to");
    }

    #[test]
    fn largest_cost_is_first_and_days_are_in_their_order() {
        let rows = vec![row(model("b"), 5), row(None, 7), row(model("a"), 5)];
        let (ordered_rows, others) = ordered(rows);
        let keys: Vec<_> = ordered_rows.into_iter().map(|row| row.key).collect();
        assert_eq!(keys, [None, model("a"), model("b")]);
        assert_eq!(others, None);
        let day = |day| {
            Keyed::from(Summed {
                id: None,
                day: Some(day),
                model: None,
                sums: row(None, day).sums,
            })
        };
        let (days, _) = ordered(vec![day(20_785), day(20_783), day(20_784)]);
        let days: Vec<String> = days
            .iter()
            .filter_map(|row| Some(row.key.as_ref()?.to_string()))
            .collect();
        assert_eq!(days, ["2026-11-26", "2026-11-27", "2026-11-28"]);
    }

    #[test]
    fn rows_beyond_the_most_are_summed_up() {
        let rows: Vec<Keyed> = (0..502)
            .map(|n| row(Some(Key::Id(Uuid::from_u128(n))), i64::try_from(n).unwrap()))
            .collect();
        let (rows, others) = ordered(rows);
        assert_eq!((rows.len(), rows[0].sums.cost_microusd), (500, 501));
        // The two cheapest.
        let others = others.unwrap();
        assert_eq!((others.runs, others.cost_microusd), (2, 1));
    }

    #[test]
    fn rows_with_the_same_key_become_one() {
        let rows = folded(vec![
            row(model("a"), 1),
            row(None, 2),
            row(model("a"), 3),
            row(None, 4),
        ]);
        assert_eq!(rows.len(), 2);
        let cost = |key| rows.iter().find(|row| row.key == key).unwrap().sums;
        assert_eq!(
            (cost(model("a")).cost_microusd, cost(None).cost_microusd),
            (4, 6)
        );
        assert_eq!(cost(None).runs, 2);
    }
}
