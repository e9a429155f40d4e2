//! Background work: sandboxes that end by themselves, expired leases, old results.
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use roost_protocol::control::{ControlReply, GoneCause};
use roost_protocol::ids::{OperationId, SandboxId};
use roost_protocol::machine::lease::CHECK_MS;
use roost_protocol::sandbox::ContainerState;
use serde_json::json;

use super::event::Event;
use super::images;
use super::ledger::Record;
use super::reconcile;
use super::shared::Shared;
use super::snapshots;
use crate::GoneHow;

/// How often old results are removed.
const TIDY: Duration = Duration::from_secs(3600);
/// How long to wait before watching the engine's events again.
const WATCH_AGAIN: Duration = Duration::from_secs(2);

/// Starts the background tasks. They end with the executor.
pub fn start(shared: &Arc<Shared>) {
    for round in 0..5 {
        let shared = Arc::clone(shared);
        shared.tasks.clone().spawn(async move {
            let stop = shared.stop.clone();
            let work = async {
                match round {
                    0 => leases(&shared).await,
                    1 => tidy(&shared).await,
                    2 => snapshots::work(&shared).await,
                    3 => images::work(&shared).await,
                    _ => watch(&shared).await,
                }
            };
            tokio::select! {
                () = work => {}
                () = stop.cancelled() => {}
            }
        });
    }
}

async fn leases(shared: &Arc<Shared>) {
    let mut ticks = tokio::time::interval(Duration::from_millis(CHECK_MS));
    loop {
        ticks.tick().await;
        let now_ms = shared.now_ms();
        let over: Vec<_> = {
            let in_flight = shared.in_flight();
            let over = in_flight
                .sandboxes
                .iter()
                .filter(|(sandbox, known)| known.lease.is_over(in_flight.busy(**sandbox), now_ms));
            over.map(|(_, known)| known.facts.clone()).collect()
        };
        for facts in over {
            reconcile::end_sandbox(shared, &facts, GoneCause::LeaseOver).await;
        }
        reconcile::drained(shared).await;
    }
}

async fn tidy(shared: &Arc<Shared>) {
    let mut ticks = tokio::time::interval(TIDY);
    loop {
        ticks.tick().await;
        let at_s = shared.clock.now_s();
        let expired = shared.ledger.index().expired(at_s);
        for operation in expired {
            // Wait for it, so that its spool is counted as unknown below.
            let _ = shared
                .ledger
                .written(Record::Forgotten { operation, at_s })
                .await;
        }
        let known: HashSet<OperationId> = {
            let in_flight = shared.in_flight();
            let index = shared.ledger.index();
            let in_ledger = index.entries().map(|(operation, _)| operation);
            in_ledger.chain(in_flight.live.keys().copied()).collect()
        };
        shared.spools.sweep(|operation| known.contains(&operation));
    }
}

/// Watches for sandboxes that end without a request.
async fn watch(shared: &Arc<Shared>) {
    let mut out_of_memory: Option<SandboxId> = None;
    loop {
        if let Ok(driver) = shared.engine.driver().await {
            let events = driver.watch(shared.clock.now_s());
            tokio::pin!(events);
            ended_unwatched(shared).await;
            while let Some(Ok(gone)) = events.next().await {
                match gone.how {
                    GoneHow::OutOfMemory => out_of_memory = Some(gone.sandbox),
                    GoneHow::Exited { .. } | GoneHow::Removed => {
                        let cause = if out_of_memory == Some(gone.sandbox) {
                            GoneCause::OutOfMemory
                        } else {
                            GoneCause::Exited
                        };
                        ended(shared, gone.sandbox, cause).await;
                    }
                }
            }
        }
        tokio::time::sleep(WATCH_AGAIN).await;
    }
}

/// Reports the sandboxes that ended while nobody watched: an engine that was killed sends no event about the containers
/// that ended with it.
async fn ended_unwatched(shared: &Arc<Shared>) {
    let known: Vec<SandboxId> = shared.in_flight().sandboxes.keys().copied().collect();
    if known.is_empty() {
        return;
    }
    let listed = match shared.engine.list().await {
        Ok(listed) => listed,
        Err(error) => {
            tracing::debug!(%error, "the engine cannot list its sandboxes");
            return;
        }
    };
    let states = listed.iter().map(|facts| (facts.sandbox, facts.state));
    for sandbox in without_container(&known, &states.collect()) {
        ended(shared, sandbox, GoneCause::Exited).await;
    }
}

/// The sandboxes of which no container is there, or a stopped one.
fn without_container(
    known: &[SandboxId],
    states: &HashMap<SandboxId, ContainerState>,
) -> Vec<SandboxId> {
    let lost = known
        .iter()
        .filter(|known| matches!(states.get(known), None | Some(ContainerState::Stopped)));
    lost.copied().collect()
}

/// A container ended. This is ignored while we remove it ourselves.
async fn ended(shared: &Arc<Shared>, sandbox: SandboxId, cause: GoneCause) {
    let news = {
        let mut in_flight = shared.in_flight();
        let asked = in_flight.live.values().any(|live| {
            use roost_protocol::operation::Operation::{SbDestroy, SbProvision};
            live.request.operation.sandbox() == Some(sandbox)
                && matches!(live.request.operation, SbDestroy(_) | SbProvision(_))
        });
        !asked && in_flight.sandboxes.remove(&sandbox).is_some()
    };
    if news {
        shared.log.happened(
            "sandbox-ended",
            json!({ "sandbox": sandbox, "cause": cause }),
            shared.clock.now_s(),
        );
        shared
            .send(Event::Reply(ControlReply::SandboxGone { sandbox, cause }))
            .await;
    }
    reconcile::drained(shared).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sandboxes_that_stopped_or_are_missing_have_ended() {
        let id = |number: u128| SandboxId(uuid::Uuid::from_u128(number));
        let states = HashMap::from([
            (id(1), ContainerState::Running),
            (id(2), ContainerState::Stopped),
            (id(3), ContainerState::Unknown),
        ]);
        let known = [id(1), id(2), id(3), id(4)];
        assert_eq!(without_container(&known, &states), [id(2), id(4)]);
    }
}
