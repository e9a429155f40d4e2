//! Findings of a security phase: what scanners report, as one list. All of it is pure; the phase's executor runs the
//! scanners and keeps the list.
mod cvss;
mod finding;
mod fingerprint;
mod paths;
mod readers;
mod sarif;
mod secrets;

pub use finding::{Finding, MOST_FINDINGS, Place, ReadError, Report, Severity};
pub use paths::Checkout;
pub use readers::{Format, MOST_BYTES, read};
pub use secrets::{MOST_FILE, TOOL as SECRETS_TOOL, scan as scan_secrets};
