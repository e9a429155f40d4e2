//! Whether the work made the repository faster or slower, and how sure that is.
//!
//! Each run of the command gives one value a name: the median of the run's values. Values of one process depend on each
//! other (memory layout, caches, the machine's clock), so they do not count as separate runs. A row says improvement
//! or regression only if
//! 1. the Mann-Whitney U test of the runs before and after, with Holm's correction over all names, is at or below
//!    `alpha`, and
//! 2. the medians differ by at least `least_effect` of the smaller one, and
//! 3. the medians differ by more than the larger spread. The spread is the median absolute deviation of the runs.
//!
//! S. Holm: "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979).
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::rank_sum::{p_value, smallest_p};
use super::sample::{Reading, Sample};
use super::snapshot::Snapshot;
use super::unit::{Better, Unit};

/// When a difference counts.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Rules {
    /// How often, at most, a set of benchmarks without any difference may have a row that says otherwise.
    pub alpha: f64,
    /// The least difference, as a part of the smaller median.
    pub least_effect: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            alpha: 0.01,
            least_effect: 0.02,
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Regression,
    Improvement,
    /// A difference in a unit of which Roost does not know which direction is better.
    Changed,
    OnlyBefore,
    OnlyAfter,
    /// So few runs could not show a difference, even if there is one.
    TooFewSamples,
    NoDifference,
}

/// The runs of one name on one side.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Side {
    pub median: f64,
    /// The median absolute deviation from the median.
    pub spread: f64,
    pub runs: usize,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Row {
    pub name: String,
    pub unit: String,
    pub better: Better,
    pub before: Option<Side>,
    pub after: Option<Side>,
    /// From the median before to the median after. `None` if one is missing or the median before is zero.
    pub change_percent: Option<f64>,
    /// With Holm's correction. `None` if a side is missing.
    pub p_value: Option<f64>,
    pub verdict: Verdict,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Comparison {
    /// In the order of the names' first occurrence.
    pub rows: Vec<Row>,
    pub iterations: usize,
    /// How many iterations this number of names needs before a row can say improvement or regression.
    pub iterations_needed: usize,
    pub rules: Rules,
}

#[derive(Default)]
struct Runs {
    before: Vec<f64>,
    after: Vec<f64>,
}

/// Compares the runs before with the runs after.
pub fn compare(snapshots: &[Snapshot], rules: Rules) -> Comparison {
    let mut order: Vec<(&str, &str)> = Vec::new();
    let mut runs: BTreeMap<(&str, &str), Runs> = BTreeMap::new();
    for snapshot in snapshots {
        for (reading, is_before) in [(&snapshot.before, true), (&snapshot.after, false)] {
            for (sample, value) in values(reading) {
                let key = (sample.name.as_str(), sample.unit.as_str());
                let entry = runs.entry(key).or_insert_with(|| {
                    order.push(key);
                    Runs::default()
                });
                if is_before {
                    entry.before.push(value);
                } else {
                    entry.after.push(value);
                }
            }
        }
    }
    let mut rows: Vec<Row> = order
        .into_iter()
        .filter_map(|key| Some(row(key, runs.get(&key)?)))
        .collect();
    let family = correct(&mut rows);
    for row in &mut rows {
        row.verdict = verdict(row, family, rules);
    }
    Comparison {
        rows,
        iterations: snapshots.len(),
        iterations_needed: iterations_needed(family, rules),
        rules,
    }
}

/// How many iterations are needed before a row can say improvement or regression: 5 for one name, 6 for 4, 8 for 64,
/// 10 for 900.
pub fn iterations_needed(names: usize, rules: Rules) -> usize {
    let names = names.max(1) as f64;
    (1..100)
        .find(|runs| smallest_p(*runs, *runs) * names <= rules.alpha)
        .unwrap_or(100)
}

/// One value for each sample of a run.
fn values(reading: &Reading) -> impl Iterator<Item = (&Sample, f64)> {
    reading.samples.iter().filter_map(|sample| {
        let finite: Vec<f64> = sample
            .values
            .iter()
            .copied()
            .filter(|value| value.is_finite())
            .collect();
        Some((sample, median(finite)?))
    })
}

fn row((name, unit): (&str, &str), runs: &Runs) -> Row {
    let (before, after) = (side(&runs.before), side(&runs.after));
    let both = before.zip(after);
    Row {
        name: name.to_owned(),
        unit: unit.to_owned(),
        better: Unit::better_of(unit),
        before,
        after,
        change_percent: both
            .filter(|(before, _)| before.median != 0.0)
            .map(|(before, after)| (after.median - before.median) / before.median.abs() * 100.0)
            .filter(|change| change.is_finite()),
        p_value: both.map(|_| p_value(&runs.before, &runs.after)),
        verdict: match (before, after) {
            (Some(_), None) => Verdict::OnlyBefore,
            (None, Some(_)) => Verdict::OnlyAfter,
            _ => Verdict::NoDifference,
        },
    }
}

fn side(values: &[f64]) -> Option<Side> {
    let middle = median(values.to_vec())?;
    let distances = values
        .iter()
        .map(|value| (value - middle).abs().min(f64::MAX))
        .collect();
    Some(Side {
        median: middle,
        spread: median(distances)?,
        runs: values.len(),
    })
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    // Halved before the sum, which could be infinite.
    Some(values.get(middle - 1)? / 2.0 + upper / 2.0)
}

/// Holm's correction over all rows with both sides: the k-th smallest of m values is multiplied with m - k + 1, and none
/// is smaller than the one before it. Returns m.
fn correct(rows: &mut [Row]) -> usize {
    let mut places: Vec<(usize, f64)> = rows
        .iter()
        .enumerate()
        .filter_map(|(place, row)| Some((place, row.p_value?)))
        .collect();
    places.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let family = places.len();
    let mut least = 0.0_f64;
    for (rank, (place, p)) in places.into_iter().enumerate() {
        least = least.max(p * (family - rank) as f64).min(1.0);
        rows[place].p_value = Some(least);
    }
    family
}

fn verdict(row: &Row, family: usize, rules: Rules) -> Verdict {
    let (Some(before), Some(after), Some(p)) = (row.before, row.after, row.p_value) else {
        return row.verdict;
    };
    if p > rules.alpha {
        let possible = smallest_p(before.runs, after.runs) * family as f64;
        return if possible > rules.alpha {
            Verdict::TooFewSamples
        } else {
            Verdict::NoDifference
        };
    }
    let difference = after.median - before.median;
    let least = rules.least_effect * before.median.abs().min(after.median.abs());
    let spread = before.spread.max(after.spread);
    if difference == 0.0 || difference.abs() < least || difference.abs() <= spread {
        return Verdict::NoDifference;
    }
    match row.better {
        Better::Unknown => Verdict::Changed,
        Better::Lower if difference < 0.0 => Verdict::Improvement,
        Better::Higher if difference > 0.0 => Verdict::Improvement,
        Better::Lower | Better::Higher => Verdict::Regression,
    }
}

#[cfg(test)]
mod tests;
