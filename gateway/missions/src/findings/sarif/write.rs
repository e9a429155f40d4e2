//! From findings to a SARIF log of version 2.1.0.
use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use crate::findings::finding::Severity;
use crate::findings::merge::Merged;
use crate::findings::suppress::Suppressed;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What a path of a URI cannot hold (RFC 3986), and `:`, which would look like a scheme.
const NOT_IN_PATHS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b':')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The findings as one run of Roost. Suppressed ones are in it with their reasons, as the standard provides.
pub fn write(findings: &[Merged], suppressed: &[Suppressed]) -> Value {
    let all = || {
        findings
            .iter()
            .chain(suppressed.iter().map(|suppressed| &suppressed.finding))
    };
    let mut rules: BTreeMap<&str, &Merged> = BTreeMap::new();
    for merged in all() {
        let worst = rules.entry(&merged.finding.rule).or_insert(merged);
        if merged.finding.severity < worst.finding.severity {
            *worst = merged;
        }
    }
    let places: BTreeMap<&str, usize> = rules
        .keys()
        .enumerate()
        .map(|(at, rule)| (*rule, at))
        .collect();
    let mut results: Vec<Value> = findings
        .iter()
        .map(|merged| result(merged, &places))
        .collect();
    results.extend(suppressed.iter().map(|suppressed| {
        let mut result = result(&suppressed.finding, &places);
        result["suppressions"] = json!([{
            "kind": "external",
            "status": "accepted",
            "justification": suppressed.reason,
        }]);
        result
    }));
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "Roost",
                    "rules": rules.values().map(|merged| rule(merged)).collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(merged: &Merged) -> Value {
    let finding = &merged.finding;
    let tags: Vec<&String> = finding.aliases.iter().collect();
    let mut rule = json!({
        "id": finding.rule,
        "defaultConfiguration": { "level": level(finding.severity) },
        "properties": { "security-severity": score(finding.severity), "tags": tags },
    });
    if let Some(help) = finding.help.as_deref().filter(|help| is_uri(help)) {
        rule["helpUri"] = json!(help);
    }
    rule
}

fn result(merged: &Merged, places: &BTreeMap<&str, usize>) -> Value {
    let finding = &merged.finding;
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level(finding.severity),
        "message": { "text": finding.message },
        "partialFingerprints": { "roost/v1": finding.fingerprint },
        "properties": {
            "security-severity": score(finding.severity),
            "tools": merged.tools,
            "tags": finding.aliases,
        },
    });
    if let Some(place) = places.get(finding.rule.as_str()) {
        result["ruleIndex"] = json!(place);
    }
    let mut location = json!({});
    if let Some(file) = &finding.file {
        location["physicalLocation"] = physical(file, finding.line, finding.end_line);
        if let (Some(_), Some(snippet)) = (finding.line, &finding.snippet) {
            location["physicalLocation"]["region"]["snippet"] = json!({ "text": snippet });
        }
    }
    if let Some(subject) = &finding.subject {
        location["logicalLocations"] =
            json!([{ "fullyQualifiedName": subject, "kind": "package" }]);
    }
    if location
        .as_object()
        .is_some_and(|location| !location.is_empty())
    {
        result["locations"] = json!([location]);
    }
    let related: Vec<Value> = finding
        .related
        .iter()
        .map(|place| {
            let mut location =
                json!({ "physicalLocation": physical(&place.file, place.line, None) });
            if !place.message.is_empty() {
                location["message"] = json!({ "text": place.message });
            }
            location
        })
        .collect();
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(unique(related));
    }
    result
}

fn physical(file: &str, line: Option<u32>, end_line: Option<u32>) -> Value {
    let uri = utf8_percent_encode(file, NOT_IN_PATHS).to_string();
    let mut place = json!({ "artifactLocation": { "uri": uri, "uriBaseId": "%SRCROOT%" } });
    if let Some(line) = line {
        place["region"] = json!({ "startLine": line });
        if let Some(end) = end_line {
            place["region"]["endLine"] = json!(end);
        }
    }
    place
}

/// The standard allows each related location once.
fn unique(all: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for value in all {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

/// Whether the text is an address that the schema's `uri` format takes. Another one is left out.
fn is_uri(text: &str) -> bool {
    const NEVER: [char; 11] = ['"', '<', '>', '[', '\\', ']', '^', '`', '{', '|', '}'];
    let is_escape = |rest: &str| {
        let digits = rest.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    text.bytes().all(|byte| byte.is_ascii_graphic())
        && !text.contains(NEVER)
        && text.matches('#').count() <= 1
        && text.split('%').skip(1).all(is_escape)
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::High => "error",
        Severity::Medium => "warning",
        // `none` is only for results that are not faults.
        Severity::Low | Severity::Info => "note",
    }
}

/// A score inside of the range that the severity stands for. Code hosts read it.
fn score(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "9.5",
        Severity::High => "8.0",
        Severity::Medium => "5.5",
        Severity::Low => "2.0",
        Severity::Info => "0.0",
    }
}
