//! Reports as the tools write them, and reports that are broken.
use proptest::prelude::*;

use super::{Format, MOST_BYTES, cwe, read};
use crate::findings::{Checkout, Finding, Report, Severity};

const HERE: Checkout<'_> = Checkout {
    root: "/checkout/repo",
};

fn report(format: Format, text: &str) -> Report {
    read(format, text.as_bytes(), HERE).expect("it is a report")
}

fn place(finding: &Finding) -> (&str, Severity, Option<&str>, Option<u32>) {
    (
        &finding.rule,
        finding.severity,
        finding.file.as_deref(),
        finding.line,
    )
}

#[test]
fn cargo_audit() {
    let report = report(
        Format::CargoAudit,
        r#"{"database":{"advisory-count":600},"lockfile":{"dependency-count":9},"settings":{},
        "vulnerabilities":{"found":true,"count":2,"list":[
          {"advisory":{"id":"RUSTSEC-2020-0071","package":"time","title":"Potential segfault","aliases":["CVE-2020-26235"],
            "cvss":"CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:N/I:N/A:H","url":"https://example.org/71","informational":null},
           "versions":{"patched":[">=0.2.23"],"unaffected":[]},"package":{"name":"time","version":"0.1.43","source":"x"}},
          {"advisory":{"id":"RUSTSEC-2024-1","title":"Bad","aliases":[],"cvss":null},"versions":{"patched":[]},
           "package":{"name":"x","version":"1.0.0"}},
          {"package":5}]},
        "warnings":{"unmaintained":[{"kind":"unmaintained","advisory":{"id":"RUSTSEC-2021-1","title":"old is unmaintained",
            "informational":"unmaintained"},"package":{"name":"old","version":"1.0.0"}}],
          "yanked":[{"kind":"yanked","advisory":null,"package":{"name":"gone","version":"2.0.0"}}]}}"#,
    );
    let places: Vec<_> = report.findings.iter().map(place).collect();
    assert_eq!(
        places,
        [
            (
                "RUSTSEC-2020-0071",
                Severity::Medium,
                Some("Cargo.lock"),
                None
            ),
            ("RUSTSEC-2024-1", Severity::High, Some("Cargo.lock"), None),
            ("RUSTSEC-2021-1", Severity::Info, Some("Cargo.lock"), None),
            ("yanked", Severity::Low, Some("Cargo.lock"), None),
        ]
    );
    let first = &report.findings[0];
    assert_eq!(
        first.message,
        "time 0.1.43: Potential segfault. Fixed in >=0.2.23"
    );
    assert_eq!(first.subject.as_deref(), Some("crates.io:time@0.1.43"));
    assert_eq!(first.aliases, ["CVE-2020-26235"]);
    assert_eq!(
        report.findings[1].message,
        "x 1.0.0: Bad. No version is fixed"
    );
    assert_eq!(
        report.notes,
        ["1 of 3 vulnerabilities have another form than the tool's and were left out"]
    );
}

#[test]
fn cargo_deny() {
    let report = report(
        Format::CargoDeny,
        r#"{"fields":{"level":"ERROR","message":"failed to fetch","timestamp":"x"},"type":"log"}
{"fields":{"advisory":{"id":"RUSTSEC-2020-0071","title":"Potential segfault","aliases":["CVE-2020-26235"],"cvss":null,"url":"https://example.org/71"},"code":"vulnerability","graphs":[{"Krate":{"name":"time","version":"0.1.43"}}],"labels":[{"column":1,"line":49,"message":"security vulnerability detected","span":"time 0.1.43"}],"message":"Potential segfault","notes":["ID: RUSTSEC-2020-0071"],"severity":"error"},"type":"diagnostic"}
{"fields":{"code":"banned","graphs":[{"Krate":{"name":"openssl","version":"0.10.1"}}],"labels":[{"line":5,"message":"banned here","span":"openssl"}],"message":"crate 'openssl = 0.10.1' is explicitly banned","notes":[],"severity":"error"},"type":"diagnostic"}
{"fields":{"code":"accepted","message":"ok","severity":"note","labels":[],"graphs":[]},"type":"diagnostic"}
{"fields":{"code":5},"type":"diagnostic"}
{"fields":{"advisories":{"errors":1}},"type":"summary"}"#,
    );
    let places: Vec<_> = report.findings.iter().map(place).collect();
    assert_eq!(
        places,
        [
            (
                "RUSTSEC-2020-0071",
                Severity::High,
                Some("Cargo.lock"),
                Some(49)
            ),
            ("banned", Severity::High, None, None),
        ]
    );
    assert_eq!(
        report.findings[1].subject.as_deref(),
        Some("crates.io:openssl@0.10.1")
    );
    assert_eq!(report.notes[0], "cargo deny: failed to fetch");
    assert!(report.notes[1].starts_with("a diagnostic of cargo deny was not read: "));
    let error = read(Format::CargoDeny, b"error: no such command: `deny`", HERE).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cargo deny did not scan: error: no such command: `deny`"
    );
}

#[test]
fn bandit() {
    let report = report(
        Format::Bandit,
        r#"{"errors":[{"filename":"./bad.py","reason":"syntax error while parsing AST from file"}],"results":[
        {"code":"6 import x\n7 call(cmd, shell=True)\n8 end\n","filename":"./src/a.py","issue_confidence":"HIGH",
         "issue_cwe":{"id":78,"link":"https://cwe.example"},"issue_severity":"HIGH","issue_text":"subprocess call",
         "line_number":7,"line_range":[7,8],"more_info":"https://bandit.example/b602","test_id":"B602"},
        {"code":"","filename":"/etc/x.py","issue_severity":"LOW","issue_text":"t","line_number":-4,"test_id":"B101"}]}"#,
    );
    let finding = &report.findings[0];
    assert_eq!(
        place(finding),
        ("B602", Severity::High, Some("src/a.py"), Some(7))
    );
    assert_eq!(finding.end_line, Some(8));
    assert_eq!(finding.snippet.as_deref(), Some("call(cmd, shell=True)"));
    assert_eq!(finding.aliases, ["CWE-78"]);
    assert_eq!(
        place(&report.findings[1]),
        ("B101", Severity::Low, None, None)
    );
    assert_eq!(
        report.findings[1].message,
        "t (outside of the repository, in /etc/x.py)"
    );
    assert_eq!(
        report.notes,
        ["bandit did not scan ./bad.py: syntax error while parsing AST from file"]
    );
}

#[test]
fn semgrep() {
    let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4));
    let report = report(
        Format::Semgrep,
        &r#"{"version":"1.90.0","errors":[{"message":"Syntax error","path":"b.js","level":"warn"}],"paths":{"scanned":["a.js"]},
        "results":[{"check_id":"rules.eval","path":"/checkout/repo/a.js","start":{"line":3,"col":1},"end":{"line":5,"col":2},
          "extra":{"message":"eval is evil","severity":"ERROR","lines":"eval(SECRET)","fingerprint":"requires login",
            "metadata":{"cwe":["CWE-95: Eval Injection"],"source":"https://semgrep.example/r"}}},
          {"check_id":"rules.x","path":"a.js","start":{"line":1},"end":{"line":1},
          "extra":{"message":"m","severity":"CRITICAL","lines":"requires login","metadata":{"cwe":"CWE-079"}}},
          {"check_id":"rules.y","path":"a.js","extra":{"is_ignored":true}}]}"#
            .replace("SECRET", &secret),
    );
    let places: Vec<_> = report.findings.iter().map(place).collect();
    assert_eq!(
        places,
        [
            ("rules.eval", Severity::High, Some("a.js"), Some(3)),
            ("rules.x", Severity::Critical, Some("a.js"), Some(1)),
        ]
    );
    assert_eq!(report.findings[0].end_line, Some(5));
    assert_eq!(report.findings[0].aliases, ["CWE-95"]);
    // Code that another tool quotes does not show its secrets.
    assert_eq!(
        report.findings[0].snippet.as_deref(),
        Some("eval(ghp_… (44 characters))")
    );
    assert_eq!(report.findings[1].snippet, None);
    assert_eq!(report.findings[1].aliases, ["CWE-79"]);
    assert_eq!(report.notes.len(), 2);
}

#[test]
fn reports_that_are_not_reports_say_why() {
    let deep = "[".repeat(100_000);
    let large = vec![b' '; MOST_BYTES + 1];
    for format in Format::ALL {
        let cases: [(&[u8], &str); 5] = [
            (b"", "is empty"),
            (b"\xef\xbb\xbf \n", "is empty"),
            (&large, "at most 64 MB are read"),
            (b"{\"a\":", ""),
            (deep.as_bytes(), ""),
        ];
        for (bytes, wanted) in cases {
            let error = read(format, bytes, HERE).unwrap_err().to_string();
            assert!(error.contains(wanted), "{format:?}: {error}");
            assert!(error.contains(format.tool()), "{format:?}: {error}");
        }
    }
}

#[test]
fn weaknesses_are_read_from_tags_and_sentences() {
    assert_eq!(cwe("external/cwe/cwe-079").as_deref(), Some("CWE-79"));
    assert_eq!(
        cwe("CWE-78: OS Command Injection").as_deref(),
        Some("CWE-78")
    );
    assert_eq!(cwe("CWE-"), None);
    assert_eq!(cwe("CWE-99999999999"), None);
}

/// JSON with the words of the formats in places where they do not belong.
fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "2.1.0",
            "error",
            "diagnostic",
            "CVE-1",
            "../..",
            "file:///x",
            "9.8"
        ])
        .prop_map(Value::from),
    ];
    let words = prop::sample::select(vec![
        "version",
        "runs",
        "results",
        "tool",
        "driver",
        "name",
        "rules",
        "id",
        "ruleId",
        "ruleIndex",
        "message",
        "text",
        "locations",
        "physicalLocation",
        "artifactLocation",
        "uri",
        "uriBaseId",
        "region",
        "startLine",
        "properties",
        "security-severity",
        "tags",
        "vulnerabilities",
        "list",
        "advisory",
        "package",
        "warnings",
        "type",
        "fields",
        "severity",
        "labels",
        "graphs",
        "line",
        "errors",
        "filename",
        "test_id",
        "issue_text",
        "check_id",
        "path",
        "start",
        "extra",
        "metadata",
        "cwe",
        "via",
        "dependencies",
        "vulns",
        "fingerprints",
        "suppressions",
        "originalUriBaseIds",
        "partialFingerprints",
        "relatedLocations",
        "title",
        "level",
        "kind",
    ]);
    leaf.prop_recursive(8, 128, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(words.clone().prop_map(str::to_owned), inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in Format::ALL {
            let _ = read(format, &bytes, HERE);
        }
    }

    #[test]
    fn no_json_makes_a_reader_panic(inner in json(), root in json()) {
        let sarif = serde_json::json!({"version": "2.1.0", "runs": [
            {"tool": {"driver": {"name": "t", "rules": [inner]}}, "results": [inner, root], "artifacts": [root]},
        ]});
        let list = serde_json::json!({"results": [root], "errors": [inner], "dependencies": [root],
            "vulnerabilities": {"list": [root]}, "warnings": {"x": [inner]}});
        let deny = serde_json::json!({"type": "diagnostic", "fields": root});
        for document in [&sarif, &list, &deny, &root] {
            for format in Format::ALL {
                for finding in read(format, document.to_string().as_bytes(), HERE).unwrap_or_default().findings {
                    prop_assert!(!finding.rule.is_empty() && !finding.fingerprint.is_empty());
                    let file = finding.file.unwrap_or_default();
                    prop_assert!(!file.starts_with('/') && !file.split('/').any(|part| part == ".."), "{file}");
                }
            }
        }
    }
}
