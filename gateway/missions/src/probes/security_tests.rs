//! What a security phase runs and reads.

use super::*;
use crate::findings::{Severity, scan_secrets};
use crate::probes::golden::is_golden;

const BANDIT: &str = r#"{"errors":[],"generated_at":"2026-01-01T00:00:00Z","metrics":{},"results":[{
    "code":"2 subprocess.call(x, shell=True)\n","col_offset":0,"end_col_offset":9,
    "filename":"./app.py","issue_confidence":"HIGH","issue_cwe":{"id":78,"link":"https://cwe.mitre.org/data/definitions/78.html"},
    "issue_severity":"HIGH","issue_text":"subprocess call with shell=True","line_number":2,"line_range":[2],
    "more_info":"https://bandit.readthedocs.io/","test_id":"B602","test_name":"subprocess_popen_with_shell_equals_true"}]}"#;

fn only_bandit() -> SecuritySettings {
    SecuritySettings {
        scanners: vec![Scanner::Bandit],
        deadline_s: 60,
        sarif: Vec::new(),
    }
}

fn made(texts: [(i32, &str); 4]) -> Vec<CommandMade> {
    ended(&only_bandit(), &texts)
}

fn ended(settings: &SecuritySettings, texts: &[(i32, &str)]) -> Vec<CommandMade> {
    let commands = settings.commands();
    assert_eq!(commands.len(), texts.len());
    let all = commands.into_iter().zip(texts).zip(0..);
    all.map(|((command, (code, text)), place)| CommandMade {
        place,
        what: command.name,
        exit_code: Some(*code),
        text: (*text).to_owned(),
        cut: false,
    })
    .collect()
}

const PREPARED: (i32, &str) = (0, "before aa\nafter bb\nfolder /workspace/demo\n");
const EMPTY: (i32, &str) = (0, r#"{"errors":[],"results":[]}"#);
const NO_FILE: (i32, &str) = (NOTHING_TO_SCAN, "");

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 28).unwrap()
}

#[test]
fn a_finding_that_the_base_does_not_have_is_new() {
    let read = only_bandit().read(&made([PREPARED, NO_FILE, EMPTY, (0, BANDIT)]));
    let written = read.unwrap().written(today()).unwrap();
    let open = &written.findings.open[0];
    assert!(open.is_new);
    assert_eq!(open.finding.finding.severity, Severity::High);
    assert_eq!(open.finding.finding.file.as_deref(), Some("app.py"));
    assert_eq!(
        (written.findings.counts.high, written.findings.new.high),
        (1, 1)
    );

    let read = only_bandit().read(&made([PREPARED, NO_FILE, (0, BANDIT), (0, BANDIT)]));
    let written = read.unwrap().written(today()).unwrap();
    assert!(!written.findings.open[0].is_new);
    assert_eq!(
        (written.findings.counts.high, written.findings.new.high),
        (1, 0)
    );
    assert_eq!(written.sarif["version"], "2.1.0");
}

#[test]
fn a_suppression_of_the_branch_takes_a_finding_out_with_its_reason() {
    let file = "--- roost file .roost-security.toml\n[[suppress]]\nrule = \"B602\"\npath = \"*.py\"\nreason = \"It is a demo.\"\n--- roost end\n";
    let read = only_bandit().read(&made([PREPARED, (0, file), EMPTY, (0, BANDIT)]));
    let written = read.unwrap().written(today()).unwrap();
    assert!(written.findings.open.is_empty());
    assert_eq!(written.findings.suppressed[0].reason, "It is a demo.");
}

#[test]
fn findings_have_the_form_that_the_page_reads() {
    let file = "--- roost file .roost-security.toml\n[[suppress]]\nrule = \"B602\"\npath = \"*.py\"\nreason = \"It is a demo.\"\n--- roost end\n";
    let read = only_bandit().read(&made([PREPARED, (0, file), EMPTY, (0, BANDIT)]));
    let mut found = read.unwrap();
    let report = scan_secrets("a.env", b"key = \"AKIA4Z7QXJ2WMK6PLTRV\"\n");
    found.add_secrets(Side::Branch, Ok(Scanned { report, files: 1 }));
    is_golden("findings.json", &found.written(today()).unwrap().findings);
}

#[test]
fn secrets_alone_are_a_scan_and_no_report_at_all_is_an_error() {
    let gone = (NOT_THERE, "");
    let found = only_bandit()
        .read(&made([PREPARED, NO_FILE, gone, gone]))
        .unwrap();
    let error = found.written(today()).err().unwrap();
    assert!(
        error.contains("bandit: The image of the sandbox does not have it."),
        "{error}"
    );

    let mut found = only_bandit()
        .read(&made([PREPARED, NO_FILE, gone, gone]))
        .unwrap();
    let report = scan_secrets("a.env", b"key = \"AKIA4Z7QXJ2WMK6PLTRV\"\n");
    found.add_secrets(Side::Base, Err("The broker is away.".to_owned()));
    found.add_secrets(Side::Branch, Ok(Scanned { report, files: 1 }));
    let findings = found.written(today()).unwrap().findings;
    assert_eq!(findings.open.len(), 1);
    assert!(
        findings
            .notes
            .iter()
            .any(|note| note.contains("The broker is away."))
    );
    assert_eq!(findings.tools.iter().filter(|tool| tool.ran).count(), 1);
}

#[test]
fn scan_that_failed_on_the_base_only_is_said() {
    let failed = (70, "out of memory\n");
    let read = only_bandit().read(&made([PREPARED, NO_FILE, failed, (0, BANDIT)]));
    let findings = read.unwrap().written(today()).unwrap().findings;
    assert!(findings.open[0].is_new);
    let notes = findings.notes.join("\n");
    assert!(
        notes.contains("bandit gave no report of the base commit, so each of its findings counts as new: It failed with exit code 70: out of memory"),
        "{notes}"
    );
    // A base without anything for the scanner makes all of its findings new, and that is true.
    let read = only_bandit().read(&made([PREPARED, NO_FILE, NO_FILE, (0, BANDIT)]));
    let findings = read.unwrap().written(today()).unwrap().findings;
    assert_eq!(findings.notes, [""; 0]);
}

#[test]
fn report_says_which_scanners_gave_none_and_those_that_the_mission_names_are_lacking() {
    let made = made([PREPARED, NO_FILE, EMPTY, (70, "out of memory\n")]);
    let mut found = only_bandit().read(&made).unwrap();
    found.add_secrets(Side::Branch, Ok(Scanned::default()));
    let written = found.written(today()).unwrap();
    let why = "bandit: It failed with exit code 70: out of memory";
    assert_eq!(written.lacking, [why]);
    let report = &written.markdown;
    assert!(
        report.starts_with("1 of 2 scanners gave a report.\n\nNo findings."),
        "{report}"
    );
    assert!(
        report.contains("| bandit | no | It failed with exit code 70"),
        "{report}"
    );
    // The others are those that the image happens to have.
    let mut found = SecuritySettings {
        scanners: Vec::new(),
        ..only_bandit()
    };
    let gone = (NOT_THERE, "");
    let mut texts = vec![PREPARED, NO_FILE];
    texts.resize(found.commands().len(), gone);
    let all = ended(&found, &texts);
    assert_eq!(found.used(&all), []);
    let mut read = found.read(&all).unwrap();
    read.add_secrets(Side::Branch, Ok(Scanned::default()));
    assert_eq!(read.written(today()).unwrap().lacking, [""; 0]);
    found.scanners = vec![Scanner::Bandit];
    let used = found.used(&made);
    assert_eq!(
        (used[0].name.as_str(), used[0].calls, used[0].failed),
        ("bandit", 2, 1)
    );
}

#[test]
fn a_report_that_lies_is_said_and_ends_nothing() {
    let lies = (0, r#"{"results": 7}"#);
    let mut found = only_bandit()
        .read(&made([PREPARED, NO_FILE, EMPTY, lies]))
        .unwrap();
    found.add_secrets(Side::Branch, Ok(Scanned::default()));
    let findings = found.written(today()).unwrap().findings;
    let bandit = findings
        .tools
        .iter()
        .find(|tool| tool.tool == "bandit")
        .unwrap();
    assert!(
        !bandit.ran && bandit.detail.starts_with("Its report cannot be read"),
        "{bandit:?}"
    );
    assert!(only_bandit().read(&[]).is_err());
}

/// What Debian's bandit 1.6.2 wrote about a file with `subprocess.call(input(), shell=True)`: it has no CWE.
const OLD_BANDIT: &str = r##"{
 "errors": [],
 "generated_at": "2026-11-28T04:33:52Z",
 "metrics": {},
 "results": [
  {
   "code": "1 import subprocess\n2 subprocess.call(input(), shell=True)\n",
   "filename": "./app.py",
   "issue_confidence": "HIGH",
   "issue_severity": "HIGH",
   "issue_text": "subprocess call with shell=True identified, security issue.",
   "line_number": 2,
   "line_range": [
    2
   ],
   "more_info": "https://bandit.readthedocs.io/en/latest/plugins/b602_subprocess_popen_with_shell_equals_true.html",
   "test_id": "B602",
   "test_name": "subprocess_popen_with_shell_equals_true"
  }
 ]
}"##;

#[test]
fn report_of_the_bandit_in_the_images_is_read() {
    let read = only_bandit().read(&made([PREPARED, NO_FILE, EMPTY, (0, OLD_BANDIT)]));
    let findings = read.unwrap().written(today()).unwrap().findings;
    assert_eq!(findings.open[0].finding.finding.rule, "B602");
    assert_eq!(findings.counts.high, 1);
}

/// A log with these rules, each found in `src/lib.rs` at a line of its own.
fn log(schema: &str, rules: &[&str]) -> String {
    let results = rules.iter().zip(3..).map(|(rule, line)| {
        serde_json::json!({ "ruleId": rule, "level": "error", "message": { "text": format!("found by {rule}") },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "src/lib.rs" },
                "region": { "startLine": line } } }] })
    });
    let run = serde_json::json!({ "tool": { "driver": { "name": "ownlint" } }, "results": results.collect::<Vec<_>>() });
    serde_json::json!({ "$schema": schema, "version": "2.1.0", "runs": [run] }).to_string()
}

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

#[test]
fn sarif_files_of_the_repository_are_read_on_both_sides() {
    let settings = SecuritySettings {
        sarif: vec!["it's.sarif".to_owned(), "late.sarif".to_owned()],
        ..only_bandit()
    };
    let commands = settings.commands();
    assert!(
        commands[4]
            .script
            .starts_with("cd /workspace/.roost-base\n")
    );
    assert!(
        commands[5].script.ends_with("cat './it'\\''s.sarif'\n"),
        "{}",
        commands[5].script
    );
    let (old, new) = (log(SCHEMA, &["old"]), log(SCHEMA, &["old", "young"]));
    let lies = log("https://example.org/sarif-1.0.0.json", &["lying"]);
    let texts = [
        PREPARED,
        NO_FILE,
        EMPTY,
        EMPTY,
        (0, old.as_str()),
        (0, new.as_str()),
        NO_FILE,
        (0, lies.as_str()),
    ];
    let read = settings.read(&ended(&settings, &texts)).unwrap();
    let findings = read.written(today()).unwrap().findings;
    let mut open: Vec<(&str, bool)> = findings
        .open
        .iter()
        .map(|open| (open.finding.finding.rule.as_str(), open.is_new))
        .collect();
    open.sort_unstable();
    assert_eq!(open, [("lying", true), ("old", false), ("young", true)]);
    let notes = findings.notes.join("\n");
    assert!(
        notes.contains("late.sarif of the base was not read"),
        "{notes}"
    );
    assert!(
        notes.contains("names the schema of another version"),
        "{notes}"
    );
}
