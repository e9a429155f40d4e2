//! Reports of scanners, each in its own format.
mod advisories;
mod cargo_deny;
mod code;
mod json;

use super::finding::{ReadError, Report};
use super::paths::Checkout;
use super::sarif;
pub(super) use json::{Line, Maybe};

/// How large a report may be.
pub const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The format of a report. The executor knows it, because it started the scanner.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// SARIF 2.1.0 of any tool.
    Sarif,
    /// `cargo audit --json`
    CargoAudit,
    /// `cargo deny --format json check`, which writes to its error output.
    CargoDeny,
    /// `bandit -f json`
    Bandit,
    /// `semgrep --json`
    Semgrep,
}

impl Format {
    pub const ALL: [Self; 5] = [
        Self::Sarif,
        Self::CargoAudit,
        Self::CargoDeny,
        Self::Bandit,
        Self::Semgrep,
    ];

    /// The tool's name in findings and errors.
    pub fn tool(self) -> &'static str {
        match self {
            Self::Sarif => "SARIF",
            Self::CargoAudit => "cargo audit",
            Self::CargoDeny => "cargo deny",
            Self::Bandit => "bandit",
            Self::Semgrep => "semgrep",
        }
    }
}

/// Reads a report. Places outside of the checkout lose their file and say where they were.
pub fn read(format: Format, bytes: &[u8], checkout: Checkout<'_>) -> Result<Report, ReadError> {
    let tool = format.tool();
    if bytes.len() > MOST_BYTES {
        return Err(ReadError::TooLarge {
            tool,
            megabytes: bytes.len() / (1024 * 1024),
        });
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(ReadError::Empty { tool });
    }
    match format {
        Format::Sarif => sarif::read(text, checkout),
        Format::CargoAudit => advisories::cargo_audit(text, checkout),
        Format::CargoDeny => cargo_deny::read(text, checkout),
        Format::Bandit => code::bandit(text, checkout),
        Format::Semgrep => code::semgrep(text, checkout),
    }
}

/// The id of a weakness in a tag or a sentence, such as `CWE-79` in `external/cwe/cwe-079`.
pub(super) fn cwe(text: &str) -> Option<String> {
    let folded = text.to_ascii_lowercase();
    let (_, rest) = folded.split_once("cwe-")?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let number: u32 = rest[..end].parse().ok()?;
    Some(format!("CWE-{number}"))
}

#[cfg(test)]
mod tests;
