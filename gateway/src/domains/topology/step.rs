//! Steps, what they answered, and what is next.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::graph::Node;

/// A step's name within its run: never given twice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
pub struct StepRef {
    /// `coder`, `hub/plan`, `hub/merge`.
    pub key: String,
    /// Counted from 1.
    pub lap: u32,
}

impl StepRef {
    /// A node's step of this purpose in this lap.
    pub(super) fn new(node: &Node, purpose: Purpose, lap: u32) -> Self {
        let key = match purpose.suffix() {
            Some(suffix) => format!("{}/{suffix}", node.id),
            None => node.id.clone(),
        };
        Self { key, lap }
    }
}

/// What a step is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = StepPurpose)]
pub enum Purpose {
    /// Does the work.
    Work,
    /// Divides the work and hands it out.
    Plan,
    /// Scores who should be asked.
    Gate,
    /// Makes one answer of several.
    Merge,
    /// Makes one answer of those below and hands it up.
    Report,
    /// Says which of several answers is best.
    Verdict,
}

impl Purpose {
    /// As it is stored and shown.
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

/// One thing for one node to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub key: String,
    pub lap: u32,
    pub node: String,
    pub purpose: Purpose,
    /// What is asked of the node here, and in which form it must answer.
    pub task: String,
    /// The outputs that it is shown, in order.
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
        let StepRef { key, lap } = StepRef::new(node, purpose, lap);
        Self {
            key,
            lap,
            node: node.id.clone(),
            purpose,
            task,
            reads,
        }
    }

    /// Its name within the run.
    pub fn name(&self) -> StepRef {
        StepRef {
            key: self.key.clone(),
            lap: self.lap,
        }
    }
}

/// An output that a step is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    pub of: StepRef,
    /// Whose it is and what it is, for the reader: `Planner (plan)`.
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

/// How a step ended, for good: whoever drives it has retried what can be retried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state", content = "text")]
pub enum Output {
    Done(String),
    Failed(String),
    Abstained(String),
}

/// The outputs so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outputs(pub BTreeMap<StepRef, Output>);

impl Outputs {
    /// What the step answered, when it has.
    pub fn get(&self, step: &StepRef) -> Option<&Output> {
        self.0.get(step)
    }

    /// Keeps an output; the first one of a step stays.
    pub fn insert(&mut self, step: StepRef, output: Output) {
        self.0.entry(step).or_insert(output);
    }
}

/// What can run now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Ready and without an output; never empty. Those in flight are among them.
    Run(Vec<Step>),
    /// The run's result, and the step that gave it.
    Done { text: String, from: StepRef },
    /// Nothing more can come of it.
    Failed { detail: String },
}

/// How many steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = TopologySteps)]
pub struct Bounds {
    pub least: u32,
    pub most: u32,
}
