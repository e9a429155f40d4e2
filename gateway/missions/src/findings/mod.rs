//! Findings of a security phase: what scanners report, as one list. All of it is pure; the phase's executor runs the
//! scanners and keeps the list.
mod cvss;
mod finding;
mod fingerprint;
mod markdown;
mod merge;
mod paths;
mod readers;
mod sarif;
mod secrets;
mod suppress;

pub use finding::{Finding, MOST_FINDINGS, Place, ReadError, Report, Severity};
pub use markdown::markdown;
pub use merge::{Merged, Metrics, merge, metrics, new_since};
pub use paths::Checkout;
pub use readers::{Format, MOST_BYTES, read};
pub use sarif::write as write_sarif;
pub use secrets::{MOST_FILE, TOOL as SECRETS_TOOL, scan as scan_secrets};
pub use suppress::{SUPPRESSIONS_FILE, Suppressed, SuppressionError, Suppressions, Triage};
