//! The result of `verify`. It was measured on the machine.
use serde::{Deserialize, Serialize};

/// The whole report. `ok` is false when any check failed or any probed fact differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerifyReport {
    pub ok: bool,
    pub checks: Vec<Check>,
    /// Facts that were read inside a probe sandbox; empty when no probe was requested or possible.
    #[serde(default)]
    pub probe: Vec<ProbedFact>,
    pub duration_ms: u64,
}

/// One check of the host or the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Stable name, e.g. `engine.api`.
    pub name: String,
    /// Title for people.
    pub title: String,
    pub level: Level,
    /// The measured value and, if it is not ok, what to do.
    pub detail: String,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Ok,
    Fail,
    /// Also the value for an unknown level of a newer version.
    #[serde(other)]
    Warn,
}

/// One fact about the inside of a sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbedFact {
    /// Stable name, e.g. `caps.effective`.
    pub fact: String,
    pub title: String,
    pub expected: String,
    pub actual: String,
    pub ok: bool,
}
