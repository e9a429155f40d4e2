//! Steps, their outputs, and the next steps.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::checks::Checked;
use super::graph::Node;
use super::markers;

/// The name of a step within its run. It is unique.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
pub struct StepRef {
    /// `coder`, `hub/plan`, `hub/merge`.
    pub key: String,
    /// Counts from 1.
    pub lap: u32,
    /// The part of a step that is divided over several agents. 0 for a step in one part.
    #[serde(default)]
    pub shard: u32,
}

/// `coder#1`, and `coder#1.3` for the shard 3. The keys of calls contain this text, so it never changes.
impl fmt::Display for StepRef {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, lap, shard } = self;
        match shard {
            0 => write!(to, "{key}#{lap}"),
            _ => write!(to, "{key}#{lap}.{shard}"),
        }
    }
}

impl StepRef {
    /// A node's step of this purpose in this lap.
    pub(super) fn new(node: &Node, purpose: Purpose, lap: u32) -> Self {
        let key = match purpose.suffix() {
            Some(suffix) => format!("{}/{suffix}", node.id),
            None => node.id.clone(),
        };
        let shard = 0;
        Self { key, lap, shard }
    }
}

/// The purpose of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = StepPurpose)]
pub enum Purpose {
    /// Does the work.
    Work,
    /// Divides the work and hands it out.
    Plan,
    /// Scores the experts.
    Gate,
    /// Merges several answers into one.
    Merge,
    /// Merges the answers of the nodes below into a report for the node above.
    Report,
    /// Decides which of several answers is best.
    Verdict,
}

impl Purpose {
    /// The stored and displayed value.
    pub fn as_str(self) -> &'static str {
        self.suffix().unwrap_or("work")
    }

    fn suffix(self) -> Option<&'static str> {
        match self {
            Self::Work => None,
            Self::Plan => Some("plan"),
            Self::Gate => Some("gate"),
            Self::Merge => Some("merge"),
            Self::Report => Some("report"),
            Self::Verdict => Some("verdict"),
        }
    }
}

/// One task of one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub key: String,
    pub lap: u32,
    #[serde(default)]
    pub shard: u32,
    pub node: String,
    pub purpose: Purpose,
    /// The task, and the required form of the answer.
    pub task: String,
    /// The outputs that the prompt shows, in order.
    pub reads: Vec<Read>,
}

impl Step {
    pub(super) fn new(
        node: &Node,
        purpose: Purpose,
        lap: u32,
        task: String,
        reads: Vec<Read>,
    ) -> Self {
        let StepRef { key, lap, shard } = StepRef::new(node, purpose, lap);
        Self {
            key,
            lap,
            shard,
            node: node.id.clone(),
            purpose,
            task,
            reads,
        }
    }

    /// The step's name within the run.
    pub fn name(&self) -> StepRef {
        StepRef {
            key: self.key.clone(),
            lap: self.lap,
            shard: self.shard,
        }
    }
}

/// An output that a step's prompt shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    pub of: StepRef,
    /// Its origin, for the reader: `Planner (plan)`.
    pub label: String,
}

impl Read {
    pub(super) fn new(node: &Node, purpose: Purpose, lap: u32) -> Self {
        let of = StepRef::new(node, purpose, lap);
        let mut label = node.name().to_owned();
        if let Some(suffix) = purpose.suffix() {
            label.push_str(&format!(" ({suffix})"));
        }
        if lap > 1 {
            label.push_str(&format!(", lap {lap}"));
        }
        Self { of, label }
    }
}

/// The final end of a step. The run has already retried what can be retried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state", content = "text")]
pub enum Output {
    Done(String),
    Failed(String),
    Abstained(String),
}

/// The outputs so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outputs {
    pub by_step: BTreeMap<StepRef, Output>,
    /// The outcome of each step that was a run of its own. Its text belongs to that run and gives no verdict here.
    pub of_runs: BTreeMap<StepRef, Outcome>,
    /// The checks of each step that has some.
    pub checks: BTreeMap<StepRef, Vec<Checked>>,
    /// The steps that a person stopped. Each also has a failed output.
    pub stopped: BTreeSet<StepRef>,
}

impl Outputs {
    /// The output of the step, if it has ended.
    pub fn get(&self, step: &StepRef) -> Option<&Output> {
        self.by_step.get(step)
    }

    /// Stores an output. The first output of a step is kept.
    pub fn insert(&mut self, step: StepRef, output: Output) {
        self.by_step.entry(step).or_insert(output);
    }

    /// As [`insert`](Self::insert), for a step that was a run of its own.
    pub fn insert_run(&mut self, step: StepRef, output: Output, outcome: Outcome) {
        self.of_runs.entry(step.clone()).or_insert(outcome);
        self.insert(step, output);
    }

    /// Stores the checks of a step.
    pub fn insert_checks(&mut self, step: StepRef, checks: Vec<Checked>) {
        if !checks.is_empty() {
            self.checks.entry(step).or_insert(checks);
        }
    }

    /// Whether the step rejects the work.
    pub(super) fn rejects(&self, step: &StepRef) -> bool {
        let checks = self.checks.get(step).into_iter().flatten();
        if checks.into_iter().any(|check| !check.passed()) {
            return true;
        }
        match (self.of_runs.get(step), self.get(step)) {
            (Some(outcome), _) => *outcome == Outcome::Rejected,
            (None, Some(Output::Done(text))) => markers::rejects(text),
            (None, _) => false,
        }
    }
}

/// Whether a goal was met. It stands beside a status, which says only whether the machinery came to its end.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunOutcome)]
pub enum Outcome {
    /// Each verdict accepts the work.
    Accepted,
    /// A verdict rejects the work.
    Rejected,
    /// There is no verdict.
    Undecided,
}

impl Outcome {
    /// The stored and displayed value.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Undecided => "undecided",
        }
    }

    /// Parses a value from the database.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Accepted, Self::Rejected, Self::Undecided]
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
    }
}

/// What can run now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Steps that are ready or running, and have no output. Never empty.
    Run(Vec<Step>),
    /// The run's result, and the step that produced it.
    Done { text: String, from: StepRef },
    /// The run cannot continue.
    Failed { detail: String },
}

/// The number of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = TopologySteps)]
pub struct Bounds {
    pub least: u32,
    pub most: u32,
}
