//! The checks of a node: commands that its work must pass. An exit code is a fact. What an agent says about its tests is
//! not.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The most checks of a node.
pub const MAX_CHECKS: usize = 8;
/// The maximum size of a check's command, in characters.
pub const MAX_COMMAND: usize = 1_000;

/// A check that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RunCheck)]
pub struct Checked {
    pub command: String,
    /// Absent when the command did not run to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

impl Checked {
    /// Whether the work passes it.
    pub fn passed(&self) -> bool {
        self.exit_code == Some(0)
    }

    /// For people and for agents.
    pub fn words(&self) -> String {
        match self.exit_code {
            Some(code) => format!("`{}` exited with {code}", self.command),
            None => format!("`{}` did not run to its end", self.command),
        }
    }
}

/// The part of a prompt that announces the checks. Empty without checks.
pub fn announced(checks: &[String]) -> String {
    if checks.is_empty() {
        return String::new();
    }
    let mut text = "\n# Checks\n\nAfter you hand over, these commands run in your sandbox. The work is accepted only if \
                    each exits with 0.\n\n"
        .to_owned();
    for command in checks {
        text.push_str(&format!("- {command}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exit_code_0_passes() {
        let check = |exit_code| Checked {
            command: "cargo test".to_owned(),
            exit_code,
        };
        assert!(check(Some(0)).passed());
        assert!(!check(Some(101)).passed() && !check(None).passed());
        assert_eq!(check(Some(101)).words(), "`cargo test` exited with 101");
    }

    #[test]
    fn prompt_without_checks_stays_as_it_is() {
        assert_eq!(announced(&[]), "");
        assert!(announced(&["make test".to_owned()]).ends_with("- make test\n"));
    }
}
