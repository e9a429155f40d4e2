//! What a mission does next, from its rows. Pure code: the driver reads the facts, asks, and carries out one step at a
//! time. So a mission continues after a crash at any line.

use super::facts::Node;
use super::model::{PhaseKind, PhaseStatus, RuntimeState, Status};
use roost_execution::runs::Outcome;
use roost_platform::ids::{MissionPhaseId, RunId};

/// The facts about a mission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    pub status: Status,
    /// In the order of their work.
    pub phases: Vec<PhaseFact>,
    /// The target node, for a mission that works on one node.
    pub node: Option<Node>,
    /// The state of its runtime. `None` when it has none: agents then work in the gateway.
    pub runtime: Option<RuntimeState>,
}

/// The facts about a phase, with the runs of its present attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseFact {
    pub id: MissionPhaseId,
    pub kind: PhaseKind,
    pub status: PhaseStatus,
    pub runs: Vec<RunFact>,
}

/// The facts about a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFact {
    pub run: RunId,
    /// The name of the team, for people.
    pub team: String,
    pub state: RunState,
    pub is_paused: bool,
    /// The mission paused it.
    pub held: bool,
    pub cancel_requested: bool,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunState {
    Open,
    /// It came to its end. The reason explains its outcome.
    Completed(Outcome, String),
    /// The machinery failed, or a person cancelled it.
    Failed(String),
    Cancelled,
    /// The row was deleted.
    Gone,
}

/// A step of the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Nothing, until something changes.
    Rest,
    /// Begin the next phase.
    Begin(MissionPhaseId),
    /// Start the runtime, which the phase's agents need.
    BootRuntime,
    /// End a phase, with the reason for people.
    End(MissionPhaseId, PhaseStatus, String),
    /// Pause these runs: the mission is paused.
    Hold(Vec<RunId>),
    /// Resume these runs, which the mission paused.
    Resume(Vec<RunId>),
    /// Cancel these runs: the mission has ended.
    Cancel(Vec<RunId>),
    /// Pause the mission: its target node was deleted.
    LoseNode,
    /// All phases are past.
    Complete,
    /// Nothing of the mission is at work, and nothing can begin: it needs no actor.
    Over,
}

/// The next step.
pub fn next(facts: &Facts) -> Next {
    match facts.status {
        Status::Draft => Next::Over,
        Status::Running => running(facts),
        Status::Paused => paused(facts),
        Status::Completed | Status::Failed | Status::Cancelled => ended(facts),
    }
}

fn running(facts: &Facts) -> Next {
    let Some(phase) = facts.phases.iter().find(|phase| !phase.status.is_past()) else {
        return Next::Complete;
    };
    match phase.status {
        PhaseStatus::Pending => match facts.node {
            Some(Node::Away(_) | Node::Closed(_)) => Next::Rest,
            Some(Node::Ready) | None => match facts.runtime_for(phase) {
                Some(RuntimeState::Gone) => Next::BootRuntime,
                Some(RuntimeState::Starting) => Next::Rest,
                Some(RuntimeState::Ready) | None => Next::Begin(phase.id),
            },
            Some(Node::Deleted) => Next::LoseNode,
        },
        PhaseStatus::Running => {
            let end = phase.end();
            // Runs that failed may have failed with the node, so its loss is the reason. Completed work stays.
            let is_done = matches!(end, Some(Next::End(_, PhaseStatus::Completed, _)));
            if facts.node == Some(Node::Deleted) && !is_done {
                return Next::LoseNode;
            }
            let held = phase.runs_where(|run| run.is_open() && run.held);
            match held.is_empty() {
                true => match (end, facts.runtime_for(phase)) {
                    (Some(end), _) => end,
                    (None, Some(RuntimeState::Gone)) => Next::BootRuntime,
                    (None, _) => Next::Rest,
                },
                false => Next::Resume(held),
            }
        }
        // The mission paused with this end, and a person resumed it without a retry or a skip. It waits again.
        PhaseStatus::Failed => Next::Rest,
        PhaseStatus::Completed | PhaseStatus::Skipped => Next::Rest,
    }
}

fn paused(facts: &Facts) -> Next {
    if facts.at_work().next().is_none() {
        return Next::Over;
    }
    for phase in facts.at_work() {
        // A run that a person paused is not marked as held, so the mission does not resume it.
        let free = phase.runs_where(|run| run.is_open() && !run.is_paused);
        if !free.is_empty() {
            return Next::Hold(free);
        }
        if let Some(end) = phase.end() {
            return end;
        }
    }
    Next::Rest
}

fn ended(facts: &Facts) -> Next {
    if let Some(phase) = facts.at_work().next() {
        let open = phase.runs_where(RunFact::is_open);
        let unasked = phase.runs_where(|run| run.is_open() && !run.cancel_requested);
        if !unasked.is_empty() {
            return Next::Cancel(unasked);
        }
        if open.is_empty() {
            let reason = format!(
                "The mission was {} while the phase ran.",
                facts.status.as_str()
            );
            return Next::End(phase.id, PhaseStatus::Failed, reason);
        }
        return Next::Rest;
    }
    Next::Over
}

impl Facts {
    /// The state of the runtime, for a phase that needs it.
    fn runtime_for(&self, phase: &PhaseFact) -> Option<RuntimeState> {
        self.runtime.filter(|_| phase.kind.has_teams())
    }

    fn at_work(&self) -> impl Iterator<Item = &PhaseFact> {
        let phases = self.phases.iter();
        phases.filter(|phase| phase.status == PhaseStatus::Running)
    }
}

impl RunFact {
    fn is_open(&self) -> bool {
        self.state == RunState::Open
    }
}

impl PhaseFact {
    fn runs_where(&self, fits: impl Fn(&RunFact) -> bool) -> Vec<RunId> {
        let runs = self.runs.iter().filter(|run| fits(run));
        runs.map(|run| run.run).collect()
    }

    /// The end that follows from the runs, when all of them have ended. One run that failed or was rejected fails the
    /// phase. A run without a verdict does not.
    fn end(&self) -> Option<Next> {
        if self.runs.iter().any(RunFact::is_open) {
            return None;
        }
        let bad: Vec<String> = self
            .runs
            .iter()
            .filter_map(|run| {
                let team = &run.team;
                match &run.state {
                    RunState::Failed(why) => Some(format!("The run of {team} failed: {why}")),
                    RunState::Cancelled => Some(format!("The run of {team} was cancelled.")),
                    RunState::Gone => Some(format!("The run of {team} was deleted.")),
                    RunState::Completed(Outcome::Rejected, why) => {
                        Some(format!("The work of {team} was rejected. {why}"))
                    }
                    RunState::Completed(..) | RunState::Open => None,
                }
            })
            .collect();
        if !bad.is_empty() {
            return Some(Next::End(self.id, PhaseStatus::Failed, bad.join(" ")));
        }
        let reasons: Vec<&str> = self
            .runs
            .iter()
            .filter_map(|run| match &run.state {
                RunState::Completed(_, why) => Some(why.as_str()),
                _ => None,
            })
            .collect();
        match reasons.is_empty() {
            // A phase without runs failed when it began, and never gets here.
            true => Some(Next::End(
                self.id,
                PhaseStatus::Failed,
                "No run worked on the phase.".to_owned(),
            )),
            false => Some(Next::End(
                self.id,
                PhaseStatus::Completed,
                reasons.join(" "),
            )),
        }
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
