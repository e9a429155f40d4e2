//! Sagas over agents: work of several steps that finishes when the gateway is killed anywhere. The row says which step
//! is next; a step may run twice, never half; the leased driver carries one after the other.
//!
//! * `workspace.purge`: see `workspace.rs`.
//! * `claw.retire` (after a soft delete): sandbox.
//! * `claw.purge`: sandbox → rows (in foreign-key order: sandboxes, brain, avatar, agent). Later issues put their steps between: volumes, drives, broker
//!   records, the runtime agent.

mod driver;
mod entity;
mod store;
mod workspace;

pub use driver::{DeleteNodes, DestroySandbox, SagaDriver};
pub use entity::saga;
pub use store::{begin, begin_workspace};

/// What a saga is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A softly deleted agent loses its sandbox.
    Retire,
    /// A purged agent loses everything.
    Purge,
}

/// The steps, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Sandbox,
    Rows,
}

impl Kind {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retire => "claw.retire",
            Self::Purge => "claw.purge",
        }
    }

    /// Reads the word of the database.
    pub fn from_stored(word: &str) -> Option<Self> {
        [Self::Retire, Self::Purge]
            .into_iter()
            .find(|kind| kind.as_str() == word)
    }

    /// The steps that it takes.
    pub fn steps(self) -> &'static [Step] {
        match self {
            Self::Retire => &[Step::Sandbox],
            Self::Purge => &[Step::Sandbox, Step::Rows],
        }
    }

    /// What comes after a step; `None` when that was the last.
    pub fn after(self, step: Step) -> Option<Step> {
        let mut steps = self.steps().iter().skip_while(|s| **s != step);
        steps.nth(1).copied()
    }
}

impl Step {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Rows => "rows",
        }
    }

    /// Reads the word of the database.
    pub fn from_stored(word: &str) -> Option<Self> {
        [Self::Sandbox, Self::Rows]
            .into_iter()
            .find(|step| step.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_saga_comes_to_its_end_and_the_rows_go_last() {
        for kind in [Kind::Retire, Kind::Purge] {
            let (mut step, mut taken) = (kind.steps()[0], 1);
            while let Some(next) = kind.after(step) {
                (step, taken) = (next, taken + 1);
            }
            assert_eq!(taken, kind.steps().len());
            assert_eq!(Kind::from_stored(kind.as_str()), Some(kind));
        }
        assert_eq!(Kind::Purge.steps().last(), Some(&Step::Rows));
    }
}
