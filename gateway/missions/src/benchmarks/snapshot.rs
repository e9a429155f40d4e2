//! A snapshot: what one iteration measured before and after the work.
use serde::{Deserialize, Serialize};

use super::compare::{Comparison, Verdict};
use super::sample::Reading;

/// One iteration. `before` is the base commit and `after` is the branch; the command ran once on each.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Snapshot {
    pub iteration: u32,
    pub before: Reading,
    pub after: Reading,
}

/// The metrics of a benchmark phase's summary card.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Metrics {
    pub regressions: usize,
    pub improvements: usize,
}

impl Comparison {
    pub fn metrics(&self) -> Metrics {
        let count = |verdict| {
            self.rows
                .iter()
                .filter(|row| row.verdict == verdict)
                .count()
        };
        Metrics {
            regressions: count(Verdict::Regression),
            improvements: count(Verdict::Improvement),
        }
    }
}
