//! Both inventories converge: what the gateway waits for, what exists here, what nobody wants (promises P5, P7, P8).
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use roost_protocol::control::{ControlReply, GoneCause};
use roost_protocol::ids::{OperationId, SandboxId};
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::limits::{MAX_INVENTORY, SANDBOX_LEASE_S};
use roost_protocol::machine::drain::Holding;
use roost_protocol::machine::lease::{Found, is_orphan};
use roost_protocol::operation::Operation;
use roost_protocol::sandbox::{ContainerState, SandboxFacts};
use serde_json::json;

use super::control::state_of;
use super::event::Event;
use super::shared::Shared;

/// Bytes of ends in one inventory; what the rest of a frame can take beside them.
const ENDS_BUDGET: usize = 256 * 1024;
/// Most sandboxes told in one inventory: about a third of a frame.
const MOST_TOLD: usize = 1000;
/// How long the engine may take to list before it counts as silent: `hello` must not wait for one that hangs.
const LIST_TIME: Duration = Duration::from_secs(5);

/// Everything that this machine holds, asked of the engine now.
pub async fn inventory(shared: &Shared) -> Inventory {
    let listed = look(shared).await;
    let engine_silent = listed.is_none();
    let desk = shared.desk();
    let book = shared.ledger.book();
    let under_way = desk
        .live
        .iter()
        .filter(|(_, live)| live.accepted)
        .map(|(id, _)| LedgerEntry {
            operation: *id,
            output_end: desk.streams.get(id).map_or(0, |stream| stream.end()),
            ended: None,
        });
    // A frame has a limit: ends beyond the budget are told as reports of their own right after.
    let mut budget = ENDS_BUDGET;
    let ended = book.unacknowledged().map(|(id, ended)| {
        let size = rmp_serde::to_vec_named(ended).map_or(ENDS_BUDGET, |bytes| bytes.len());
        budget = budget.saturating_sub(size);
        LedgerEntry {
            operation: id,
            output_end: ended.output_end,
            ended: (budget > 0).then(|| ended.clone()),
        }
    });
    Inventory {
        sandboxes: listed
            .unwrap_or_default()
            .into_iter()
            .take(MOST_TOLD)
            .collect(),
        operations: under_way.chain(ended).take(MAX_INVENTORY).collect(),
        engine_silent,
    }
}

/// Asks the engine what exists and brings the desk up to date; `None` when it does not answer.
async fn look(shared: &Shared) -> Option<Vec<SandboxFacts>> {
    let before: BTreeSet<SandboxId> = shared.desk().sandboxes.keys().copied().collect();
    let listed = match tokio::time::timeout(LIST_TIME, shared.engine.list()).await {
        Ok(Ok(listed)) => listed,
        Ok(Err(error)) => {
            tracing::debug!(%error, "the engine does not list");
            return None;
        }
        Err(_) => {
            tracing::warn!("the engine hangs");
            return None;
        }
    };
    let lease_s = SANDBOX_LEASE_S;
    for facts in &listed {
        shared.seen(facts.clone(), lease_s);
    }
    // Only what was known before the question may be missing because of its answer.
    let present: BTreeSet<SandboxId> = listed.iter().map(|facts| facts.sandbox).collect();
    shared
        .desk()
        .sandboxes
        .retain(|sandbox, _| present.contains(sandbox) || !before.contains(sandbox));
    Some(listed)
}

async fn holding(shared: &Shared) -> Holding {
    let listed = look(shared).await;
    let desk = shared.desk();
    let provisions = desk
        .live
        .values()
        .filter(|live| matches!(live.request.operation, Operation::SbProvision(_)))
        .count();
    Holding {
        sandboxes: listed.as_ref().map_or(0, Vec::len),
        provisions,
        engine_silent: listed.is_none(),
    }
}

/// The gateway drains or undrains this machine.
pub async fn drain(shared: &Arc<Shared>, on: bool, turn: u64) {
    // Nothing new from here on, whatever the engine takes to answer.
    shared.desk().drain.welcomed(on);
    let holding = holding(shared).await;
    let reply = shared.desk().drain.drain(on, turn, holding);
    shared.tell(Event::Reply(reply)).await;
}

/// Says so when a draining machine became empty.
pub async fn drained(shared: &Shared) {
    if !shared.desk().drain.draining() {
        return;
    }
    let holding = holding(shared).await;
    let reply = shared.desk().drain.changed(holding);
    if let Some(reply) = reply {
        shared.tell(Event::Reply(reply)).await;
    }
}

/// The gateway's view came: answer what it waits for, end what nobody wants, say what is here.
pub async fn reconcile(
    shared: &Arc<Shared>,
    waiting: Vec<OperationId>,
    wanted: Vec<SandboxId>,
    grace_s: u64,
) {
    for operation in waiting {
        let report = state_of(shared, operation);
        shared.report(operation, report).await;
    }
    let now_s = shared.clock.now_s();
    let wanted: BTreeSet<SandboxId> = wanted.into_iter().collect();
    if let Some(listed) = look(shared).await {
        for facts in listed {
            let age_ms = u64::try_from(now_s.saturating_sub(facts.created_at_s))
                .unwrap_or(0)
                .saturating_mul(1000);
            let found = Found {
                listed: wanted.contains(&facts.sandbox),
                ours: true,
                busy: shared.desk().busy(facts.sandbox),
                age_ms,
            };
            if is_orphan(found, grace_s) {
                end_sandbox(shared, &facts, GoneCause::Orphan).await;
            }
        }
    }
    let inventory = inventory(shared).await;
    shared.tell(Event::Inventory(inventory)).await;
}

/// Ends a sandbox that nobody asked to end: its workspace is stored, its container goes.
pub async fn end_sandbox(shared: &Shared, facts: &SandboxFacts, cause: GoneCause) {
    let sandbox = facts.sandbox;
    let archive = if facts.state == ContainerState::Running {
        match shared.engine.archive(sandbox).await {
            Ok(archive) => Some(archive),
            Err(error) => {
                // Better a sandbox too long than a workspace lost; the next round tries again.
                tracing::warn!(%sandbox, %error, "the workspace could not be stored; the sandbox stays for now");
                return;
            }
        }
    } else {
        None
    };
    // Taken off the desk first, so that the engine's own news of it is no news.
    let known = shared.desk().sandboxes.remove(&sandbox);
    if let Err(error) = shared.engine.remove(sandbox).await {
        tracing::warn!(%sandbox, %error, "the sandbox could not be removed");
        if let Some(known) = known {
            shared.desk().sandboxes.insert(sandbox, known);
        }
        return;
    }
    let facts = json!({ "sandbox": sandbox, "cause": cause, "archive": archive });
    shared
        .log
        .happened("sandbox-ended", facts, shared.clock.now_s());
    shared
        .tell(Event::Reply(ControlReply::SandboxGone { sandbox, cause }))
        .await;
}
