//! The interface for the execution of steps. Two implementations: the agents of `runtime`, and the one of the load
//! programs, which does nothing as fast as it can.

use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::entity::run;
use super::journal::Journal;
use super::model::Class;
use super::outcome::Outcome;
use super::waits::WaitOn;
use crate::topology::{Checked, Node, Step};
use roost_platform::ids::{ClawId, RunId};

/// A step to execute.
#[derive(Clone)]
pub struct StepJob {
    pub run: run::Model,
    pub step: Step,
    pub node: Node,
    /// The agent's prompt.
    pub prompt: String,
    pub journal: Journal,
    /// Counts from 1.
    pub attempt: u32,
    /// Signals that the result is not needed any more.
    pub cancelled: CancellationToken,
}

/// The end of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepResult {
    /// The text that the step hands over.
    Done(String),
    /// The text that the step hands over, and the checks of its node.
    DoneChecked { text: String, checks: Vec<Checked> },
    /// The text of a run that the step started, and that run's outcome.
    DoneRun { text: String, outcome: Outcome },
    /// The attempt failed.
    Failed {
        class: Class,
        /// For people.
        detail: String,
        /// How long the other side asks the gateway to wait.
        after: Option<Duration>,
    },
    /// The step waits for something outside. The run parks it, and executes it again when it is woken.
    Waits {
        on: WaitOn,
        /// For people.
        detail: String,
    },
    /// Another gateway holds the machine of the step. The run continues there, at the same call.
    Elsewhere {
        /// The name of that gateway.
        owner: String,
        /// For people.
        detail: String,
    },
    /// The fence refused a write. Stop at once and discard the work.
    Fenced,
}

impl StepResult {
    /// A failure that a retry would repeat.
    pub fn terminal(detail: impl Into<String>) -> Self {
        Self::Failed {
            class: Class::Terminal,
            detail: detail.into(),
            after: None,
        }
    }

    /// A person paused the run. The step continues at this place when it is resumed.
    pub fn paused(run: RunId) -> Self {
        Self::Waits {
            on: WaitOn::Pause { run },
            detail: "The run is paused.".to_owned(),
        }
    }

    /// Something that the step needs is away. The step waits.
    pub fn away(detail: impl Into<String>) -> Self {
        Self::Failed {
            class: Class::Away,
            detail: detail.into(),
            after: None,
        }
    }

    /// Whether the step waits for something that is away.
    pub fn waits(&self) -> bool {
        matches!(
            self,
            Self::Waits { .. }
                | Self::Elsewhere { .. }
                | Self::Failed {
                    class: Class::Away,
                    ..
                }
        )
    }

    /// A failure that a retry may fix.
    pub fn retryable(detail: impl Into<String>) -> Self {
        Self::Failed {
            class: Class::Retryable,
            detail: detail.into(),
            after: None,
        }
    }
}

/// An outside call that a step has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// Absent for a command that Roost runs itself.
    pub agent: Option<ClawId>,
    pub key: Uuid,
}

/// Executes steps.
#[async_trait]
pub trait StepExecutor: Send + Sync + 'static {
    /// Executes a step, or continues a step from its journal. The run's actor drops the future when the run is
    /// cancelled.
    async fn execute(&self, job: StepJob) -> StepResult;

    /// Stops the outside calls of a cancelled run.
    async fn abandon(&self, run: &run::Model, effects: Vec<Effect>);
}
