//! The progress of a run, and its next steps. Pure code: the actor writes what this module decides.

use std::collections::BTreeMap;

use super::entity::step;
use super::model::StepStatus;
use crate::topology::{self, Graph, Next, Node, Output, Outputs, Step, StepRef};

/// The topology, the outputs so far, and the steps at work.
#[derive(Debug, Clone)]
pub struct Progress {
    graph: Graph,
    input: String,
    outputs: Outputs,
    /// Steps that have begun but not ended.
    at_work: BTreeMap<StepRef, AtWork>,
    /// The position of the next step that begins.
    position: i32,
    /// The attempts of all steps beyond their first.
    pub retries: u32,
}

/// A step that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtWork {
    /// Counts from 1.
    pub attempt: u32,
    /// Whether the step waited for something absent at its last attempt.
    pub away: bool,
}

/// The next action of the run.
#[derive(Debug, Clone, PartialEq)]
pub enum Move {
    /// These steps are at work, or begin now.
    Work(Vec<Step>),
    /// The run's result.
    Done(String),
    /// The run cannot continue.
    Failed(String),
}

impl Progress {
    /// Rebuilds the progress from the rows.
    pub fn read(graph: Graph, input: String, rows: &[step::Model]) -> Self {
        let mut progress = Self {
            graph,
            input,
            outputs: Outputs::default(),
            at_work: BTreeMap::new(),
            position: 0,
            retries: 0,
        };
        for row in rows {
            let at = ref_of(row);
            let attempt = u32::try_from(row.attempt).unwrap_or(1).max(1);
            progress.position = progress.position.max(row.position + 1);
            progress.retries += attempt - 1;
            match output_of(row) {
                Some(output) => progress.outputs.insert(at, output),
                None => {
                    let away = row.away_since_ms.is_some();
                    progress.at_work.insert(at, AtWork { attempt, away });
                }
            }
        }
        progress
    }

    /// The next action. Deterministic: the same outputs always give the same action.
    pub fn next(&self) -> Move {
        match topology::next(&self.graph, &self.input, &self.outputs) {
            Next::Done { text, .. } => Move::Done(text),
            Next::Failed { detail } => Move::Failed(detail),
            Next::Run(steps) => Move::Work(steps),
        }
    }

    /// Records that a step begins. Returns its position, or `None` when it has begun before.
    pub fn begin(&mut self, at: &StepRef) -> Option<i32> {
        if self.at_work.contains_key(at) {
            return None;
        }
        let first = AtWork {
            attempt: 1,
            away: false,
        };
        self.at_work.insert(at.clone(), first);
        self.position += 1;
        Some(self.position - 1)
    }

    /// A step at work.
    pub fn at_work(&self, at: &StepRef) -> Option<AtWork> {
        self.at_work.get(at).copied()
    }

    /// Counts one more attempt.
    pub fn next_attempt(&mut self, at: &StepRef) {
        if let Some(work) = self.at_work.get_mut(at) {
            work.attempt += 1;
            work.away = false;
            self.retries += 1;
        }
    }

    /// Records that a step waits for something absent. This counts no attempt.
    pub fn wait(&mut self, at: &StepRef) {
        if let Some(work) = self.at_work.get_mut(at) {
            work.away = true;
        }
    }

    /// Records the end of a step.
    pub fn end(&mut self, at: StepRef, output: Output) {
        self.at_work.remove(&at);
        self.outputs.insert(at, output);
    }

    /// The node of a step.
    pub fn node(&self, step: &Step) -> Option<&Node> {
        self.graph.node(&step.node)
    }

    /// The prompt for the agent of a step.
    pub fn prompt(&self, step: &Step) -> String {
        topology::prompt(step, &self.input, &self.outputs)
    }
}

/// The step of a row.
pub(super) fn ref_of(row: &step::Model) -> StepRef {
    StepRef {
        key: row.step_key.clone(),
        lap: u32::try_from(row.lap).unwrap_or(0),
        shard: u32::try_from(row.shard).unwrap_or(0),
    }
}

/// The output of an ended step. `None` while the step is at work.
fn output_of(row: &step::Model) -> Option<Output> {
    let text = || row.output.clone().unwrap_or_default();
    let why = || row.error.clone().unwrap_or_default();
    match StepStatus::parse(&row.status)? {
        StepStatus::Running => None,
        StepStatus::Done => Some(Output::Done(text())),
        StepStatus::Failed | StepStatus::Cancelled => Some(Output::Failed(why())),
    }
}
