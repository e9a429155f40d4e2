//! Whether a run's goal was met, from facts: the exit codes of checks, the verdicts in agents' answers, the outcomes of
//! child runs, and a judge's verdict. A sentence is never a fact. Pure code.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model::Status;
use crate::topology::{
    self, Check, Checked, Graph, Marker, Output, Outputs, Purpose, StepRef, markers,
};
use roost_platform::ids::RunId;

pub use crate::topology::Outcome;

/// An outcome with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    pub outcome: Outcome,
    /// For people.
    pub reason: String,
    /// The place of the fact that decided. Absent without one.
    pub evidence: Option<Evidence>,
}

impl Decided {
    /// The stored form of the evidence.
    pub(super) fn evidence_json(&self) -> Option<String> {
        let evidence = self.evidence.as_ref()?;
        serde_json::to_string(evidence).ok()
    }
}

/// The place of a fact: a step, and the line of its answer, its check or the run that it started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RunEvidence)]
pub struct Evidence {
    pub step: String,
    pub lap: u32,
    /// 0 for a step that is not divided.
    pub shard: u32,
    /// The line of the step's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
    /// The check of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Checked>,
    /// The run that the step started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

/// What a fact is about. A later lap of the same step replaces the fact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Task(Check, Option<String>),
    Command(String),
    Run,
}

struct Fact {
    at: StepRef,
    accepts: bool,
    source: Source,
}

/// Where a fact comes from.
enum Source {
    Answer(Marker),
    Command(Checked),
    Run,
}

impl Fact {
    fn evidence(&self, child: impl Fn(&StepRef) -> Option<RunId>) -> Evidence {
        Evidence {
            step: self.at.key.clone(),
            lap: self.at.lap,
            shard: self.at.shard,
            marker: match &self.source {
                Source::Answer(marker) => Some(marker.text()),
                _ => None,
            },
            check: match &self.source {
                Source::Command(check) => Some(check.clone()),
                _ => None,
            },
            run: match &self.source {
                Source::Run => child(&self.at),
                _ => None,
            },
        }
    }

    fn words(&self) -> String {
        match &self.source {
            Source::Answer(marker) => format!("`{}` of the step {}", marker.text(), self.at.key),
            Source::Command(check) => {
                format!("the check of the step {}: {}", self.at.key, check.words())
            }
            Source::Run => {
                let word = if self.accepts { "accepted" } else { "rejected" };
                format!("the run of the step {}, which is {word}", self.at.key)
            }
        }
    }
}

/// The outcome of a run that ends with this status. `child` names the run that a step started. What a person stopped is
/// missing in the work, so verdicts on the rest of it accept nothing.
pub fn decide(
    status: Status,
    graph: &Graph,
    outputs: &Outputs,
    child: impl Fn(&StepRef) -> Option<RunId>,
) -> Decided {
    let decided = by_facts(status, graph, outputs, child);
    let Some(first) = outputs.stopped.first() else {
        return decided;
    };
    let more = match outputs.stopped.len() - 1 {
        0 => String::new(),
        1 => " and one more step".to_owned(),
        more => format!(" and {more} more steps"),
    };
    Decided {
        outcome: match decided.outcome {
            Outcome::Accepted => Outcome::Undecided,
            other => other,
        },
        reason: format!(
            "A person stopped the step {}{more}. {}",
            first.key, decided.reason
        ),
        evidence: decided.evidence,
    }
}

fn by_facts(
    status: Status,
    graph: &Graph,
    outputs: &Outputs,
    child: impl Fn(&StepRef) -> Option<RunId>,
) -> Decided {
    if status != Status::Completed {
        return undecided("The run did not come to its end.");
    }
    if graph.kind == topology::Kind::Compare {
        return compared(graph, outputs, child);
    }
    let facts = facts(outputs);
    if let Some(fact) = facts.iter().find(|fact| !fact.accepts) {
        let others = facts.iter().filter(|fact| !fact.accepts).count() - 1;
        let more = match others {
            0 => String::new(),
            1 => ", and one more verdict".to_owned(),
            _ => format!(", and {others} more verdicts"),
        };
        return Decided {
            outcome: Outcome::Rejected,
            reason: format!("Rejected by {}{more}.", fact.words()),
            evidence: Some(fact.evidence(child)),
        };
    }
    match facts.last() {
        Some(fact) => Decided {
            outcome: Outcome::Accepted,
            reason: match facts.len() {
                1 => format!("Accepted by {}.", fact.words()),
                many => format!(
                    "All {many} verdicts accept the work, among them {}.",
                    fact.words()
                ),
            },
            evidence: Some(fact.evidence(child)),
        },
        None => undecided("No step gave a verdict."),
    }
}

/// The facts that count: for each step and each subject those of the last lap. A verdict on the whole work replaces
/// the earlier ones on its tasks.
fn facts(outputs: &Outputs) -> Vec<Fact> {
    let mut counted: BTreeMap<(String, Subject), Fact> = BTreeMap::new();
    // In the order of the laps.
    for (at, output) in &outputs.by_step {
        if let Some(outcome) = outputs.of_runs.get(at) {
            let accepts = match outcome {
                Outcome::Accepted => true,
                Outcome::Rejected => false,
                Outcome::Undecided => continue,
            };
            let fact = Fact {
                at: at.clone(),
                accepts,
                source: Source::Run,
            };
            counted.insert((at.key.clone(), Subject::Run), fact);
            continue;
        }
        for check in outputs.checks.get(at).into_iter().flatten() {
            let subject = Subject::Command(check.command.clone());
            let fact = Fact {
                at: at.clone(),
                accepts: check.passed(),
                source: Source::Command(check.clone()),
            };
            counted.insert((at.key.clone(), subject), fact);
        }
        let Output::Done(text) = output else {
            continue;
        };
        let said = markers(text);
        for marker in said.iter().filter(|marker| marker.task.is_none()) {
            counted.retain(|(key, subject), _| {
                *key != at.key
                    || !matches!(subject, Subject::Task(check, _) if *check == marker.check)
            });
        }
        for marker in said {
            let subject = Subject::Task(marker.check, marker.task.clone());
            let fact = Fact {
                at: at.clone(),
                accepts: marker.accepts,
                source: Source::Answer(marker),
            };
            counted.insert((at.key.clone(), subject), fact);
        }
    }
    counted.into_values().collect()
}

/// A comparison is accepted or rejected with the candidate that the judge calls the best. Without a verdict it is
/// rejected only when each candidate is.
fn compared(
    graph: &Graph,
    outputs: &Outputs,
    child: impl Fn(&StepRef) -> Option<RunId>,
) -> Decided {
    let candidates: Vec<(&StepRef, Outcome)> = outputs
        .of_runs
        .iter()
        .map(|(at, outcome)| (at, *outcome))
        .collect();
    let evidence = |at: &StepRef| Evidence {
        step: at.key.clone(),
        lap: at.lap,
        shard: at.shard,
        marker: None,
        check: None,
        run: child(at),
    };
    if let Some(best) = best(graph, outputs)
        && let Some((at, outcome)) = candidates.iter().find(|(at, _)| at.key == best)
    {
        let label = best.to_ascii_uppercase();
        let reason = match outcome {
            Outcome::Accepted => format!("The judge chose {label}, which is accepted."),
            Outcome::Rejected => {
                format!("The judge chose {label}, which is rejected by its own checks.")
            }
            Outcome::Undecided => {
                format!("The judge chose {label}, which has no verdict of its own.")
            }
        };
        return Decided {
            outcome: *outcome,
            reason,
            evidence: Some(evidence(at)),
        };
    }
    let all_rejected = candidates
        .iter()
        .all(|(_, outcome)| *outcome == Outcome::Rejected);
    match candidates.first() {
        Some((at, _)) if all_rejected => Decided {
            outcome: Outcome::Rejected,
            reason: "Each candidate is rejected by its own checks.".to_owned(),
            evidence: Some(evidence(at)),
        },
        _ => undecided("No judge chose a candidate."),
    }
}

/// The step of the candidate that the judge calls the best.
fn best(graph: &Graph, outputs: &Outputs) -> Option<String> {
    let verdict = Purpose::Verdict.as_str();
    let said = outputs
        .by_step
        .iter()
        .find(|(at, _)| at.key.ends_with(&format!("/{verdict}")))?;
    let Output::Done(text) = said.1 else {
        return None;
    };
    let answered = graph.nodes.iter().filter(|node| {
        let at = StepRef {
            key: node.id.clone(),
            lap: 1,
            shard: 0,
        };
        matches!(outputs.get(&at), Some(Output::Done(_)))
    });
    let labels: Vec<String> = answered.map(topology::label).collect();
    let verdict = topology::verdict(text, &labels).ok()?;
    Some(verdict.best.to_ascii_lowercase())
}

fn undecided(reason: &str) -> Decided {
    Decided {
        outcome: Outcome::Undecided,
        reason: reason.to_owned(),
        evidence: None,
    }
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
