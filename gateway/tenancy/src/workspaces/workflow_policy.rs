//! Whether commits of agents may change the files that a code host runs programs from.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What becomes of commits that change workflow files: `.github/workflows`, those of Gitea and Forgejo, `.gitlab-ci.yml`. The
/// code host runs them with its own secrets once they are pushed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorkflowPolicy {
    /// They do not leave the sandbox.
    #[default]
    Refuse,
    /// They are taken as other commits are. A push still has its own policy.
    Allow,
}

impl WorkflowPolicy {
    /// The word in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Allow => "allow",
        }
    }

    /// Parses the word of the database. With a word of a newer gateway such commits are refused.
    pub fn from_stored(word: &str) -> Self {
        match word {
            "allow" => Self::Allow,
            _ => Self::Refuse,
        }
    }
}
