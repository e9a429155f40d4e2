//! The progress of a run, and its next steps. Pure code: the actor writes what this module decides.

use std::collections::BTreeMap;

use super::entity::{child, step};
use super::journal::stored;
use super::model::{Status, StepStatus, child_id};
use super::outcome::{self, Decided, Outcome};
use crate::topology::{self, Checked, Graph, Next, Node, Output, Outputs, Purpose, Step, StepRef};
use roost_platform::ids::RunId;

/// The topology, the outputs so far, and the steps at work.
#[derive(Debug, Clone)]
pub struct Progress {
    graph: Graph,
    input: String,
    outputs: Outputs,
    /// The steps that a fork keeps, with the runs that they started in the original.
    kept: BTreeMap<StepRef, Option<RunId>>,
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
            kept: BTreeMap::new(),
            at_work: BTreeMap::new(),
            position: 0,
            retries: 0,
        };
        for row in rows {
            let at = ref_of(row);
            let attempt = u32::try_from(row.attempt).unwrap_or(1).max(1);
            progress.position = progress.position.max(row.position + 1);
            progress.retries += attempt - 1;
            let outcome = row.outcome.as_deref().and_then(Outcome::parse);
            progress.checked(&at, checks_of(row));
            if row.stopped_by.is_some() && row.status == StepStatus::Cancelled.as_str() {
                progress.stopped(&at);
            }
            match output_of(row) {
                Some(output) => progress.store(at, output, outcome),
                None => {
                    let away = row.away_since_ms.is_some();
                    progress.at_work.insert(at, AtWork { attempt, away });
                }
            }
        }
        progress
    }

    /// Records which runs the steps of a fork's original started: the fork's ended steps are those of the original, or
    /// have a child of the fork.
    pub fn keep(&mut self, fork: RunId, links: &[child::Model]) {
        for at in self.outputs.of_runs.keys() {
            let of_step = |link: &&child::Model| {
                let same = (link.lap, link.shard) == (stored(at.lap), stored(at.shard));
                same && link.step_key == at.key
            };
            let started = links.iter().find(of_step).map(|link| link.child_run_id);
            if started != Some(child_id(fork, at, 0)) {
                self.kept.insert(at.clone(), started);
            }
        }
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

    /// Records the checks of a step that ends.
    pub fn checked(&mut self, at: &StepRef, checks: Vec<Checked>) {
        self.outputs.insert_checks(at.clone(), checks);
    }

    /// Records that a person stopped a step.
    pub fn stopped(&mut self, at: &StepRef) {
        self.outputs.stopped.insert(at.clone());
    }

    /// Records the end of a step, and the outcome of the run that it started.
    pub fn end(&mut self, at: StepRef, output: Output, outcome: Option<Outcome>) {
        self.at_work.remove(&at);
        self.store(at, output, outcome);
    }

    fn store(&mut self, at: StepRef, output: Output, outcome: Option<Outcome>) {
        match outcome {
            Some(outcome) => self.outputs.insert_run(at, output, outcome),
            None => self.outputs.insert(at, output),
        }
    }

    /// The outcome of the run `run`, which ends with this status.
    pub fn decided(&self, run: RunId, status: Status) -> Decided {
        outcome::decide(status, &self.graph, &self.outputs, |at| {
            let kept = self.kept.get(at).copied();
            kept.unwrap_or_else(|| Some(child_id(run, at, 0)))
        })
    }

    /// The node of a step.
    pub fn node(&self, step: &Step) -> Option<&Node> {
        self.graph.node(&step.node)
    }

    /// The prompt for the agent of a step.
    pub fn prompt(&self, step: &Step) -> String {
        let mut prompt = topology::prompt(step, &self.input, &self.outputs);
        if let Some(node) = self.node(step) {
            prompt.push_str(&topology::announced(checks_of_step(step, node)));
        }
        prompt
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

/// The checks of a step of this node. What it hands over as work is checked. A plan, a choice of experts and a verdict
/// are not.
pub fn checks_of_step<'a>(step: &Step, node: &'a Node) -> &'a [String] {
    match step.purpose {
        Purpose::Work | Purpose::Merge | Purpose::Report => &node.attributes.checks,
        Purpose::Plan | Purpose::Gate | Purpose::Verdict => &[],
    }
}

/// The checks that a step's row has.
pub(super) fn checks_of(row: &step::Model) -> Vec<Checked> {
    let json = row.checks.as_deref();
    json.and_then(|json| serde_json::from_str(json).ok())
        .unwrap_or_default()
}

/// The output of an ended step. `None` while the step is at work.
fn output_of(row: &step::Model) -> Option<Output> {
    let text = || row.output.clone().unwrap_or_default();
    let why = || row.error.clone().unwrap_or_default();
    match StepStatus::parse(&row.status)? {
        StepStatus::Running | StepStatus::Waiting => None,
        StepStatus::Done => Some(Output::Done(text())),
        StepStatus::Failed | StepStatus::Cancelled => Some(Output::Failed(why())),
    }
}
