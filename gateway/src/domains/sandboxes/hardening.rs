//! What the escape probe says from inside a sandbox that was just made: kept on its row for the page.

use std::time::Duration;

use roost_protocol::ids as wire;
use roost_protocol::operation::{Exec, OnBehalf, Operation, OperationRequest};
use roost_protocol::output::StreamName;
use roost_protocol::sandbox::Limits;
use roost_protocol::verify::ProbedFact;

use super::dto::FactDto;
use super::entity::container;
use super::{SandboxError, SandboxesHandle, settle, store};
use crate::domains::auth::WorkspaceScope;
use crate::events::{self, Event, ResourceKind};
use crate::ids::{OperationId, fresh};
use crate::operations::{Heard, Part};

/// Where every agent image holds the probe; `--quick` leaves out what eats memory, disk or processes. Limits follow.
const PROBE: [&str; 2] = ["/usr/local/lib/roost/escape-probe", "--quick"];
/// The group of facts that the quick run leaves out.
const LEFT_OUT: &str = "bomb.";
/// How long it may take.
const WITHIN: Duration = Duration::from_secs(30);
/// Most facts that are kept.
const MOST_FACTS: usize = 256;
/// Most bytes of its answer that are read.
const MOST_BYTES: usize = 256 * 1024;

/// Runs the probe and keeps its answer. A probe that cannot run leaves no facts: the page says so.
pub(super) async fn read(sandboxes: &SandboxesHandle, row: &container::Model) {
    match probe(sandboxes, row).await {
        Ok(facts) => {
            if let Err(error) = keep(sandboxes, row, facts).await {
                tracing::warn!(sandbox = %row.id, %error, "the hardening report was not kept");
            }
        }
        Err(why) => tracing::warn!(sandbox = %row.id, why, "the escape probe gave no report"),
    }
}

async fn probe(
    sandboxes: &SandboxesHandle,
    row: &container::Model,
) -> Result<Vec<ProbedFact>, String> {
    let id: OperationId = fresh(&sandboxes.ids);
    let request = OperationRequest {
        id: wire::OperationId(id.0),
        on_behalf: Some(OnBehalf {
            workspace: wire::WorkspaceId(row.workspace_id.0),
            agent: wire::AgentId(row.agent_id.0),
        }),
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
    sandboxes
        .operations
        .submit(settle::target_of(row), request)
        .await
        .map_err(|error| error.to_string())?;
    let mut output = sandboxes
        .operations
        .subscribe(id, 0)
        .await
        .map_err(|error| error.to_string())?;
    let mut answer = Vec::new();
    while let Some(heard) = output.next().await {
        match heard {
            Heard::Part(Part::Data {
                stream: StreamName::Stdout,
                data,
                ..
            }) => {
                answer.extend_from_slice(&data);
                if answer.len() > MOST_BYTES {
                    return Err("its answer is too long".to_owned());
                }
            }
            Heard::Part(_) => {}
            Heard::Ended(_) => break,
        }
    }
    let facts: Vec<ProbedFact> = serde_json::from_slice(&answer)
        .map_err(|error| format!("its answer is not a list of facts: {error}"))?;
    Ok(judged(facts, limits_of(row)))
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

/// Judges by the golden list, never by what the probe says is right. A golden fact that was not probed because the quick
/// run leaves it out is no finding; one that the probe kept silent about in its own groups is. The list was made with
/// the limits of a probe sandbox; this one has its own.
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
    facts: Vec<ProbedFact>,
) -> Result<(), SandboxError> {
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let facts: Vec<FactDto> = facts
        .into_iter()
        .take(MOST_FACTS)
        .map(FactDto::from)
        .collect();
    let mut tx = sandboxes.db.write().await?;
    let Some(present) = store::get(&*tx, scope, row.id).await? else {
        return Ok(());
    };
    let from = present.version;
    let changed = container::Model {
        hardening: Some(serde_json::json!(facts)),
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
