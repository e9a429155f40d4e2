//! Suppressions that hold, that have ended, and that are not written as they should be.
use chrono::NaiveDate;
use proptest::prelude::*;

use super::Suppressions;
use crate::findings::merge::merge;
use crate::findings::{Merged, Report};

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn merged() -> Vec<Merged> {
    use crate::findings::merge::tests::{finding, report};
    let mut outside = finding("t", "B602", "x", 1);
    outside.file = None;
    let reports: [Report; 1] = [report(vec![
        finding("t", "B602", "tests/a/b.py", 1),
        finding("t", "B602", "src/a.py", 1),
        finding("t", "B101", "tests/c.py", 1),
        outside,
    ])];
    merge(&reports)
}

fn open(text: &str, today: &str) -> (usize, Vec<String>) {
    let triage = Suppressions::parse(text)
        .unwrap()
        .apply(merged(), day(today));
    assert_eq!(triage.open.len() + triage.suppressed.len(), 4);
    assert!(
        triage
            .suppressed
            .iter()
            .all(|suppressed| suppressed.reason == "Why.")
    );
    (triage.open.len(), triage.notes)
}

fn entry(rule: &str, path: &str, more: &str) -> String {
    format!("[[suppress]]\nrule = \"{rule}\"\npath = \"{path}\"\nreason = \"Why.\"\n{more}\n")
}

#[test]
fn a_suppression_takes_out_its_rule_in_its_paths() {
    assert_eq!(open("", "2026-01-01").0, 4);
    assert_eq!(
        open(&entry("B602", "tests/**", ""), "2026-01-01"),
        (3, vec![])
    );
    assert_eq!(open(&entry("B602", "*.py", ""), "2026-01-01").0, 4);
    assert_eq!(open(&entry("*", "tests/*", ""), "2026-01-01").0, 3);
    assert_eq!(open(&entry("*", "**/*.py", ""), "2026-01-01").0, 1);
    assert_eq!(open(&entry("B602", "**", ""), "2026-01-01").0, 1);
}

#[test]
fn a_suppression_ends_after_its_day() {
    for expires in ["expires = \"2026-03-01\"", "expires = 2026-03-01"] {
        let text = entry("B602", "tests/**", expires);
        assert_eq!(open(&text, "2026-03-01"), (3, vec![]));
        assert_eq!(
            open(&text, "2026-03-02"),
            (
                4,
                vec!["suppression 1 (B602 in tests/**) expired after 2026-03-01".to_owned()]
            )
        );
    }
    let (_, notes) = open(&entry("B999", "**", ""), "2026-01-01");
    assert_eq!(notes, ["suppression 1 (B999 in **) matches no finding"]);
}

#[test]
fn a_file_that_is_written_wrongly_says_where() {
    let reason = "[[suppress]]\nrule = \"a\"\npath = \"**\"\n";
    let cases = [
        (
            reason.to_owned(),
            "suppression 1 of .roost-security.toml has no reason",
        ),
        (format!("{reason}reason = \"  \""), "has no reason"),
        (
            format!("{}{reason}", entry("a", "**", "")),
            "suppression 2 of .roost-security.toml has no reason",
        ),
        (
            entry("a", "**", "").replace("rule = \"a\"", ""),
            "has no rule",
        ),
        (
            entry("a", "[", ""),
            "suppression 1 of .roost-security.toml: error parsing glob",
        ),
        (
            entry("a", "**", "expires = \"soon\""),
            "\"soon\" is not a day such as 2027-01-31",
        ),
        (
            entry("a", "**", "expires = 2026-01-01T00:00:00Z"),
            "is not a day",
        ),
        (entry("a", "**", "until = 5"), "unknown field `until`"),
        (
            "[[suppress]".to_owned(),
            "is not the TOML that it should be",
        ),
        ("x".repeat(300_000), "has over 256 kB"),
        (entry("a", "**", "").repeat(501), "has 501 suppressions"),
    ];
    for (text, wanted) in cases {
        let error = Suppressions::parse(&text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,80}", path in "\\PC{0,40}") {
        let _ = Suppressions::parse(&text);
        let path = path.replace(['"', '\\'], "");
        if let Ok(suppressions) = Suppressions::parse(&entry("*", &path, "")) {
            suppressions.apply(merged(), day("2026-01-01"));
        }
    }
}
