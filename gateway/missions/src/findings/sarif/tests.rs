//! SARIF logs as tools write them, logs that lie, and logs of our own read back.
use proptest::prelude::*;
use serde_json::{Value, json};

use super::write;
use crate::findings::merge::merge;
use crate::findings::merge::tests::report;
use crate::findings::{
    Checkout, Finding, Format, MOST_FINDINGS, Place, Report, Severity, Suppressions, read,
};

const HERE: Checkout<'_> = Checkout {
    root: "/checkout/repo",
};

fn log(run: Value) -> Report {
    let log = json!({"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]});
    read(Format::Sarif, log.to_string().as_bytes(), HERE).expect("it is SARIF")
}

#[test]
fn a_result_takes_what_its_rule_says() {
    let report = log(json!({
        "tool": {"driver": {"name": "CodeQL", "rules": [
            {"id": "js/xss", "helpUri": "https://codeql.example/xss", "defaultConfiguration": {"level": "error"},
             "shortDescription": {"text": "XSS"}, "properties": {"security-severity": "6.1", "tags": ["external/cwe/cwe-079"]},
             "messageStrings": {"default": {"text": "{0} reaches {1}"}}},
            {"id": "js/todo", "defaultConfiguration": {"level": "note"}}]},
            "extensions": [{"name": "more", "rules": [{"id": "ext/one", "properties": {"security-severity": 9.8}}]}]},
        "originalUriBaseIds": {"SRC": {"uri": "src/", "uriBaseId": "TOP"}, "TOP": {"uri": "file:///checkout/repo/"}},
        "artifacts": [{"location": {"uri": "lib/indexed.js"}}],
        "results": [
            {"ruleId": "js/xss", "ruleIndex": 0, "message": {"id": "default", "arguments": ["input", "output"]},
             "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a%20b.js", "uriBaseId": "SRC"},
                "region": {"startLine": 4, "endLine": 6, "snippet": {"text": "  x = y"}}}}],
             "relatedLocations": [{"physicalLocation": {"artifactLocation": {"uri": "c.js"}, "region": {"startLine": 1}},
                "message": {"text": "from here"}}],
             "partialFingerprints": {"primaryLocationLineHash": "39fa2ee980eb94b0:1"}},
            {"rule": {"index": 1}, "message": {"text": "later"},
             "locations": [{"physicalLocation": {"artifactLocation": {"index": 0}}}]},
            {"rule": {"id": "ext/one", "index": 0, "toolComponent": {"index": 0}}, "message": {"text": "m"}},
            {"ruleId": "unknown", "message": {"text": "m"}},
            {"ruleId": "js/xss", "kind": "pass", "message": {"text": "m"}},
            {"ruleId": "js/xss", "baselineState": "absent", "message": {"text": "m"}},
            {"ruleId": "js/xss", "suppressions": [{"kind": "inSource"}], "message": {"text": "m"}},
            {"ruleId": "js/xss", "level": "error", "suppressions": [{"status": "rejected"}], "message": {}},
            {"ruleId": 5},
        ],
    }));
    let found: Vec<_> = report
        .findings
        .iter()
        .map(|f| (f.rule.as_str(), f.severity, f.file.as_deref(), f.line))
        .collect();
    assert_eq!(
        found,
        [
            ("js/xss", Severity::Medium, Some("src/a b.js"), Some(4)),
            ("js/todo", Severity::Low, Some("lib/indexed.js"), None),
            ("ext/one", Severity::Critical, None, None),
            ("unknown", Severity::Medium, None, None),
            ("js/xss", Severity::Medium, None, None),
        ]
    );
    let first = &report.findings[0];
    assert_eq!(first.message, "input reaches output");
    assert_eq!(
        (first.end_line, first.snippet.as_deref()),
        (Some(6), Some("x = y"))
    );
    assert_eq!(first.aliases, ["CWE-79"]);
    let place = Place {
        file: "c.js".to_owned(),
        line: Some(1),
        message: "from here".to_owned(),
    };
    assert_eq!(first.related, [place]);
    assert_eq!(report.findings[4].message, "XSS");
    assert_eq!(
        report.notes,
        [
            "1 of 9 results of CodeQL do not have the form of SARIF 2.1.0 and were left out",
            "CodeQL left out findings that are suppressed in the code",
        ]
    );
}

#[test]
fn levels_are_severities() {
    for (level, severity) in [
        ("error", Severity::High),
        ("warning", Severity::Medium),
        ("note", Severity::Low),
        ("none", Severity::Info),
        ("catastrophe", Severity::Medium),
    ] {
        let report = log(
            json!({"tool": {"driver": {"name": "t"}}, "results": [{"ruleId": "r", "level": level}]}),
        );
        assert_eq!(report.findings[0].severity, severity, "{level}");
    }
}

#[test]
fn logs_that_lie_are_refused_or_noted() {
    let refused = [
        (
            json!({"version": "1.0.0", "runs": []}),
            "its version is 1.0.0; convert it to 2.1.0",
        ),
        (
            json!({"$schema": "sarif-2.1.0", "version": "2.0.0", "runs": []}),
            "its version is 2.0.0",
        ),
        (json!({"version": 2.1, "runs": []}), "it has no version"),
        (json!({"runs": []}), "it has no version"),
        (json!({"version": "2.1.0"}), "it has no runs"),
        (
            json!({"version": "2.1.0", "runs": {}}),
            "invalid type: map, expected a sequence",
        ),
        (json!([]), "invalid length 0"),
    ];
    for (log, wanted) in refused {
        let error = read(Format::Sarif, log.to_string().as_bytes(), HERE)
            .unwrap_err()
            .to_string();
        assert!(error.contains(wanted), "{error}");
    }
    let other = json!({"$schema": "http://example.org/sarif-1.0.0", "version": "2.1.0-rtm.5", "runs": [
        {"tool": {"driver": {}}, "results": null, "invocations": [{"executionSuccessful": false}]},
    ]});
    let report = read(Format::Sarif, other.to_string().as_bytes(), HERE).unwrap();
    assert_eq!(
        report.notes,
        [
            "the SARIF log names the schema of another version; it was read as 2.1.0",
            "a run of the SARIF log does not name its tool",
            "unnamed tool says that its scan did not succeed",
            "unnamed tool says that it did not scan: its run has no results",
        ]
    );
}

#[test]
fn bases_that_name_each_other_end() {
    let report = log(json!({
        "tool": {"driver": {"name": "t"}},
        "originalUriBaseIds": {"A": {"uri": "a/", "uriBaseId": "B"}, "B": {"uri": "b/", "uriBaseId": "A"}},
        "results": [{"ruleId": "r", "message": {"text": "m"},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": "x.rs", "uriBaseId": "A"}}}]}],
    }));
    assert!(
        report.findings[0]
            .file
            .as_deref()
            .unwrap()
            .ends_with("b/a/x.rs")
    );
}

#[test]
fn fifty_megabytes_and_deep_nesting_are_bounded() {
    let result = json!({"ruleId": "r", "message": {"text": "x".repeat(600)}, "codeFlows": [{"a": [1, 2, 3]}]}).to_string();
    let count = 50 * 1024 * 1024 / (result.len() + 1);
    let results = vec![result.as_str(); count].join(",");
    // Each has its own line, or they would be the same finding.
    let mut number = 0;
    let results: String = results
        .split("\"ruleId\":\"r\"")
        .map(|part| {
            number += 1;
            format!("{part}\"ruleId\":\"r{number}\"")
        })
        .collect::<Vec<_>>()
        .concat();
    let results = results
        .trim_end_matches(&format!("\"ruleId\":\"r{number}\""))
        .to_owned();
    let log = format!(
        r#"{{"version":"2.1.0","runs":[{{"tool":{{"driver":{{"name":"t"}}}},"results":[{results}]}}]}}"#
    );
    assert!(log.len() > 50 * 1024 * 1024);
    let report = read(Format::Sarif, log.as_bytes(), HERE).unwrap();
    assert_eq!(report.findings.len(), MOST_FINDINGS);
    assert!(
        report.notes[0].ends_with("came after the first 10000 and were left out"),
        "{:?}",
        report.notes
    );
    let deep = format!(
        r#"{{"version":"2.1.0","runs":[{{"results":[{}"#,
        "{\"a\":[".repeat(100_000)
    );
    assert!(
        read(Format::Sarif, deep.as_bytes(), HERE)
            .unwrap_err()
            .to_string()
            .contains("recursion limit")
    );
}

fn finding(rule: &str, severity: Severity, file: Option<&str>, line: Option<u32>) -> Finding {
    Finding {
        rule: rule.to_owned(),
        tool: "t".to_owned(),
        severity,
        message: format!("Message of {rule}"),
        file: file.map(str::to_owned),
        line,
        end_line: line.map(|line| line + 2),
        snippet: line.map(|_| "let x = 1;".to_owned()),
        aliases: vec!["CWE-78".to_owned()],
        related: vec![
            Place {
                file: "other.rs".to_owned(),
                line: Some(1),
                message: "here".to_owned()
            };
            2
        ],
        help: Some("https://example.org/rule".to_owned()),
        ..Finding::default()
    }
}

fn many() -> Vec<Finding> {
    let mut all: Vec<Finding> = Severity::ALL
        .into_iter()
        .map(|severity| finding(severity.as_str(), severity, Some("src/a b#c:d.rs"), Some(7)))
        .map(|mut finding| {
            finding.aliases = vec![];
            finding
        })
        .collect();
    all.push(finding("no-line", Severity::Low, Some("é.rs"), None));
    let mut advisory = finding("RUSTSEC-1", Severity::Critical, None, None);
    advisory.subject = Some("crates.io:x@1.0".to_owned());
    all.push(advisory);
    all
}

#[test]
fn what_is_written_is_read_back() {
    let merged = merge(&[report(many())]);
    let suppressions =
        Suppressions::parse("[[suppress]]\nrule = \"low\"\npath = \"**\"\nreason = \"Known.\"")
            .unwrap();
    let triage = suppressions.apply(merged, "2026-01-01".parse().unwrap());
    let log = write(&triage.open, &triage.suppressed);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 7);
    assert_eq!(results[6]["suppressions"][0]["justification"], "Known.");
    let back = read(Format::Sarif, log.to_string().as_bytes(), HERE).unwrap();
    assert_eq!(
        back.notes,
        ["Roost left out findings that are suppressed in the code"]
    );
    for merged in &triage.open {
        let wanted = &merged.finding;
        let got = back
            .findings
            .iter()
            .find(|got| got.rule == wanted.rule)
            .unwrap();
        let facts = |f: &Finding| {
            (
                f.severity,
                f.message.clone(),
                f.file.clone(),
                f.line,
                f.end_line,
                f.snippet.clone(),
                f.subject.clone(),
            )
        };
        assert_eq!(facts(got), facts(wanted));
        assert_eq!((&got.aliases, &got.help), (&wanted.aliases, &wanted.help));
        assert_eq!(got.related, wanted.related[..1]);
    }
}

/// The rules of the published schema that our log could break. The whole schema is not a part of this repository.
fn assert_valid(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let is_reference = |uri: &str| {
        uri.bytes().all(|b| b.is_ascii_graphic())
            && !uri.contains(['<', '>', '"', '\\', '^', '`', '{', '|', '}'])
    };
    for rule in rules {
        assert!(rule["id"].is_string());
        let level = rule["defaultConfiguration"]["level"].as_str().unwrap();
        assert!(["none", "note", "warning", "error"].contains(&level));
        let help = rule["helpUri"].as_str().unwrap_or_default();
        assert!(
            is_reference(help) && help.matches('#').count() <= 1,
            "{help}"
        );
        let tags = rule["properties"]["tags"].as_array().unwrap();
        assert!(
            (1..tags.len()).all(|at| !tags[..at].contains(&tags[at])),
            "tags are unique"
        );
    }
    for result in run["results"].as_array().unwrap() {
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["partialFingerprints"]["roost/v1"].is_string());
        let all = [&result["locations"], &result["relatedLocations"]];
        for location in all.into_iter().filter_map(Value::as_array).flatten() {
            let Some(place) = location.get("physicalLocation") else {
                assert!(location["logicalLocations"][0]["fullyQualifiedName"].is_string());
                continue;
            };
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            assert!(is_reference(uri) && !uri.contains('#'), "{uri}");
            if let Some(region) = place.get("region") {
                assert!(region["startLine"].as_u64().unwrap() >= 1);
                assert!(region["endLine"].as_u64().is_none_or(|end| end >= 1));
            }
        }
    }
}

proptest! {
    #[test]
    fn each_log_is_valid_and_read_back(
        texts in prop::collection::vec(("\\PC{0,20}", "\\PC{0,20}", "\\PC{0,20}", any::<u32>(), 0..5_usize), 0..8),
    ) {
        let findings = texts.into_iter().map(|(rule, message, file, line, severity)| Finding {
            rule,
            message,
            tool: "t".to_owned(),
            file: HERE.path(&file),
            line: Some(line),
            end_line: Some(line),
            help: Some(format!("https://example.org/{file}")),
            severity: Severity::ALL[severity],
            related: vec![Place { file: "x".to_owned(), line: None, message: file }],
            ..Finding::default()
        });
        let merged = merge(&[report(findings.collect())]);
        let log = write(&merged, &[]);
        assert_valid(&log);
        let back = read(Format::Sarif, log.to_string().as_bytes(), HERE).unwrap();
        prop_assert_eq!(back.findings.len(), merged.len());
        for (got, wanted) in back.findings.iter().zip(&merged) {
            prop_assert_eq!((&got.file, got.line, got.severity), (&wanted.finding.file, wanted.finding.line, wanted.finding.severity));
        }
    }
}

#[test]
fn a_log_of_each_kind_of_finding_is_valid() {
    let log = write(&merge(&[report(many())]), &[]);
    assert_valid(&log);
}
