//! Rules of teams: lifecycle, and the permissions of a team's agents. Pure code.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use roost_execution::tools::{Bundle, Profile};

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

/// The profile that applies: the team's, else its template's, else `toolfree`.
pub fn effective_profile(team: Option<&str>, template: Option<&str>) -> Profile {
    // An unknown value gives the narrowest profile.
    let read = |word: &str| Profile::parse(word).unwrap_or(Profile::Toolfree);
    team.or(template).map_or(Profile::Toolfree, read)
}

/// The bundles that apply: the template's and the team's.
pub fn effective_bundles<'a>(
    team: impl IntoIterator<Item = &'a str>,
    template: impl IntoIterator<Item = &'a str>,
) -> BTreeSet<Bundle> {
    team.into_iter()
        .chain(template)
        .filter_map(Bundle::parse)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_teams_profile_counts_before_its_templates_and_an_unknown_one_gives_nothing() {
        let profile = effective_profile;
        assert_eq!(profile(None, None), Profile::Toolfree);
        assert_eq!(
            profile(None, Some("coding_readwrite")),
            Profile::CodingReadwrite
        );
        assert_eq!(
            profile(Some("research_readonly"), Some("coding_readwrite")),
            Profile::ResearchReadonly
        );
        assert_eq!(
            profile(Some("all_of_it"), Some("coding_readwrite")),
            Profile::Toolfree
        );
    }

    #[test]
    fn bundles_are_those_of_both_and_nothing_else() {
        let bundles = effective_bundles(["repo", "browser"], ["skills", "repo"]);
        assert_eq!(bundles, BTreeSet::from([Bundle::Skills, Bundle::Repo]));
    }

    #[test]
    fn an_unknown_lifecycle_deletes_nothing() {
        assert_eq!(Lifecycle::from_stored("eternal"), Lifecycle::Permanent);
        for lifecycle in [Lifecycle::Permanent, Lifecycle::Ephemeral] {
            assert_eq!(Lifecycle::from_stored(lifecycle.as_str()), lifecycle);
        }
    }
}
