//! A finding: one place, or one package, that a scanner reports.
use serde::{Deserialize, Serialize};

use super::{fingerprint, secrets};
use crate::plain;

/// How many findings one report may have. Further ones are counted in a note.
pub const MOST_FINDINGS: usize = 10_000;
const MOST_MESSAGE: usize = 1_000;
const MOST_RULE: usize = 200;
const MOST_SNIPPET: usize = 400;
const MOST_RELATED: usize = 10;
const MOST_ALIASES: usize = 20;
const MOST_NOTES: usize = 50;

/// From the worst to the mildest.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Critical,
    High,
    #[default]
    Medium,
    Low,
    Info,
}

impl Severity {
    pub const ALL: [Self; 5] = [
        Self::Critical,
        Self::High,
        Self::Medium,
        Self::Low,
        Self::Info,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
            Self::Info => "info",
        }
    }

    /// The severity of a CVSS score, as the CVSS specification names the ranges.
    pub fn of_score(score: f64) -> Self {
        match score {
            score if score >= 9.0 => Self::Critical,
            score if score >= 7.0 => Self::High,
            score if score >= 4.0 => Self::Medium,
            score if score > 0.0 => Self::Low,
            _ => Self::Info,
        }
    }

    /// The severity of a tool's word for it.
    pub fn of_word(word: &str) -> Option<Self> {
        Some(match word.trim().to_ascii_lowercase().as_str() {
            "critical" => Self::Critical,
            "high" | "error" => Self::High,
            "medium" | "moderate" | "warning" => Self::Medium,
            "low" | "note" => Self::Low,
            "info" | "none" | "inventory" | "experiment" | "help" => Self::Info,
            _ => return None,
        })
    }
}

/// A place that explains a finding.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Place {
    pub file: String,
    pub line: Option<u32>,
    pub message: String,
}

#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Finding {
    pub rule: String,
    pub tool: String,
    pub severity: Severity,
    pub message: String,
    /// A path in the repository with `/`. `None` if the finding is about no file, or about one outside of the repository.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub end_line: Option<u32>,
    /// Stays the same when lines move. See `fingerprint.rs`.
    pub fingerprint: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The package of an advisory, such as `crates.io:time@0.1.43`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Other names of the same fault: CVE, GHSA and RUSTSEC ids, and CWE ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Place>,
    /// Where the rule is explained. Only `https:` and `http:` addresses are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// What was read from one scanner.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Report {
    pub findings: Vec<Finding>,
    /// What was left out, and why. For people.
    pub notes: Vec<String>,
}

/// Why a report was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("the report of {tool} has {megabytes} MB; at most 64 MB are read; scan fewer folders")]
    TooLarge {
        tool: &'static str,
        megabytes: usize,
    },
    #[error("the report of {tool} is empty; the scanner did not run to its end")]
    Empty { tool: &'static str },
    #[error("the report of {tool} is not the JSON that it should be: {cause}")]
    NotJson {
        tool: &'static str,
        cause: serde_json::Error,
    },
    #[error("the report is not SARIF 2.1.0: {0}")]
    NotSarif(String),
    #[error("{tool} did not scan: {message}")]
    ScannerFailed { tool: &'static str, message: String },
}

/// Collects findings within the bounds. A note is kept once.
#[derive(Default)]
pub(super) struct Collector {
    findings: Vec<Finding>,
    notes: Vec<String>,
    left_out: usize,
}

impl Collector {
    pub(super) fn add(&mut self, mut finding: Finding) {
        if self.findings.len() >= MOST_FINDINGS {
            self.left_out += 1;
            return;
        }
        finding.tidy();
        self.findings.push(finding);
    }

    pub(super) fn note(&mut self, note: &str) {
        let note = plain::one_line(note, 400);
        if self.notes.len() < MOST_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub(super) fn finish(mut self) -> Report {
        if self.left_out > 0 {
            self.notes.push(format!(
                "{} findings came after the first {MOST_FINDINGS} and were left out",
                self.left_out
            ));
        }
        fingerprint::assign(&mut self.findings);
        Report {
            findings: self.findings,
            notes: self.notes,
        }
    }
}

impl Finding {
    /// Bounds each text and puts the lines in order.
    fn tidy(&mut self) {
        self.rule = plain::one_line(&self.rule, MOST_RULE);
        if self.rule.is_empty() {
            self.rule = "unnamed".to_owned();
        }
        self.tool = plain::one_line(&self.tool, 80);
        // Other scanners quote the code, secrets included.
        self.message = plain::one_line(&secrets::mask(&self.message), MOST_MESSAGE);
        if self.message.is_empty() {
            self.message.clone_from(&self.rule);
        }
        self.line = self.line.filter(|line| *line > 0);
        self.end_line = self
            .line
            .and_then(|line| self.end_line.filter(|end| *end > line));
        let bounded =
            |text: String, most| Some(plain::one_line(&text, most)).filter(|t| !t.is_empty());
        self.snippet = self
            .snippet
            .take()
            .and_then(|text| bounded(secrets::mask(&text), MOST_SNIPPET));
        self.subject = self
            .subject
            .take()
            .and_then(|text| bounded(text, MOST_RULE));
        self.help = self
            .help
            .take()
            .filter(|help| help.starts_with("https://") || help.starts_with("http://"))
            .and_then(|help| bounded(help, 500));
        self.aliases = std::mem::take(&mut self.aliases)
            .into_iter()
            .take(MOST_ALIASES)
            .filter_map(|alias| bounded(alias, 80))
            .filter(|alias| *alias != self.rule)
            .collect();
        self.aliases.sort();
        self.aliases.dedup();
        self.related.truncate(MOST_RELATED);
        for place in &mut self.related {
            place.message = plain::one_line(&place.message, 200);
        }
    }
}
