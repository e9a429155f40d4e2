//! The kinds of saga and the order of their steps. Pure.

use std::time::Duration;

/// What a saga is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A softly deleted agent loses its sandbox.
    ClawRetire,
    /// A purged agent loses everything: its sandbox, then its rows in foreign-key order.
    ClawPurge,
    /// What is left of a workspace after its people are gone.
    WorkspacePurge,
    /// A team goes with its agents.
    TeamTeardown,
}

/// The steps of all kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// An agent's sandbox is destroyed.
    Sandbox,
    /// An agent's rows are removed.
    Rows,
    /// A look at what is left of a workspace, repeated until nothing is.
    Workspace,
    /// A look at who is left of a team, repeated until nobody is.
    Team,
}

/// What follows on a step that went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The next step of its kind, or the end.
    Onward,
    /// The same step once more, after a while: what it waits for is not over.
    Again(Duration),
}

impl Kind {
    const ALL: [Self; 4] = [
        Self::ClawRetire,
        Self::ClawPurge,
        Self::WorkspacePurge,
        Self::TeamTeardown,
    ];

    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClawRetire => "claw.retire",
            Self::ClawPurge => "claw.purge",
            Self::WorkspacePurge => "workspace.purge",
            Self::TeamTeardown => "team.teardown",
        }
    }

    /// Reads the word of the database; `None` for one that a newer gateway wrote.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The steps that it takes, in their order.
    pub fn steps(self) -> &'static [Step] {
        match self {
            Self::ClawRetire => &[Step::Sandbox],
            Self::ClawPurge => &[Step::Sandbox, Step::Rows],
            Self::WorkspacePurge => &[Step::Workspace],
            Self::TeamTeardown => &[Step::Team],
        }
    }

    /// What comes after a step; `None` when that was the last.
    pub fn after(self, step: Step) -> Option<Step> {
        let mut steps = self.steps().iter().skip_while(|s| **s != step);
        steps.nth(1).copied()
    }
}

impl Step {
    const ALL: [Self; 4] = [Self::Sandbox, Self::Rows, Self::Workspace, Self::Team];

    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Rows => "rows",
            Self::Workspace => "workspace",
            Self::Team => "team",
        }
    }

    /// Reads the word of the database; `None` for one that a newer gateway wrote.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_saga_comes_to_its_end_and_is_read_back() {
        for kind in Kind::ALL {
            let (mut step, mut taken) = (kind.steps()[0], 1);
            while let Some(next) = kind.after(step) {
                (step, taken) = (next, taken + 1);
            }
            assert_eq!(taken, kind.steps().len());
            assert_eq!(Kind::from_stored(kind.as_str()), Some(kind));
            for step in kind.steps() {
                assert_eq!(Step::from_stored(step.as_str()), Some(*step));
            }
        }
        assert_eq!(Kind::from_stored("team.dance"), None);
    }

    #[test]
    fn the_rows_of_an_agent_go_last() {
        assert_eq!(Kind::ClawPurge.steps().last(), Some(&Step::Rows));
    }
}
