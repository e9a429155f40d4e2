//! Reconciliation of both inventories: what the gateway waits for, what exists here, and what nobody wants (promises
//! P5, P7, P8).
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use roost_protocol::control::{ControlReply, GoneCause, Kept};
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
use super::snapshots;

/// Bytes for ends in one inventory. The rest of the frame needs the remaining room.
const ENDS_BUDGET: usize = 256 * 1024;
/// Most sandboxes in one inventory: about a third of a frame.
const MOST_TOLD: usize = 1000;
/// How long the engine may take to list before it counts as silent. `hello` must not wait for an engine that hangs.
const LIST_TIME: Duration = Duration::from_secs(5);

/// Everything that this machine holds. It queries the engine now.
pub async fn inventory(shared: &Shared) -> Inventory {
    let listed = refresh(shared).await;
    let engine_silent = listed.is_none();
    let mut stored = shared.engine.snapshots.all_latest();
    stored.truncate(MOST_TOLD);
    for snapshot in &mut stored {
        // A frame has a size limit; the lines were told with the snapshot.
        snapshot.left_out.clear();
    }
    let in_flight = shared.in_flight();
    let index = shared.ledger.index();
    let under_way = in_flight
        .live
        .iter()
        .filter(|(_, live)| live.accepted)
        .map(|(id, _)| LedgerEntry {
            operation: *id,
            output_end: in_flight.streams.get(id).map_or(0, |stream| stream.end()),
            ended: None,
        });
    // A frame has a size limit: ends beyond the budget follow at once as separate reports.
    let mut budget = ENDS_BUDGET;
    let ended = index.unacknowledged().map(|(id, ended)| {
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
        stored,
    }
}

/// Lists the engine's sandboxes and updates the in-flight table; `None` when the engine does not answer.
async fn refresh(shared: &Shared) -> Option<Vec<SandboxFacts>> {
    let before: BTreeSet<SandboxId> = shared.in_flight().sandboxes.keys().copied().collect();
    let listed = match tokio::time::timeout(LIST_TIME, shared.engine.list()).await {
        Ok(Ok(listed)) => listed,
        Ok(Err(error)) => {
            tracing::debug!(%error, "the engine cannot list its sandboxes");
            return None;
        }
        Err(_) => {
            tracing::warn!("the engine does not answer in time");
            return None;
        }
    };
    let lease_s = SANDBOX_LEASE_S;
    for facts in &listed {
        // The operation that makes it records it when it is whole. A snapshot before that would store a part of the
        // files as the newest state.
        if shared.in_flight().makes(facts.sandbox) {
            continue;
        }
        if shared.seen(facts.clone(), lease_s) {
            // It is of an earlier run of this program, which may have ended before it took a snapshot.
            shared.snapshots.due(facts.sandbox);
        }
    }
    // Only sandboxes that were known before the query can be missing in its answer.
    let present: BTreeSet<SandboxId> = listed.iter().map(|facts| facts.sandbox).collect();
    shared
        .in_flight()
        .sandboxes
        .retain(|sandbox, _| present.contains(sandbox) || !before.contains(sandbox));
    Some(listed)
}

async fn holding(shared: &Shared) -> Holding {
    let listed = refresh(shared).await;
    let in_flight = shared.in_flight();
    let provisions = in_flight
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
    // Refuse new sandboxes from here on, however long the engine takes to answer.
    shared.in_flight().drain.welcomed(on);
    let holding = holding(shared).await;
    let reply = shared.in_flight().drain.drain(on, turn, holding);
    shared.send(Event::Reply(reply)).await;
}

/// Reports when a draining machine became empty.
pub async fn drained(shared: &Shared) {
    if !shared.in_flight().drain.draining() {
        return;
    }
    let holding = holding(shared).await;
    let reply = shared.in_flight().drain.changed(holding);
    if let Some(reply) = reply {
        shared.send(Event::Reply(reply)).await;
    }
}

/// Handles the gateway's reconcile: answers for what it waits for, ends what nobody wants, and reports what exists
/// here.
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
    if let Some(listed) = refresh(shared).await {
        for facts in listed {
            let age_ms = u64::try_from(now_s.saturating_sub(facts.created_at_s))
                .unwrap_or(0)
                .saturating_mul(1000);
            let found = Found {
                listed: wanted.contains(&facts.sandbox),
                ours: true,
                busy: shared.in_flight().busy(facts.sandbox),
                age_ms,
            };
            if is_orphan(found, grace_s) {
                end_sandbox(shared, &facts, GoneCause::Orphan).await;
            }
        }
    }
    let inventory = inventory(shared).await;
    shared.send(Event::Inventory(inventory)).await;
}

/// Removes stored workspaces of agents that have been unknown for long, and records which ones are still needed.
pub async fn keep_archives(shared: &Shared, kept: Kept) {
    let (store, now) = (shared.engine.archives.clone(), shared.clock.monotonic());
    shared.engine.snapshots.keep(&kept, now).await;
    drop(tokio::task::spawn_blocking(move || store.keep(&kept, now)).await);
}

/// Ends a sandbox without a request: stores its workspace and removes its container.
pub async fn end_sandbox(shared: &Shared, facts: &SandboxFacts, cause: GoneCause) {
    let sandbox = facts.sandbox;
    let archive = if facts.state == ContainerState::Running {
        match shared.engine.store(sandbox).await {
            Ok((archive, stored)) => {
                if let Some(snapshot) = stored {
                    snapshots::told(shared, snapshot).await;
                }
                Some(archive)
            }
            Err(error) => {
                // Keeping a sandbox too long is better than losing a workspace. The next round tries again.
                tracing::warn!(%sandbox, %error, "cannot store the workspace; the sandbox is kept for now");
                return;
            }
        }
    } else {
        None
    };
    // Remove it from the table first, so that the engine's event about it is ignored.
    let known = shared.in_flight().sandboxes.remove(&sandbox);
    if let Err(error) = shared.engine.remove(sandbox).await {
        tracing::warn!(%sandbox, %error, "cannot remove the sandbox");
        if let Some(known) = known {
            shared.in_flight().sandboxes.insert(sandbox, known);
        }
        return;
    }
    let facts = json!({ "sandbox": sandbox, "cause": cause, "archive": archive });
    shared
        .log
        .happened("sandbox-ended", facts, shared.clock.now_s());
    shared
        .send(Event::Reply(ControlReply::SandboxGone { sandbox, cause }))
        .await;
}
