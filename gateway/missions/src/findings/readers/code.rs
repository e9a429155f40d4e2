//! Scanners of code: `bandit -f json` and `semgrep --json`.
use serde::Deserialize;
use serde_json::Value;

use super::json::{Line, Maybe, parse, readable};
use super::{Format, cwe};
use crate::findings::finding::{Collector, Finding, ReadError, Report, Severity};
use crate::findings::paths::Checkout;

#[derive(Deserialize)]
struct Bandit {
    results: Vec<Maybe<BanditResult>>,
    #[serde(default)]
    errors: Vec<Maybe<BanditError>>,
}

#[derive(Deserialize)]
struct BanditResult {
    test_id: String,
    filename: String,
    issue_text: String,
    issue_severity: Option<String>,
    issue_cwe: Option<BanditCwe>,
    code: Option<String>,
    #[serde(default)]
    line_number: Line,
    #[serde(default)]
    line_range: Vec<Line>,
    more_info: Option<String>,
}

#[derive(Deserialize)]
struct BanditCwe {
    id: Option<u32>,
}

#[derive(Deserialize)]
struct BanditError {
    filename: String,
    reason: String,
}

pub(super) fn bandit(text: &str, checkout: Checkout<'_>) -> Result<Report, ReadError> {
    let tool = Format::Bandit.tool();
    let report: Bandit = parse(tool, text)?;
    let mut all = Collector::default();
    for error in readable(report.errors, "errors", &mut all) {
        all.note(&format!(
            "bandit did not scan {}: {}",
            error.filename, error.reason
        ));
    }
    for result in readable(report.results, "results", &mut all) {
        let (file, message) = placed(checkout, &result.filename, result.issue_text);
        all.add(Finding {
            severity: severity_of(result.issue_severity.as_deref()),
            rule: result.test_id,
            tool: tool.to_owned(),
            message,
            file,
            line: result.line_number.0,
            end_line: result.line_range.last().and_then(|line| line.0),
            snippet: result
                .code
                .map(|code| line_of_bandit(&code, result.line_number.0)),
            aliases: result
                .issue_cwe
                .and_then(|cwe| cwe.id)
                .map(|id| format!("CWE-{id}"))
                .into_iter()
                .collect(),
            help: result.more_info,
            ..Finding::default()
        });
    }
    Ok(all.finish())
}

/// The found line without its number. Bandit prints the lines around it as well, each with its number, which would
/// change the fingerprint when they move.
fn line_of_bandit(code: &str, line: Option<u32>) -> String {
    let number = line.unwrap_or_default().to_string();
    code.lines()
        .find_map(|text| text.strip_prefix(number.as_str())?.strip_prefix(' '))
        .unwrap_or_default()
        .to_owned()
}

#[derive(Deserialize)]
struct Semgrep {
    results: Vec<Maybe<SemgrepResult>>,
    #[serde(default)]
    errors: Vec<Maybe<SemgrepError>>,
}

#[derive(Deserialize)]
struct SemgrepResult {
    check_id: String,
    path: String,
    #[serde(default)]
    start: Position,
    #[serde(default)]
    end: Position,
    extra: SemgrepExtra,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Position {
    line: Line,
}

#[derive(Deserialize)]
struct SemgrepExtra {
    #[serde(default)]
    message: String,
    severity: Option<String>,
    lines: Option<String>,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    is_ignored: bool,
}

#[derive(Deserialize)]
struct SemgrepError {
    #[serde(default)]
    message: String,
    path: Option<String>,
}

pub(super) fn semgrep(text: &str, checkout: Checkout<'_>) -> Result<Report, ReadError> {
    let tool = Format::Semgrep.tool();
    let report: Semgrep = parse(tool, text)?;
    let mut all = Collector::default();
    for error in readable(report.errors, "errors", &mut all) {
        let place = error
            .path
            .map(|path| format!(" ({path})"))
            .unwrap_or_default();
        all.note(&format!("semgrep: {}{place}", error.message));
    }
    for result in readable(report.results, "results", &mut all) {
        if result.extra.is_ignored {
            all.note("semgrep left out findings that a comment `nosemgrep` marks");
            continue;
        }
        let metadata = &result.extra.metadata;
        let (file, message) = placed(checkout, &result.path, result.extra.message);
        all.add(Finding {
            severity: severity_of(result.extra.severity.as_deref()),
            rule: of_roost(&result.check_id).to_owned(),
            tool: tool.to_owned(),
            message,
            file,
            line: result.start.line.0,
            end_line: result.end.line.0,
            // Without an account semgrep writes these words in the place of the code.
            snippet: result.extra.lines.filter(|lines| lines != "requires login"),
            aliases: words(&metadata["cwe"])
                .iter()
                .filter_map(|text| cwe(text))
                // Rules of semgrep name the test of bandit that finds the same.
                .chain(
                    words(&metadata["bandit-code"])
                        .into_iter()
                        .map(str::to_owned),
                )
                .collect(),
            help: metadata["source"].as_str().map(str::to_owned),
            ..Finding::default()
        });
    }
    Ok(all.finish())
}

/// Semgrep puts the folder of the rules in front of the id of each. The folder of the image says nothing to a reader.
fn of_roost(check_id: &str) -> &str {
    let of_image = check_id.strip_prefix("usr.share.roost.semgrep.");
    of_image.unwrap_or(check_id)
}

/// A text, or each text of a list.
fn words(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn severity_of(word: Option<&str>) -> Severity {
    word.and_then(Severity::of_word).unwrap_or_default()
}

/// The file in the repository. A message about another file names it.
pub(super) fn placed(
    checkout: Checkout<'_>,
    path: &str,
    message: String,
) -> (Option<String>, String) {
    match checkout.path(path) {
        Some(file) => (Some(file), message),
        None if path.trim().is_empty() => (None, message),
        None => (
            None,
            format!("{message} (outside of the repository, in {path})"),
        ),
    }
}
