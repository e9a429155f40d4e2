//! Whether agents may push their branches without a decision.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What happens when an agent asks to push its branch. Only branches below `roost/` are pushed, never over other commits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PushPolicy {
    /// A person decides.
    #[default]
    Ask,
    /// The gateway pushes at once.
    Allow,
}

impl PushPolicy {
    /// The word in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }

    /// Parses the word of the database. A word of a newer gateway becomes `Ask`.
    pub fn from_stored(word: &str) -> Self {
        match word {
            "allow" => Self::Allow,
            _ => Self::Ask,
        }
    }
}
