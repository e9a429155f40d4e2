//! Taking an operation: known already, refused, or written down and begun.
use std::sync::Arc;

use roost_protocol::machine::admission::{Conditions, admit};
use roost_protocol::machine::ledger::{Effect, Kind, Slot};
use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::report::{Ended, OperationError, Report};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::chaos::KillPoint;
use super::policy::InUse;
use super::shared::{Desk, Live, Shared};
use super::work;

/// Inputs of one command that may wait for its guest.
const INPUTS: usize = 1024;

enum Decision {
    /// It is known: this is its state.
    Known(Report),
    /// It is being written down just now: its answer is on the way.
    UnderWay,
    Refused(OperationError),
    Taken,
}

/// Takes an operation; everything that it causes comes as events.
pub fn operation(shared: &Arc<Shared>, request: OperationRequest) {
    if shared.stop.is_cancelled() {
        // Not known here: the gateway asks the next life again.
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
    let mut desk = shared.desk();
    if let Some(live) = desk.live.get(&request.id) {
        return if live.accepted {
            Decision::Known(live.answer())
        } else {
            Decision::UnderWay
        };
    }
    let conditions = {
        let book = shared.ledger.book();
        if let Some(entry) = book.get(request.id) {
            return Decision::Known(
                entry
                    .ended
                    .as_ref()
                    .map_or(Report::Accepted, |(ended, _)| Report::Ended(ended.clone())),
            );
        }
        Conditions {
            draining: desk.drain.draining(),
            paused: desk.paused,
            in_flight: desk.live.len(),
            unacknowledged: book.unacknowledged().count(),
        }
    };
    let admitted = admit(request, &conditions).and_then(|kind| {
        if let Operation::SbProvision(provision) = &request.operation {
            shared
                .policy
                .admit(&provision.spec, in_use(&desk, request))?;
        }
        Ok(kind)
    });
    match admitted {
        Err(error) => Decision::Refused(error),
        Ok(kind) => {
            let (slot, _) = Slot::record(kind, now_ms);
            insert(&mut desk, request, slot, false, shared);
            Decision::Taken
        }
    }
}

/// Puts an operation on the desk.
fn insert(
    desk: &mut Desk,
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
    };
    desk.live.insert(request.id, live);
}

/// Puts an operation that an earlier life left unfinished back on the desk, and takes it up.
pub fn resume(shared: &Arc<Shared>, request: Arc<OperationRequest>) {
    let Some(kind) = Kind::of(&request.operation) else {
        return;
    };
    let slot = Slot::load(
        kind,
        roost_protocol::machine::ledger::Stage::Started,
        shared.now_ms(),
    );
    insert(&mut shared.desk(), &request, slot, true, shared);
    let work = Arc::clone(shared);
    shared
        .tasks
        .spawn(async move { work::resume(&work, &request).await });
}

async fn begin(shared: Arc<Shared>, request: Arc<OperationRequest>) {
    KillPoint::Asked.pass();
    if let Err(error) = shared.ledger.accept((*request).clone()).await {
        let effects = {
            let mut desk = shared.desk();
            let live = desk.live.remove(&request.id);
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
        let mut desk = shared.desk();
        desk.live.get_mut(&request.id).map(|live| {
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

/// What is promised already: every known sandbox and every provision under way.
fn in_use(desk: &Desk, request: &OperationRequest) -> InUse {
    let mut used = InUse::default();
    let mut add = |limits: &roost_protocol::sandbox::Limits| {
        used.sandboxes += 1;
        used.memory_bytes = used.memory_bytes.saturating_add(limits.memory_bytes);
        used.nano_cpus = used.nano_cpus.saturating_add(limits.nano_cpus);
    };
    for (sandbox, known) in &desk.sandboxes {
        if Some(*sandbox) != request.operation.sandbox() {
            add(&known.facts.limits);
        }
    }
    for live in desk.live.values() {
        if let Operation::SbProvision(provision) = &live.request.operation
            && !desk.sandboxes.contains_key(&provision.spec.sandbox)
        {
            add(&provision.spec.limits);
        }
    }
    used
}
