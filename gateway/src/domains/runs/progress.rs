//! How far a run is, and what comes next. Pure: the actor writes down what this decides.

use std::collections::BTreeMap;

use super::entity::step;
use super::model::StepStatus;
use crate::domains::topology::{self, Graph, Next, Node, Output, Outputs, Step, StepRef};

/// What the topology says, the outputs that are there, and the steps at work.
#[derive(Debug, Clone)]
pub struct Progress {
    graph: Graph,
    input: String,
    outputs: Outputs,
    /// Steps that have begun and not ended.
    at_work: BTreeMap<StepRef, AtWork>,
    /// Of the next step that begins.
    position: i32,
    /// Attempts beyond the first of all steps.
    pub retries: u32,
}

/// A step that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtWork {
    /// Counts from 1.
    pub attempt: u32,
    /// Whether what it waits for was away when it was last tried.
    pub away: bool,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Move {
    /// These are at work, or begin now.
    Work(Vec<Step>),
    /// The run's result.
    Done(String),
    /// It cannot come to an end.
    Failed(String),
}

impl Progress {
    /// From the rows.
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

    /// What comes next. Deterministic: the same outputs give the same answer, whoever asks and whenever.
    pub fn next(&self) -> Move {
        match topology::next(&self.graph, &self.input, &self.outputs) {
            Next::Done { text, .. } => Move::Done(text),
            Next::Failed { detail } => Move::Failed(detail),
            Next::Run(steps) => Move::Work(steps),
        }
    }

    /// Notes that a step begins; its place in the order, or `None` when it has begun before.
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

    /// One more attempt.
    pub fn again(&mut self, at: &StepRef) {
        if let Some(work) = self.at_work.get_mut(at) {
            work.attempt += 1;
            work.away = false;
            self.retries += 1;
        }
    }

    /// What a step needs is away. That counts as no attempt.
    pub fn wait(&mut self, at: &StepRef) {
        if let Some(work) = self.at_work.get_mut(at) {
            work.away = true;
        }
    }

    /// A step has ended.
    pub fn end(&mut self, at: StepRef, output: Output) {
        self.at_work.remove(&at);
        self.outputs.insert(at, output);
    }

    /// The node that a step is of.
    pub fn node(&self, step: &Step) -> Option<&Node> {
        self.graph.node(&step.node)
    }

    /// What the agent of a step is told.
    pub fn prompt(&self, step: &Step) -> String {
        topology::prompt(step, &self.input, &self.outputs)
    }
}

fn ref_of(row: &step::Model) -> StepRef {
    StepRef {
        key: row.step_key.clone(),
        lap: u32::try_from(row.lap).unwrap_or(0),
    }
}

/// The output of a row that has one; nothing of a step that is at work.
fn output_of(row: &step::Model) -> Option<Output> {
    let text = || row.output.clone().unwrap_or_default();
    let why = || row.error.clone().unwrap_or_default();
    match StepStatus::parse(&row.status)? {
        StepStatus::Running => None,
        StepStatus::Done => Some(Output::Done(text())),
        StepStatus::Failed | StepStatus::Cancelled => Some(Output::Failed(why())),
    }
}
