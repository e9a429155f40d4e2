//! What a run needs of whoever carries out its steps. Two implementations: the agents of `runtime`, and the one of the
//! load programs, which does nothing as fast as it can.

use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::entity::run;
use super::journal::Journal;
use super::model::Class;
use crate::domains::topology::{Node, Step};
use crate::ids::ClawId;

/// A step to be carried out.
#[derive(Clone)]
pub struct Job {
    pub run: run::Model,
    pub step: Step,
    pub node: Node,
    /// What the agent is told.
    pub prompt: String,
    pub journal: Journal,
    /// Counts from 1.
    pub attempt: u32,
    /// Says that nobody wants the result any more.
    pub cancelled: CancellationToken,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The text that it hands over.
    Done(String),
    /// It did not work.
    Failed {
        class: Class,
        /// For people.
        detail: String,
        /// How long the other side wants to be left alone.
        after: Option<Duration>,
    },
    /// The fence refused a write: stop at once and discard.
    Fenced,
}

impl End {
    /// Failed, and will be the same next time.
    pub fn terminal(detail: impl Into<String>) -> Self {
        Self::Failed {
            class: Class::Terminal,
            detail: detail.into(),
            after: None,
        }
    }

    /// What it needs is away, and is waited for.
    pub fn away(detail: impl Into<String>) -> Self {
        Self::Failed {
            class: Class::Away,
            detail: detail.into(),
            after: None,
        }
    }

    /// Whether what it needs is away.
    pub fn waits(&self) -> bool {
        matches!(
            self,
            Self::Failed {
                class: Class::Away,
                ..
            }
        )
    }

    /// Failed, and may go well next time.
    pub fn retryable(detail: impl Into<String>) -> Self {
        Self::Failed {
            class: Class::Retryable,
            detail: detail.into(),
            after: None,
        }
    }
}

/// Something outside that a step of an agent has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    pub agent: ClawId,
    pub key: Uuid,
}

/// Carries steps out.
#[async_trait]
pub trait Perform: Send + Sync + 'static {
    /// Carries out a step, or goes on with one whose journal says how far it came. Dropped when the run is cancelled.
    async fn perform(&self, job: Job) -> End;

    /// Ends what outside calls of a cancelled run still do.
    async fn abandon(&self, run: &run::Model, effects: Vec<Effect>);
}
