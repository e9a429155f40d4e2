//! The rules for overwriting a brain.

use serde::Serialize;
use utoipa::ToSchema;

/// The versions of a brain that are kept: enough for months of work, and a limit on the space of one agent.
pub const KEPT: i64 = 500;

/// Why a version was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = BrainCause)]
pub enum Cause {
    /// A person wrote it.
    Edit,
    /// The text of a new agent. Never overwrites.
    Seed,
    /// An approved proposal reorganised what the agent learned. Overwrites.
    Consolidation,
    /// A person restored an earlier version.
    Restore,
}

impl Cause {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Seed => "seed",
            Self::Consolidation => "consolidation",
            Self::Restore => "restore",
        }
    }

    /// Reads the word of the database. An unknown word of a newer gateway is shown as an edit.
    pub fn from_stored(word: &str) -> Self {
        [Self::Seed, Self::Consolidation, Self::Restore]
            .into_iter()
            .find(|cause| cause.as_str() == word)
            .unwrap_or(Self::Edit)
    }
}

/// The result of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// The text becomes the next version.
    Write { version: i64 },
    /// Nothing changes.
    Keep,
    /// Another write came in between.
    Conflict { current: i64 },
}

/// Decides against the present version (0 and an empty text if there is none).
pub(super) fn decide(
    (version, present): (i64, &str),
    new: &str,
    cause: Cause,
    if_version: Option<i64>,
) -> Decision {
    // The same text again is a retry after a lost answer, or two equal writes: no conflict and no new version.
    if present == new {
        return Decision::Keep;
    }
    if if_version.is_some_and(|expected| expected != version) {
        return Decision::Conflict { current: version };
    }
    if cause == Cause::Seed && !present.trim().is_empty() {
        return Decision::Keep;
    }
    Decision::Write {
        version: version + 1,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::Cause::{Consolidation, Edit, Restore, Seed};
    use super::Decision::{Conflict, Keep, Write};
    use super::*;

    #[rstest]
    #[case::first((0, ""), "a", Edit, Some(0), Write { version: 1 })]
    #[case::next((4, "a"), "b", Edit, Some(4), Write { version: 5 })]
    #[case::whatever_is_there((4, "a"), "b", Edit, None, Write { version: 5 })]
    #[case::somebody_was_faster((5, "x"), "b", Edit, Some(4), Conflict { current: 5 })]
    #[case::a_retry_after_a_lost_answer((5, "b"), "b", Edit, Some(4), Keep)]
    #[case::emptied((5, "b"), "", Edit, Some(5), Write { version: 6 })]
    #[case::seeded((0, ""), "seed", Seed, None, Write { version: 1 })]
    #[case::seeded_over_blanks((2, " \n"), "seed", Seed, None, Write { version: 3 })]
    #[case::a_seed_never_overwrites((1, "mine"), "seed", Seed, None, Keep)]
    #[case::a_consolidation_does((1, "mine"), "tidy", Consolidation, None, Write { version: 2 })]
    #[case::taken_back((3, "c"), "a", Restore, Some(3), Write { version: 4 })]
    #[case::taken_back_too_late((4, "d"), "a", Restore, Some(3), Conflict { current: 4 })]
    fn a_write_becomes(
        #[case] present: (i64, &str),
        #[case] new: &str,
        #[case] cause: Cause,
        #[case] if_version: Option<i64>,
        #[case] expected: Decision,
    ) {
        assert_eq!(decide(present, new, cause, if_version), expected);
        assert_eq!(Cause::from_stored(cause.as_str()), cause);
    }
}
