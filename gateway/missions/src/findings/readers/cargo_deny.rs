//! `cargo deny --format json check`: one JSON document a line.
use serde::Deserialize;
use serde_json::Value;

use super::Format;
use super::advisories::{Advisory, Package, severity_of_kind};
use super::json::Line;
use crate::findings::finding::{Collector, Finding, ReadError, Report, Severity};
use crate::findings::paths::Checkout;
use crate::plain;

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    fields: Value,
}

#[derive(Deserialize)]
struct Diagnostic {
    #[serde(default)]
    code: Option<String>,
    message: String,
    severity: String,
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(default)]
    graphs: Vec<Value>,
    #[serde(default)]
    notes: Vec<String>,
    advisory: Option<Advisory>,
}

#[derive(Deserialize)]
struct Label {
    #[serde(default)]
    line: Line,
    #[serde(default)]
    message: String,
    #[serde(default)]
    span: String,
}

pub(super) fn read(text: &str, checkout: Checkout<'_>) -> Result<Report, ReadError> {
    let tool = Format::CargoDeny.tool();
    let mut all = Collector::default();
    let mut known = 0_usize;
    let mut first_fault = None;
    for line in text
        .lines()
        .filter(|line| line.trim_start().starts_with('{'))
    {
        let entry: Entry = match serde_json::from_str(line) {
            Ok(entry) => entry,
            Err(cause) => {
                all.note(&format!("a line of cargo deny was not read: {cause}"));
                first_fault.get_or_insert(cause);
                continue;
            }
        };
        known += 1;
        match entry.kind.as_str() {
            "diagnostic" => match serde_json::from_value::<Diagnostic>(entry.fields) {
                Ok(diagnostic) => diagnostic.add_to(&mut all, checkout),
                Err(cause) => {
                    all.note(&format!("a diagnostic of cargo deny was not read: {cause}"));
                }
            },
            "log" if entry.fields["level"].as_str() == Some("ERROR") => {
                let message = entry.fields["message"].as_str().unwrap_or_default();
                all.note(&format!("cargo deny: {message}"));
            }
            _ => {}
        }
    }
    if known == 0 {
        return Err(match first_fault {
            Some(cause) => ReadError::NotJson { tool, cause },
            None => ReadError::ScannerFailed {
                tool,
                message: plain::one_line(text, 300),
            },
        });
    }
    Ok(all.finish())
}

impl Diagnostic {
    fn add_to(self, all: &mut Collector, checkout: Checkout<'_>) {
        let severity = Severity::of_word(&self.severity).unwrap_or_default();
        let code = self.code.clone().unwrap_or_default();
        // Diagnostics that only say what was checked.
        if severity >= Severity::Low && self.advisory.is_none() {
            return;
        }
        let package = self
            .graphs
            .first()
            .and_then(|graph| serde_json::from_value::<Package>(graph["Krate"].clone()).ok());
        let label = self.labels.first();
        let span = label.map(|label| format!("{} {}", label.span, label.message));
        let named = package
            .as_ref()
            .map(|package| format!("{} {}: ", package.name, package.version))
            .unwrap_or_default();
        let mut finding = Finding {
            tool: Format::CargoDeny.tool().to_owned(),
            severity,
            message: format!("{named}{}", self.message),
            subject: package.map(|package| package.subject("crates.io")),
            help: self
                .notes
                .iter()
                .flat_map(|note| note.split_whitespace())
                .find(|word| word.starts_with("https://"))
                .map(str::to_owned),
            ..Finding::default()
        };
        match self.advisory {
            Some(advisory) => {
                // Its place is in the lock file, which the diagnostic does not name.
                finding.file = checkout.path("Cargo.lock");
                finding.line = label.and_then(|label| label.line.0);
                finding.severity = if code == "vulnerability" {
                    advisory.severity()
                } else {
                    severity_of_kind(&code)
                };
                finding.rule = advisory.id;
                finding.aliases = advisory.aliases;
                finding.help = advisory.url.or(finding.help);
            }
            None => {
                if let Some(span) = span.filter(|span| !span.trim().is_empty()) {
                    finding.message = format!("{}: {span}", finding.message);
                }
                finding.rule = if code.is_empty() {
                    "cargo-deny".to_owned()
                } else {
                    code
                };
            }
        }
        all.add(finding);
    }
}
