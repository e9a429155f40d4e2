//! Verdicts on runs whose difference is known.
use proptest::prelude::*;

use super::{Rules, Verdict, compare, iterations_needed, median};
use crate::benchmarks::{Metrics, Reading, Sample, Snapshot, markdown};

fn sample(name: &str, unit: &str, values: &[f64]) -> Sample {
    Sample {
        name: name.to_owned(),
        unit: unit.to_owned(),
        values: values.to_vec(),
    }
}

fn reading(samples: Vec<Sample>) -> Reading {
    Reading {
        samples,
        notes: Vec::new(),
    }
}

/// Snapshots of one name, with one value a run.
fn runs(unit: &str, before: &[f64], after: &[f64]) -> Vec<Snapshot> {
    (0..before.len().max(after.len()))
        .map(|place| Snapshot {
            iteration: place as u32,
            before: reading(
                before
                    .get(place)
                    .map(|v| sample("it", unit, &[*v]))
                    .into_iter()
                    .collect(),
            ),
            after: reading(
                after
                    .get(place)
                    .map(|v| sample("it", unit, &[*v]))
                    .into_iter()
                    .collect(),
            ),
        })
        .collect()
}

fn verdict(unit: &str, before: &[f64], after: &[f64]) -> Verdict {
    compare(&runs(unit, before, after), Rules::default()).rows[0].verdict
}

const SLOW: [f64; 5] = [100.0, 101.0, 99.0, 102.0, 98.0];
const FAST: [f64; 5] = [80.0, 81.0, 79.0, 82.0, 78.0];

#[test]
fn verdicts() {
    let near = SLOW.map(|value| value * 0.999);
    let barely: Vec<f64> = (0..5).map(|n| 100.0 - 0.1 + f64::from(n) / 100.0).collect();
    let level: Vec<f64> = (0..5).map(|n| 100.0 + f64::from(n) / 100.0).collect();
    let cases = [
        ("ns", &SLOW[..], &FAST[..], Verdict::Improvement),
        ("ns", &FAST, &SLOW, Verdict::Regression),
        ("ops/s", &SLOW, &FAST, Verdict::Regression),
        ("ops/s", &FAST, &SLOW, Verdict::Improvement),
        ("points", &FAST, &SLOW, Verdict::Changed),
        ("ns", &SLOW, &near, Verdict::NoDifference),
        // All runs are faster, by 0.1 %: less than the least effect.
        ("ns", &level, &barely, Verdict::NoDifference),
        ("ns", &SLOW[..4], &FAST[..4], Verdict::TooFewSamples),
        ("ns", &SLOW[..1], &FAST[..1], Verdict::TooFewSamples),
        ("ns", &SLOW, &[], Verdict::OnlyBefore),
        ("ns", &[], &SLOW, Verdict::OnlyAfter),
        ("ns", &[0.0; 5], &[0.0; 5], Verdict::NoDifference),
        ("ns", &[0.0; 5], &[5.0; 5], Verdict::Regression),
        ("points", &[f64::MAX; 5], &[-f64::MAX; 5], Verdict::Changed),
    ];
    for (unit, before, after, wanted) in cases {
        assert_eq!(
            verdict(unit, before, after),
            wanted,
            "{unit} {before:?} {after:?}"
        );
    }
}

/// A difference inside of the spread is not called one, even when the order of the runs is clear.
#[test]
fn a_difference_must_exceed_the_spread() {
    let before: Vec<f64> = (0..12).map(|n| 100.0 + f64::from(n) * 10.0).collect();
    let after: Vec<f64> = before.iter().map(|value| value + 25.0).collect();
    let row = compare(
        &runs("ns", &before, &after),
        Rules {
            alpha: 0.5,
            ..Rules::default()
        },
    )
    .rows[0]
        .clone();
    assert!(row.p_value.unwrap() <= 0.5);
    assert_eq!(row.before.unwrap().spread, 30.0);
    assert_eq!(row.verdict, Verdict::NoDifference);
}

#[test]
fn a_row_has_the_median_and_spread_of_the_runs() {
    let snapshots = runs(
        "ns",
        &[10.0, 30.0, 20.0, 1000.0, 25.0],
        &[5.0, 15.0, 10.0, 12.0, 500.0],
    );
    let row = compare(&snapshots, Rules::default()).rows[0].clone();
    assert_eq!(
        (row.before.unwrap().median, row.before.unwrap().spread),
        (25.0, 5.0)
    );
    assert_eq!(
        (row.after.unwrap().median, row.after.unwrap().spread),
        (12.0, 3.0)
    );
    assert_eq!(row.change_percent, Some(-52.0));
}

/// A hundred values of one process count as one run.
#[test]
fn values_of_one_run_are_not_runs() {
    let snapshot = Snapshot {
        iteration: 0,
        before: reading(vec![sample("it", "ns", &[100.0; 100])]),
        after: reading(vec![sample("it", "ns", &[50.0; 100])]),
    };
    let comparison = compare(&[snapshot], Rules::default());
    assert_eq!(comparison.rows[0].verdict, Verdict::TooFewSamples);
    assert_eq!(comparison.rows[0].before.unwrap().runs, 1);
    assert_eq!(comparison.iterations_needed, 5);
}

#[test]
fn more_names_need_more_iterations() {
    let needed = [1, 2, 4, 5, 64, 900].map(|names| iterations_needed(names, Rules::default()));
    assert_eq!(needed, [5, 6, 6, 7, 8, 10]);
    // Five names and six iterations: each alone would be a difference, together they are too few.
    let snapshots: Vec<Snapshot> = (0..6)
        .map(|n| {
            let side = |base: f64| {
                reading(
                    (0..5)
                        .map(|name| sample(&format!("n{name}"), "ns", &[base + f64::from(n)]))
                        .collect(),
                )
            };
            Snapshot {
                iteration: n as u32,
                before: side(100.0),
                after: side(50.0),
            }
        })
        .collect();
    let comparison = compare(&snapshots, Rules::default());
    assert!(
        comparison
            .rows
            .iter()
            .all(|row| row.verdict == Verdict::TooFewSamples)
    );
    assert_eq!(comparison.iterations_needed, 7);
}

#[test]
fn units_of_one_name_are_separate_rows_and_metrics_count_them() {
    let snapshots: Vec<Snapshot> = (0..7)
        .map(|n| {
            let side = |time: f64, bytes: f64| {
                reading(vec![
                    sample("it", "ns", &[time + f64::from(n)]),
                    sample("it", "B/op", &[bytes]),
                ])
            };
            Snapshot {
                iteration: n as u32,
                before: side(100.0, 16.0),
                after: side(50.0, 32.0),
            }
        })
        .collect();
    let comparison = compare(&snapshots, Rules::default());
    assert_eq!(
        comparison.metrics(),
        Metrics {
            regressions: 1,
            improvements: 1
        }
    );
    let json = serde_json::to_string(&comparison).unwrap();
    assert_eq!(
        serde_json::from_str::<super::Comparison>(&json).unwrap(),
        comparison
    );
    assert!(json.contains(r#""verdict":"improvement""#), "{json}");
    let json = serde_json::to_string(&snapshots[0]).unwrap();
    assert_eq!(
        serde_json::from_str::<Snapshot>(&json).unwrap(),
        snapshots[0]
    );
    let table = markdown(&comparison);
    assert!(
        table.contains("| it | 103.0 ns ± 2.00 ns | 53.00 ns ± 2.00 ns | -48.5 % | improvement |"),
        "{table}"
    );
}

/// With noise alone, at most one set of benchmarks in a hundred may have a row that says otherwise.
#[test]
fn noise_alone_is_rarely_a_difference() {
    let mut state = 7_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        100.0 + (state >> 40) as f64 / 2_f64.powi(24) * 40.0
    };
    let wrong = (0..1_000)
        .filter(|_| {
            let snapshots: Vec<Snapshot> = (0..8)
                .map(|n| {
                    let mut side = || {
                        reading(
                            (0..6)
                                .map(|name| sample(&format!("n{name}"), "ns", &[noise()]))
                                .collect(),
                        )
                    };
                    Snapshot {
                        iteration: n,
                        before: side(),
                        after: side(),
                    }
                })
                .collect();
            let metrics = compare(&snapshots, Rules::default()).metrics();
            metrics.improvements + metrics.regressions > 0
        })
        .count();
    assert!(wrong <= 15, "{wrong} of 1,000");
}

fn values() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(1.0_f64..1000.0, 1..15)
}

proptest! {
    #[test]
    fn shuffled_values_do_not_differ((before, after) in values().prop_flat_map(|v| (Just(v.clone()), Just(v).prop_shuffle()))) {
        prop_assert!(matches!(verdict("ns", &before, &after), Verdict::NoDifference | Verdict::TooFewSamples));
    }

    #[test]
    fn the_other_direction_has_the_other_verdict(before in values(), after in values()) {
        let back = match verdict("ns", &before, &after) {
            Verdict::Improvement => Verdict::Regression,
            Verdict::Regression => Verdict::Improvement,
            other => other,
        };
        prop_assert_eq!(verdict("ns", &after, &before), back);
        prop_assert_eq!(verdict("ops/s", &before, &after), back);
    }

    /// What is an improvement stays one when each run after the work is faster by the same amount.
    #[test]
    fn a_larger_improvement_is_an_improvement(before in values(), after in values(), less in 0.0_f64..100.0) {
        let before: Vec<f64> = before.iter().map(|v| v + 1000.0).collect();
        let faster: Vec<f64> = after.iter().map(|v| v - less).collect();
        if verdict("points", &before, &after) == Verdict::Changed && median(after).unwrap() < median(before.clone()).unwrap() {
            prop_assert_eq!(verdict("points", &before, &faster), Verdict::Changed);
        }
    }

    #[test]
    fn no_values_make_it_panic(
        before in prop::collection::vec(any::<f64>(), 0..9),
        after in prop::collection::vec(any::<f64>(), 0..9),
    ) {
        let comparison = compare(&runs("points", &before, &after), Rules::default());
        let _ = markdown(&comparison);
        let json = serde_json::to_string(&comparison).unwrap();
        prop_assert!(serde_json::from_str::<super::Comparison>(&json).is_ok());
    }
}
