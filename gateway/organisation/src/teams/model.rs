//! Rules of teams: lifecycle and state. Pure code.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The maximum number of agents in one team.
pub const MOST_MEMBERS: usize = 40;

/// How long a team lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TeamLifecycle)]
pub enum Lifecycle {
    /// Until a person deletes it.
    #[default]
    Permanent,
    /// Until its last run has ended.
    Ephemeral,
}

impl Lifecycle {
    /// The stored value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Permanent => "permanent",
            Self::Ephemeral => "ephemeral",
        }
    }

    /// Parses the stored value. An unknown value must never delete a team.
    pub fn from_stored(word: &str) -> Self {
        match word {
            "ephemeral" => Self::Ephemeral,
            _ => Self::Permanent,
        }
    }
}

/// The state of a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TeamState)]
pub enum State {
    Ready,
    /// The team is being deleted: first its agents, then the team.
    Going,
}

impl State {
    /// The stored value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Going => "going",
        }
    }

    /// Parses the stored value.
    pub fn from_stored(word: &str) -> Self {
        match word {
            "ready" => Self::Ready,
            _ => Self::Going,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_lifecycle_deletes_nothing() {
        assert_eq!(Lifecycle::from_stored("eternal"), Lifecycle::Permanent);
        for lifecycle in [Lifecycle::Permanent, Lifecycle::Ephemeral] {
            assert_eq!(Lifecycle::from_stored(lifecycle.as_str()), lifecycle);
        }
    }
}
