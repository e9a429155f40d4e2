//! The table of a comparison, for artifacts and reports.
use super::compare::{Comparison, Row, Side, Verdict};
use super::unit::shown;
use crate::plain;

/// More rows belong in the JSON, not on a page.
const MOST_ROWS: usize = 200;

impl Verdict {
    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Improvement => "improvement",
            Self::Changed => "changed",
            Self::OnlyBefore => "only before",
            Self::OnlyAfter => "only after",
            Self::TooFewSamples => "too few runs",
            Self::NoDifference => "no difference",
        }
    }
}

/// The comparison as Markdown: regressions first, then improvements.
pub fn markdown(comparison: &Comparison) -> String {
    let metrics = comparison.metrics();
    let mut out = format!(
        "{} and {} in {} over {}.\n\n",
        counted(metrics.regressions, "regression"),
        counted(metrics.improvements, "improvement"),
        counted(comparison.rows.len(), "benchmark"),
        counted(comparison.iterations, "iteration"),
    );
    let mut rows: Vec<&Row> = comparison.rows.iter().collect();
    rows.sort_by_key(|row| row.verdict);
    if !rows.is_empty() {
        out.push_str("| Benchmark | Before | After | Change | Verdict |\n|---|--:|--:|--:|---|\n");
    }
    for row in rows.iter().take(MOST_ROWS) {
        let change = row
            .change_percent
            .map_or_else(|| "–".to_owned(), |change| format!("{change:+.1} %"));
        out.push_str(&format!(
            "| {} | {} | {} | {change} | {} |\n",
            plain::cell(&row.name, 120),
            side(row.before, &row.unit),
            side(row.after, &row.unit),
            row.verdict.words(),
        ));
    }
    if rows.len() > MOST_ROWS {
        out.push_str(&format!(
            "\nThe table leaves out {} rows.\n",
            rows.len() - MOST_ROWS
        ));
    }
    out.push_str(&format!(
        "\nEach figure is the median of the runs ± the median absolute deviation. A row says improvement or regression \
         if the Mann-Whitney U test with Holm's correction is at most {}, and the medians differ by at least {} % and by \
         more than the larger deviation.\n",
        comparison.rules.alpha,
        comparison.rules.least_effect * 100.0,
    ));
    if comparison.iterations < comparison.iterations_needed {
        out.push_str(&format!(
            "This number of benchmarks needs {} iterations.\n",
            comparison.iterations_needed
        ));
    }
    out
}

fn side(side: Option<Side>, unit: &str) -> String {
    side.map_or_else(
        || "–".to_owned(),
        |side| {
            plain::cell(
                &format!(
                    "{} ± {}",
                    shown(side.median, unit),
                    shown(side.spread, unit)
                ),
                80,
            )
        },
    )
}

fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::markdown;
    use crate::benchmarks::{Reading, Rules, Sample, Snapshot, compare};

    #[test]
    fn hostile_names_stay_in_their_cell_and_rows_are_bounded() {
        let samples = (0..300)
            .map(|number| Sample {
                name: format!("a|b\n# {number} <script>{}", "x".repeat(500)),
                unit: "po|ints".to_owned(),
                values: vec![1.0],
            })
            .collect();
        let snapshot = Snapshot {
            iteration: 1,
            before: Reading::default(),
            after: Reading {
                samples,
                notes: Vec::new(),
            },
        };
        let table = markdown(&compare(&[snapshot], Rules::default()));
        assert!(
            table.starts_with(
                "0 regressions and 0 improvements in 300 benchmarks over 1 iteration."
            )
        );
        assert!(table.contains("The table leaves out 100 rows."));
        assert!(!table.contains("<script>"));
        assert!(table.lines().filter(|line| line.starts_with("| a")).count() == 200);
    }
}
