//! Admission of an operation: already known, refused, or recorded and begun.
use std::collections::BTreeMap;
use std::sync::Arc;

use roost_protocol::caps::Total;
use roost_protocol::ids::SandboxId;
use roost_protocol::machine::admission::{Commands, Conditions, admit};
use roost_protocol::machine::ledger::{Effect, Kind, Slot};
use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::report::{Ended, OperationError, Report};
use roost_protocol::sandbox::{ContainerState, Limits, SandboxSpec};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::chaos::KillPoint;
use super::shared::{InFlight, Live, Shared};
use super::work;
use crate::DriverError;

/// Inputs of one command that may wait for its guest.
const INPUTS: usize = 1024;

enum Decision {
    /// The operation is known; this is its state.
    Known(Report),
    /// The operation is being recorded; its answer will follow.
    UnderWay,
    Refused(OperationError),
    Taken,
}

/// Accepts an operation. All results arrive as events.
pub fn operation(shared: &Arc<Shared>, request: OperationRequest) {
    if shared.stop.is_cancelled() {
        // Not recorded here: the gateway asks again after the next start.
        return;
    }
    let request = Arc::new(request);
    let decision = decide(shared, &request);
    let shared = Arc::clone(shared);
    let tasks = shared.tasks.clone();
    tasks.spawn(async move {
        match decision {
            Decision::Known(report) => shared.report(request.id, report).await,
            Decision::UnderWay => {}
            Decision::Refused(error) => {
                let ended = Ended::from(error);
                shared.log.ended(&request, &ended, shared.clock.now_s());
                shared.report(request.id, Report::Ended(ended)).await;
            }
            Decision::Taken => begin(shared, request).await,
        }
    });
}

fn decide(shared: &Shared, request: &Arc<OperationRequest>) -> Decision {
    let now_ms = shared.now_ms();
    let mut in_flight = shared.in_flight();
    if let Some(live) = in_flight.live.get(&request.id) {
        return if live.accepted {
            Decision::Known(live.answer())
        } else {
            Decision::UnderWay
        };
    }
    let conditions = {
        let index = shared.ledger.index();
        if let Some(entry) = index.get(request.id) {
            return Decision::Known(
                entry
                    .ended
                    .as_ref()
                    .map_or(Report::Accepted, |(ended, _)| Report::Ended(ended.clone())),
            );
        }
        Conditions {
            commands: Commands::count(under_way(&in_flight), request),
            draining: in_flight.drain.draining(),
            paused: in_flight.paused,
            in_flight: in_flight.live.len(),
            unacknowledged: index.unacknowledged().count(),
        }
    };
    let admitted = admit(request, &conditions).and_then(|kind| {
        if let Operation::SbProvision(provision) = &request.operation {
            allowed(shared, &in_flight, &provision.spec)?;
        }
        Ok(kind)
    });
    match admitted {
        Err(error) => Decision::Refused(error),
        Ok(kind) => {
            let (slot, _) = Slot::record(kind, now_ms);
            insert(&mut in_flight, request, slot, false, shared);
            Decision::Taken
        }
    }
}

/// Adds an operation to the in-flight table.
fn insert(
    in_flight: &mut InFlight,
    request: &Arc<OperationRequest>,
    slot: Slot,
    accepted: bool,
    shared: &Shared,
) {
    let (input, inputs) = mpsc::channel(INPUTS);
    let live = Live {
        slot,
        request: Arc::clone(request),
        accepted,
        began: shared.clock.monotonic(),
        cancel: CancellationToken::new(),
        input,
        inputs: Some(inputs),
        replay: None,
    };
    in_flight.live.insert(request.id, live);
}

/// Adds an operation that an earlier process left unfinished to the in-flight table, and resumes it.
pub fn resume(shared: &Arc<Shared>, request: Arc<OperationRequest>) {
    let Some(kind) = Kind::of(&request.operation) else {
        return;
    };
    let slot = Slot::load(
        kind,
        roost_protocol::machine::ledger::Stage::Started,
        shared.now_ms(),
    );
    insert(&mut shared.in_flight(), &request, slot, true, shared);
    let work = Arc::clone(shared);
    shared
        .tasks
        .spawn(async move { work::resume(&work, &request).await });
}

async fn begin(shared: Arc<Shared>, request: Arc<OperationRequest>) {
    KillPoint::Asked.pass();
    if let Err(error) = shared.ledger.accept((*request).clone()).await {
        let effects = {
            let mut in_flight = shared.in_flight();
            let live = in_flight.live.remove(&request.id);
            live.map_or_else(Vec::new, |mut live| {
                live.slot.write_failed(&error.to_string())
            })
        };
        for effect in effects {
            if let Effect::Report(report) = effect {
                if let Report::Ended(ended) = &report {
                    shared.log.ended(&request, ended, shared.clock.now_s());
                }
                shared.report(request.id, report).await;
            }
        }
        return;
    }
    KillPoint::Accepted.pass();
    let answer = {
        let mut in_flight = shared.in_flight();
        in_flight.live.get_mut(&request.id).map(|live| {
            live.accepted = true;
            live.answer()
        })
    };
    shared.log.began(&request, shared.clock.now_s());
    if let Some(report) = answer {
        shared.report(request.id, report).await;
    }
    if shared.begin(request.id) {
        work::begin(&shared, &request).await;
    }
}

/// Operations in flight.
fn under_way(in_flight: &InFlight) -> impl Iterator<Item = &OperationRequest> {
    in_flight.live.values().map(|live| &*live.request)
}

/// Whether the machine's owner allows one more sandbox, by the facts known here. The driver checks again with the
/// engine's facts when it makes the sandbox.
fn allowed(
    shared: &Shared,
    in_flight: &InFlight,
    spec: &SandboxSpec,
) -> Result<(), OperationError> {
    shared.policy.allow_image(spec)?;
    let Some(allowance) = shared.engine.allowance() else {
        return Ok(());
    };
    allowance
        .caps
        .check(&spec.limits)
        .map_err(DriverError::OverCap)?;
    let taken = Total::of(promised(in_flight, spec.sandbox).values());
    allowance
        .caps
        .room(&taken, &spec.limits)
        .map_err(DriverError::NoRoom)?;
    Ok(())
}

/// Limits promised to other sandboxes: existing ones, and those being made.
fn promised(in_flight: &InFlight, except: SandboxId) -> BTreeMap<SandboxId, Limits> {
    let there = in_flight.sandboxes.iter();
    let there = there.filter(|(_, known)| known.facts.state != ContainerState::Stopped);
    let mut promised: BTreeMap<SandboxId, Limits> = there
        .map(|(sandbox, known)| (*sandbox, known.facts.limits))
        .collect();
    for request in under_way(in_flight) {
        if let Operation::SbProvision(provision) = &request.operation {
            promised.insert(provision.spec.sandbox, provision.spec.limits);
        }
    }
    promised.remove(&except);
    promised
}
