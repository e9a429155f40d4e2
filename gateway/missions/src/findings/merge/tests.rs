//! What is one finding, what is new, and what the counts say.
use proptest::prelude::*;

use super::{Merged, merge, metrics, new_since};
use crate::findings::finding::Collector;
use crate::findings::{Finding, Report, Severity, Suppressions, markdown};

pub(in crate::findings) fn finding(tool: &str, rule: &str, file: &str, line: u32) -> Finding {
    Finding {
        tool: tool.to_owned(),
        rule: rule.to_owned(),
        message: format!("{rule} at line {line}"),
        file: Some(file.to_owned()),
        line: Some(line),
        ..Finding::default()
    }
}

pub(in crate::findings) fn report(findings: Vec<Finding>) -> Report {
    let mut all = Collector::default();
    findings.into_iter().for_each(|finding| all.add(finding));
    all.finish()
}

fn with_aliases(mut finding: Finding, aliases: &[&str]) -> Finding {
    finding.aliases = aliases.iter().map(|alias| (*alias).to_owned()).collect();
    finding
}

fn advisory(tool: &str, rule: &str, subject: &str, aliases: &[&str]) -> Finding {
    let mut finding = with_aliases(finding(tool, rule, "Cargo.lock", 0), aliases);
    finding.subject = Some(subject.to_owned());
    finding
}

#[test]
fn tools_that_report_the_same_fault_are_named_together() {
    let mut worse = with_aliases(finding("semgrep", "shell-true", "a.py", 7), &["CWE-78"]);
    worse.severity = Severity::High;
    let mut one = with_aliases(finding("bandit", "B602", "a.py", 7), &["CWE-78"]);
    one.snippet = Some("call(shell=True)".to_owned());
    let merged = merge(&[report(vec![one]), report(vec![worse])]);
    assert_eq!(merged.len(), 1);
    assert_eq!(merged[0].tools, ["bandit", "semgrep"]);
    assert_eq!(merged[0].rules, ["B602", "shell-true"]);
    assert_eq!(merged[0].finding.severity, Severity::High);
    assert_eq!(
        merged[0].finding.snippet.as_deref(),
        Some("call(shell=True)")
    );
}

#[test]
fn other_places_and_other_faults_stay_apart() {
    let all = report(vec![
        with_aliases(finding("a", "r1", "a.py", 7), &["CWE-78"]),
        with_aliases(finding("b", "r2", "a.py", 8), &["CWE-78"]),
        with_aliases(finding("b", "r3", "b.py", 7), &["CWE-78"]),
        with_aliases(finding("b", "r4", "a.py", 7), &["CWE-79"]),
        advisory("b", "RUSTSEC-1", "crates.io:x@1", &["CWE-79"]),
        advisory("b", "RUSTSEC-2", "crates.io:x@1", &["CWE-79"]),
        advisory("b", "RUSTSEC-1", "crates.io:y@1", &[]),
    ]);
    assert_eq!(merge(&[all]).len(), 7);
}

#[test]
fn advisories_are_one_by_their_ids_and_secrets_by_their_line() {
    let merged = merge(&[
        report(vec![advisory(
            "cargo audit",
            "RUSTSEC-1",
            "crates.io:x@1",
            &["CVE-1"],
        )]),
        report(vec![advisory("other", "CVE-1", "crates.io:x@1", &[])]),
        report(vec![with_aliases(
            finding("bandit", "B105", "a.py", 1),
            &["CWE-259"],
        )]),
        report(vec![with_aliases(
            finding("roost secrets", "hardcoded-password", "a.py", 1),
            &["CWE-798"],
        )]),
    ]);
    let tools: Vec<&[String]> = merged
        .iter()
        .map(|merged| merged.tools.as_slice())
        .collect();
    assert_eq!(merged.len(), 2, "{tools:?}");
}

#[test]
fn only_what_the_base_does_not_have_is_new() {
    let at = |lines: &[u32]| {
        let findings = lines.iter().map(|line| {
            let mut finding = finding("t", "r", "a.rs", *line);
            finding.snippet = Some("let x =  unwrap();".to_owned());
            finding
        });
        merge(&[report(findings.collect())])
    };
    let base = at(&[10, 20]);
    // The lines have moved.
    assert_eq!(new_since(&base, &at(&[13, 23])).len(), 0);
    assert_eq!(new_since(&base, &at(&[20])).len(), 0);
    assert_eq!(new_since(&base, &at(&[10, 15, 20])).len(), 1);
    assert_eq!(new_since(&[], &base).len(), 2);
    // A package with the same fault in its next version is not new.
    let package = |version: &str| {
        merge(&[report(vec![advisory(
            "t",
            "R",
            &format!("npm:@a/b@{version}"),
            &[],
        )])])
    };
    assert_eq!(new_since(&package("1.0"), &package("1.1")).len(), 0);
    let other = merge(&[report(vec![advisory("t", "R", "npm:@a/c@1.0", &[])])]);
    assert_eq!(new_since(&package("1.0"), &other).len(), 1);
}

#[test]
fn a_report_that_says_a_finding_twice_has_it_once() {
    let twice = report(vec![finding("t", "r", "a", 1), finding("t", "r", "a", 1)]);
    assert_eq!(twice.findings.len(), 1);
}

#[test]
fn the_page_has_counts_places_reasons_and_no_way_out_of_its_tables() {
    let mut hostile = finding("t|<b>", "r\n# x", "a|b.rs", 3);
    hostile.message = "<script>alert(1)</script> | \u{1b}[31m`x`".to_owned();
    hostile.severity = Severity::Critical;
    let branch = merge(&[report(vec![
        hostile,
        finding("t", "old", "c.rs", 1),
        finding("t", "fine", "tests/d.rs", 2),
    ])]);
    let base = merge(&[report(vec![finding("t", "old", "c.rs", 9)])]);
    let counts = metrics(&branch);
    assert_eq!((counts.critical, counts.medium, counts.total()), (1, 2, 3));
    let suppressions = Suppressions::parse(
        "[[suppress]]\nrule = \"*\"\npath = \"tests/**\"\nreason = \"Only | tests.\"",
    )
    .unwrap();
    let triage = suppressions.apply(branch, "2026-01-01".parse().unwrap());
    let page = markdown(&triage, Some(&base), &["semgrep: a <note>".to_owned()]);
    assert!(
        page.starts_with(
            "2 findings.\n\n| Severity | Findings | New |\n|---|--:|--:|\n| critical | 1 | 1 |\n"
        ),
        "{page}"
    );
    assert!(page.contains("| medium | 1 | 0 |"), "{page}");
    assert!(page.contains("## New since the base commit"), "{page}");
    assert!(page.contains("## In the base commit already"), "{page}");
    assert!(
        page.contains("| fine | tests/d.rs\\:2 | Only \\| tests. |"),
        "{page}"
    );
    assert!(page.contains("- semgrep\\: a &lt;note&gt;"), "{page}");
    assert!(
        !page.contains("<script>") && !page.contains('\u{1b}'),
        "{page}"
    );
    assert!(markdown(&Default::default(), None, &[]).starts_with("No findings."));
}

#[test]
fn merged_findings_are_json_and_back() {
    let merged = merge(&[report(vec![
        advisory("t", "R", "npm:x@1", &["CVE-1"]),
        finding("t", "r", "a", 1),
    ])]);
    let json = serde_json::to_string(&merged).unwrap();
    assert!(json.contains(r#""severity":"medium""#), "{json}");
    assert_eq!(serde_json::from_str::<Vec<Merged>>(&json).unwrap(), merged);
    assert_eq!(
        serde_json::to_value(metrics(&merged)).unwrap(),
        serde_json::json!({"critical": 0, "high": 0, "medium": 2, "low": 0, "info": 0})
    );
}

fn findings() -> impl Strategy<Value = Vec<Finding>> {
    let one =
        (0..3_u8, 0..3_u8, 0..3_u8, 0..4_u32, 0..3_u8).prop_map(|(tool, rule, file, line, cwe)| {
            with_aliases(
                finding(
                    &format!("t{tool}"),
                    &format!("r{rule}"),
                    &format!("f{file}"),
                    line,
                ),
                &[&format!("CWE-{cwe}")],
            )
        });
    prop::collection::vec(one, 0..30)
}

proptest! {
    #[test]
    fn nothing_is_lost_and_nothing_is_new_against_itself(one in findings(), other in findings()) {
        let reports = [report(one), report(other)];
        let merged = merge(&reports);
        for finding in reports.iter().flat_map(|report| &report.findings) {
            let holders: Vec<&Merged> = merged
                .iter()
                .filter(|merged| merged.fingerprints.contains(&finding.fingerprint))
                .collect();
            prop_assert_eq!(holders.len(), 1);
            prop_assert!(holders[0].tools.contains(&finding.tool));
            prop_assert!(holders[0].finding.severity <= finding.severity);
        }
        prop_assert!(new_since(&merged, &merged).is_empty());
    }

    #[test]
    fn the_order_of_reports_does_not_matter(one in findings(), other in findings()) {
        let names = |merged: Vec<Merged>| -> Vec<Vec<String>> { merged.into_iter().map(|merged| merged.fingerprints).collect() };
        let (one, other) = (report(one), report(other));
        let mut here = names(merge(&[one.clone(), other.clone()]));
        let mut there = names(merge(&[other, one]));
        here.sort();
        there.sort();
        prop_assert_eq!(here, there);
    }
}
