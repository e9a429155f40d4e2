//! What a record says. Pure code.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The name of the gateway's own runtime.
pub const BUILT_IN: &str = "built_in";

/// How much an agent may do in its sandbox. No profile gives it network access.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = RiskProfile)]
pub enum Profile {
    /// No files and no shell.
    Toolfree,
    /// Reads files and history.
    ResearchReadonly,
    /// Reads, writes and runs commands.
    CodingReadwrite,
}

impl Profile {
    pub const ALL: [Self; 3] = [
        Self::Toolfree,
        Self::ResearchReadonly,
        Self::CodingReadwrite,
    ];

    /// The stored value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Toolfree => "toolfree",
            Self::ResearchReadonly => "research_readonly",
            Self::CodingReadwrite => "coding_readwrite",
        }
    }

    /// Parses a value of a row or a request. `None` for an unknown value, which must never widen a permission.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.as_str() == word)
    }
}

/// A group of tools, served as one MCP server.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = ToolBundle)]
pub enum Bundle {
    /// Talking to others and requesting actions outside Roost.
    Door,
    /// Reading the agent's skills.
    Skills,
    /// Files and commands in the agent's sandbox.
    Sandbox,
    /// Git in the agent's sandbox.
    Repo,
}

impl Bundle {
    pub const ALL: [Self; 4] = [Self::Door, Self::Skills, Self::Sandbox, Self::Repo];

    /// The stored value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Door => "door",
            Self::Skills => "skills",
            Self::Sandbox => "sandbox",
            Self::Repo => "repo",
        }
    }

    /// Parses a value of a row or a request.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bundle| bundle.as_str() == word)
    }

    /// The bundles of a stored JSON list. Unknown values are left out.
    pub fn from_stored(list: &str) -> BTreeSet<Self> {
        let words: Vec<String> = serde_json::from_str(list).unwrap_or_default();
        words.iter().filter_map(|word| Self::parse(word)).collect()
    }

    /// The stored JSON list.
    pub fn stored(bundles: impl IntoIterator<Item = Self>) -> String {
        let bundles: BTreeSet<Self> = bundles.into_iter().collect();
        let words: Vec<&str> = bundles.into_iter().map(Self::as_str).collect();
        serde_json::json!(words).to_string()
    }
}

/// The contents of a new record. The model is the agent's binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub profile: Profile,
    pub bundles: BTreeSet<Bundle>,
    /// Whether the agent is created for a team.
    pub minted: bool,
}

impl Record {
    /// The record of an agent that a person creates. It can read its skills, and request actions outside.
    pub fn alone() -> Self {
        Self {
            profile: Profile::Toolfree,
            bundles: BTreeSet::from([Bundle::Door, Bundle::Skills]),
            minted: false,
        }
    }

    /// The record of an agent that is created for a team. Its team and its template add what its steps may use.
    pub fn minted() -> Self {
        Self {
            profile: Profile::Toolfree,
            bundles: BTreeSet::from([Bundle::Door]),
            minted: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_bundles_are_read_back_and_unknown_ones_are_left_out() {
        let all = BTreeSet::from(Bundle::ALL);
        assert_eq!(Bundle::from_stored(&Bundle::stored(Bundle::ALL)), all);
        let read = Bundle::from_stored(r#"["door","browser"]"#);
        assert_eq!(read, BTreeSet::from([Bundle::Door]));
        assert!(Bundle::from_stored("not a list").is_empty());
    }

    #[test]
    fn new_record_never_allows_files_or_commands() {
        for record in [Record::alone(), Record::minted()] {
            assert_eq!(record.profile, Profile::Toolfree);
            assert!(!record.bundles.contains(&Bundle::Sandbox));
            assert!(!record.bundles.contains(&Bundle::Repo));
        }
    }
}
