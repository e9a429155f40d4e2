//! Reads the escape probe's facts from inside a new sandbox and stores them on its row for the page.
//!
//! A probe without facts has one of three causes. An image without a probe is a fact about the image. A sandbox that
//! ended meanwhile needs no record. Only a probe that failed is a warning.

use std::time::Duration;

use roost_protocol::ids as wire;
use roost_protocol::operation::{Exec, Operation, OperationRequest, Purpose};
use roost_protocol::output::StreamName;
use roost_protocol::report::{Ended, ErrorKind, Outcome, Terminal};
use roost_protocol::sandbox::Limits;
use roost_protocol::text;
use roost_protocol::verify::ProbedFact;

use super::dto::FactDto;
use super::engine::{on_behalf, target_of};
use super::entity::container;
use super::model::State;
use super::{SandboxError, SandboxesHandle, store};
use crate::fleet::operations::{OutputItem, Part};
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::{OperationId, fresh};
use roost_tenancy::auth::WorkspaceScope;

/// The path of the probe in every agent image. `--quick` leaves out the checks that use up memory, disk or processes. The
/// limits follow as arguments.
const PROBE: [&str; 2] = ["/usr/local/lib/roost/escape-probe", "--quick"];
/// The group of facts that the quick run leaves out.
const LEFT_OUT: &str = "bomb.";
/// How long the probe may take.
const WITHIN: Duration = Duration::from_secs(30);
/// The most facts that are stored.
const MOST_FACTS: usize = 256;
/// The most bytes of its stdout that are read.
const MOST_BYTES: usize = 256 * 1024;
/// The most bytes of its stderr that are read.
const MOST_COMPLAINT: usize = 1024;

/// The result of a probe run.
#[derive(Debug, PartialEq)]
enum Report {
    Facts(Vec<ProbedFact>),
    /// The image has no probe that can run.
    NoProbe(&'static str),
    /// The sandbox ended before the probe did.
    Gone,
    /// The probe ran and failed.
    Failed(String),
}

/// Runs the probe and stores its result.
pub(super) async fn read(sandboxes: &SandboxesHandle, row: &container::Model) {
    let report = match probe(sandboxes, row).await {
        Ok(report) => report,
        Err(error) => Report::Failed(error.to_string()),
    };
    if let Err(error) = keep(sandboxes, row, report).await {
        tracing::warn!(sandbox = %row.id, %error, "the hardening report was not kept");
    }
}

async fn probe(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
) -> Result<Report, SandboxError> {
    let id: OperationId = fresh(&sandboxes.ids);
    let request = OperationRequest {
        purpose: Some(Purpose::new("probe", None)),
        id: wire::OperationId(id.0),
        on_behalf: Some(on_behalf(row)),
        operation: Operation::SbExec(Exec {
            sandbox: wire::SandboxId(row.id.0),
            argv: argv(row),
            cwd: None,
            env: std::collections::BTreeMap::new(),
            stdin: false,
            tty: None,
            deadline_s: WITHIN.as_secs(),
        }),
    };
    let operations = &sandboxes.operations;
    operations.submit(target_of(row), request).await?;
    let mut output = operations.subscribe(id, 0).await?;
    let (mut answer, mut complaint) = (Vec::new(), Vec::new());
    while let Some(heard) = output.next().await {
        match heard {
            OutputItem::Part(Part::Data { stream, data, .. }) => {
                let (into, most) = match stream {
                    StreamName::Stdout => (&mut answer, MOST_BYTES),
                    StreamName::Stderr => (&mut complaint, MOST_COMPLAINT),
                };
                let room = most.saturating_sub(into.len());
                into.extend_from_slice(&data[..data.len().min(room)]);
            }
            OutputItem::Part(Part::Gap { .. }) => {}
            OutputItem::Ended(ended) => {
                let report = report(&ended, &answer, &complaint);
                return Ok(match report {
                    Report::Facts(facts) => Report::Facts(judged(facts, limits_of(row))),
                    other => other,
                });
            }
        }
    }
    Ok(Report::Gone)
}

/// The meaning of a probe's end and output. Pure.
fn report(ended: &Ended, answer: &[u8], complaint: &[u8]) -> Report {
    let said = || text::clean(&String::from_utf8_lossy(complaint), 200);
    match (&ended.outcome, ended.state) {
        (Outcome::Exited { code: 0 }, Terminal::Done) => match serde_json::from_slice(answer) {
            Ok(facts) => Report::Facts(facts),
            Err(error) => Report::Failed(format!("its answer is not a list of facts: {error}")),
        },
        (Outcome::Exited { .. }, _) if complaint.starts_with(b"usage:") => Report::NoProbe(
            "the image holds an escape probe of another version, so its hardening was not read from inside; build the image again",
        ),
        (Outcome::Exited { code }, _) => {
            Report::Failed(format!("it ended with {code}: {}", said()))
        }
        (Outcome::Error { error }, _) => match error.kind {
            ErrorKind::NotStarted => Report::NoProbe(
                "the image holds no escape probe, so its hardening was not read from inside",
            ),
            ErrorKind::NoSandbox
            | ErrorKind::GuestSilent
            | ErrorKind::Interrupted
            | ErrorKind::Cancelled => Report::Gone,
            _ => Report::Failed(error.detail.clone()),
        },
        _ => Report::Gone,
    }
}

fn limits_of(row: &container::Model) -> Limits {
    serde_json::from_value(row.limits.clone()).unwrap_or_default()
}

fn argv(row: &container::Model) -> Vec<String> {
    let limits = limits_of(row);
    let numbers = [
        limits.memory_bytes,
        limits.workspace_bytes,
        u64::from(limits.pids),
    ];
    let words = PROBE.map(str::to_owned).into_iter();
    words
        .chain(numbers.map(|number| number.to_string()))
        .collect()
}

/// Judges the facts by the golden list, never by the probe's own expectation. The quick run leaves out one group, and a
/// missing fact of that group is not a finding. A missing fact of another group is one. The golden list has the limits of
/// a probe sandbox, so this replaces them with the sandbox's own.
fn judged(probed: Vec<ProbedFact>, limits: Limits) -> Vec<ProbedFact> {
    let own = [
        ("limit.memory", limits.memory_bytes),
        ("limit.pids", u64::from(limits.pids)),
        ("workspace.size", limits.workspace_bytes),
    ];
    let mut judged = roost_sandbox_driver::verify::judge(probed);
    judged.retain(|fact| !fact.fact.starts_with(LEFT_OUT));
    for fact in &mut judged {
        if let Some((_, limit)) = own.iter().find(|(name, _)| *name == fact.fact) {
            fact.expected = limit.to_string();
            fact.ok = fact.actual == fact.expected;
        }
    }
    judged
}

async fn keep(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
    report: Report,
) -> Result<(), SandboxError> {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let mut tx = sandboxes.db.write().await?;
    store::lock(&tx, scope, row.owner_id).await?;
    let present = store::get(&*tx, scope, row.id).await?;
    let Some(present) = present.filter(|row| row.state == State::Running.as_str()) else {
        // The sandbox ended while it was probed: the result does not matter any more.
        return Ok(());
    };
    let kept = match report {
        Report::Facts(facts) => {
            let facts = facts.into_iter().take(MOST_FACTS).map(FactDto::from);
            serde_json::json!(facts.collect::<Vec<_>>())
        }
        Report::NoProbe(why) => {
            if sandboxes.is_new_image(&row.image) {
                tracing::info!(image = row.image, "{why}");
            }
            without_facts(why)
        }
        Report::Failed(why) => {
            tracing::warn!(sandbox = %row.id, why, "the escape probe failed");
            without_facts(&format!("the escape probe failed: {why}"))
        }
        Report::Gone => return Ok(()),
    };
    let from = present.version;
    let changed = container::Model {
        hardening: Some(kept),
        version: from + 1,
        ..present
    };
    if store::replace(&*tx, &changed, from).await? {
        let fact = Event::changed(ResourceKind::Sandbox, changed.id, changed.version);
        events::append(&mut tx, scope.workspace(), sandboxes.clock.now(), [fact]).await?;
        tx.commit().await?;
    }
    Ok(())
}

fn without_facts(why: &str) -> serde_json::Value {
    serde_json::json!({ "missing": why })
}

/// The facts on a row, or the reason why there are none; both are empty until the probe ran.
pub(super) fn on_row(stored: Option<serde_json::Value>) -> (Vec<FactDto>, Option<String>) {
    let Some(stored) = stored else {
        return (Vec::new(), None);
    };
    let why = stored.get("missing").and_then(|why| why.as_str());
    let why = why.map(str::to_owned);
    (serde_json::from_value(stored).unwrap_or_default(), why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(outcome: Outcome) -> Ended {
        let state = match outcome {
            Outcome::Exited { .. } => Terminal::Done,
            _ => Terminal::Failed,
        };
        Ended {
            outcome,
            ..Ended::without_result(state, ErrorKind::Internal, "")
        }
    }

    fn error(kind: ErrorKind) -> Ended {
        Ended::without_result(Terminal::Failed, kind, "why")
    }

    #[test]
    fn an_image_without_a_probe_and_a_sandbox_that_ended_are_no_failures_of_the_probe() {
        let exited = |code| ended(Outcome::Exited { code });
        assert_eq!(report(&exited(0), b"[]", b""), Report::Facts(Vec::new()));
        for gone in [error(ErrorKind::NoSandbox), error(ErrorKind::Interrupted)] {
            assert_eq!(report(&gone, b"", b""), Report::Gone, "{gone:?}");
        }
        let usage = b"usage: escape-probe <memory bytes> <workspace bytes> <pids>";
        for (end, complaint) in [(error(ErrorKind::NotStarted), &b""[..]), (exited(1), usage)] {
            let report = report(&end, b"", complaint);
            assert!(matches!(report, Report::NoProbe(_)), "{report:?}");
        }
        for (end, answer) in [
            (exited(0), &b"nonsense"[..]),
            (exited(0), b""),
            (exited(3), b"[]"),
            (exited(137), b""),
            (error(ErrorKind::Deadline), b""),
        ] {
            let report = report(&end, answer, b"");
            assert!(matches!(report, Report::Failed(_)), "{report:?}");
        }
    }

    #[test]
    fn a_row_tells_facts_from_the_reason_why_there_are_none() {
        assert_eq!(on_row(None).1, None);
        let (facts, why) = on_row(Some(without_facts("no probe")));
        assert!(facts.is_empty());
        assert_eq!(why.as_deref(), Some("no probe"));
        let fact = serde_json::json!([{ "fact": "f", "title": "", "expected": "1", "actual": "1", "ok": true }]);
        let (facts, why) = on_row(Some(fact));
        assert_eq!((facts.len(), why), (1, None));
    }
}
