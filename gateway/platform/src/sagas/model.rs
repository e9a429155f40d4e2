//! The kinds of saga and the order of their steps. Pure.

use std::time::Duration;

/// The purpose of a saga.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Removes the sandbox of a softly deleted agent.
    ClawRetire,
    /// Removes everything of a purged agent: its sandbox, then its rows in foreign-key order.
    ClawPurge,
    /// Removes the rest of a workspace after its people are removed.
    WorkspacePurge,
    /// Removes a team with its agents.
    TeamTeardown,
    /// Removes what a removed team leaves: its sandbox, then the rows of its files.
    TeamRemoval,
    /// Removes what an ended mission leaves: its sandbox, then the rows of its files.
    MissionRemoval,
}

/// The steps of all kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Destroys the sandbox of an agent or a team.
    Sandbox,
    /// Removes the rows of an agent, or of the files of a team.
    Rows,
    /// Checks what remains of a workspace, repeatedly until nothing does.
    Workspace,
    /// Checks which agents remain of a team, repeatedly until none does.
    Team,
}

/// What follows a successful step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The kind's next step, or the end.
    Advance,
    /// The same step again after a wait: its condition is not met yet.
    CheckAgain(Duration),
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::ClawRetire,
        Self::ClawPurge,
        Self::WorkspacePurge,
        Self::TeamTeardown,
        Self::TeamRemoval,
        Self::MissionRemoval,
    ];

    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClawRetire => "claw.retire",
            Self::ClawPurge => "claw.purge",
            Self::WorkspacePurge => "workspace.purge",
            Self::TeamTeardown => "team.teardown",
            Self::TeamRemoval => "team.removal",
            Self::MissionRemoval => "mission.removal",
        }
    }

    /// Reads the word from the database; `None` for a word of a newer gateway.
    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The steps of the kind, in order.
    pub fn steps(self) -> &'static [Step] {
        match self {
            Self::ClawRetire => &[Step::Sandbox],
            Self::ClawPurge => &[Step::Sandbox, Step::Rows],
            Self::WorkspacePurge => &[Step::Workspace],
            Self::TeamTeardown => &[Step::Team],
            Self::TeamRemoval | Self::MissionRemoval => &[Step::Sandbox, Step::Rows],
        }
    }

    /// The step after this one; `None` after the last.
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

    /// Reads the word from the database; `None` for a word of a newer gateway.
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
