//! Control frames: they act on existing operations and sandboxes.
use std::sync::Arc;

use roost_protocol::control::{Control, ControlReply};
use roost_protocol::ids::OperationId;
use roost_protocol::limits::MAX_CHUNK_BYTES;
use roost_protocol::machine::ledger::Effect;
use roost_protocol::report::Report;

use super::chaos::KillPoint;
use super::event::Event;
use super::ledger::Record;
use super::purge;
use super::reconcile;
use super::shared::Shared;
use super::stream::{self, Stream};
use super::work::exec::Input;

/// Handles a control frame. Slow work runs in its own task.
pub fn control(shared: &Arc<Shared>, control: Control) {
    match control {
        Control::Cancel { operation } => cancel(shared, operation),
        Control::Stdin {
            operation,
            offset,
            data,
            eof,
        } => {
            if data.len() <= MAX_CHUNK_BYTES {
                input(shared, operation, Input::Stdin { offset, data, eof });
            }
        }
        Control::Resize { operation, size } => input(shared, operation, Input::Resize(size)),
        Control::Credit { operation, up_to } => {
            if let Some(stream) = shared.in_flight().streams.get(&operation) {
                stream.credit(up_to);
            }
        }
        Control::Replay { operation, from } => replay(shared, operation, from),
        Control::Ack { operation } => ack(shared, operation),
        Control::Lease { sandboxes, lease_s } => {
            let now_ms = shared.now_ms();
            let mut in_flight = shared.in_flight();
            for sandbox in sandboxes {
                if let Some(known) = in_flight.sandboxes.get_mut(&sandbox) {
                    known.lease.renewed(lease_s, now_ms);
                }
            }
        }
        Control::Drain { on, turn } => {
            let shared = Arc::clone(shared);
            shared
                .tasks
                .clone()
                .spawn(async move { reconcile::drain(&shared, on, turn).await });
        }
        Control::Reconcile {
            waiting,
            sandboxes,
            grace_s,
            kept,
        } => {
            let shared = Arc::clone(shared);
            shared.tasks.clone().spawn(async move {
                if let Some(kept) = kept {
                    reconcile::keep_archives(&shared, kept).await;
                }
                reconcile::reconcile(&shared, waiting, sandboxes, grace_s).await;
            });
        }
        Control::Forget {
            agent,
            archives,
            results,
        } => {
            let shared = Arc::clone(shared);
            shared
                .tasks
                .clone()
                .spawn(async move { purge::purge(&shared, agent, archives, results).await });
        }
        Control::Ping { nonce } => {
            let shared = Arc::clone(shared);
            shared.tasks.clone().spawn(async move {
                shared
                    .send(Event::Reply(ControlReply::Pong { nonce }))
                    .await;
            });
        }
        Control::Unknown => {}
    }
}

fn cancel(shared: &Arc<Shared>, operation: OperationId) {
    let now_ms = shared.now_ms();
    let effects = {
        let mut in_flight = shared.in_flight();
        match in_flight.live.get_mut(&operation) {
            // The operation is over and its end is being written.
            Some(live) if live.slot.ended().is_some() => None,
            Some(live) => {
                let effects = live.slot.cancel(now_ms);
                if effects.contains(&Effect::Stop) {
                    live.cancel.cancel();
                }
                Some(effects)
            }
            None => None,
        }
    };
    let shared = Arc::clone(shared);
    let tasks = shared.tasks.clone();
    tasks.spawn(async move {
        match effects {
            Some(effects) => {
                shared.apply_end(operation, effects, None).await;
            }
            None => {
                let report = state_of(&shared, operation);
                shared.report(operation, report).await;
            }
        }
    });
}

/// The ledger's state of an operation that is not in flight.
pub fn state_of(shared: &Shared, operation: OperationId) -> Report {
    if let Some(live) = shared.in_flight().live.get(&operation) {
        return live.answer();
    }
    match shared.ledger.index().get(operation) {
        Some(entry) => entry
            .ended
            .as_ref()
            .map_or(Report::Accepted, |(ended, _)| Report::Ended(ended.clone())),
        None => Report::NeverSeen,
    }
}

/// Queues bytes for a command. A gateway sends no more than its window, which is far below the size of the queue. Bytes
/// beyond the queue are dropped; the gateway learns the stdin offset when it queries it.
fn input(shared: &Shared, operation: OperationId, input: Input) {
    if let Some(live) = shared.in_flight().live.get(&operation) {
        let _ = live.input.try_send(input);
    }
}

fn replay(shared: &Arc<Shared>, operation: OperationId, from: u64) {
    let mut in_flight = shared.in_flight();
    let Some(session) = in_flight.session.clone() else {
        return;
    };
    if let Some(stream) = in_flight.streams.get(&operation) {
        stream.replay(from);
        return;
    }
    if let Some(live) = in_flight.live.get_mut(&operation) {
        // The work opens its stream in a moment. An operation that is resumed waits for this.
        live.replay = Some(from);
        return;
    }
    let entry = shared.ledger.index().get(operation).cloned();
    let Some(entry) = entry else {
        drop(in_flight);
        // The operation and its output are forgotten. A gateway that waits for the output must learn this.
        let shared = Arc::clone(shared);
        let tasks = shared.tasks.clone();
        tasks.spawn(async move { shared.report(operation, Report::NeverSeen).await });
        return;
    };
    let Some((ended, _)) = entry.ended else {
        return;
    };
    let mut spool = shared.spools.open_ended(operation).unwrap_or_else(|error| {
        tracing::error!(%operation, %error, "cannot open a spool; its content becomes a gap");
        shared.spools.create(operation, None)
    });
    // Output that was removed to make room is a gap, not an early end.
    spool.reaches(ended.output_end);
    let stream = Stream::found_over(operation, spool, ended, entry.acked);
    let stream = Arc::new(stream);
    stream.replay(from);
    in_flight.streams.insert(operation, Arc::clone(&stream));
    stream::pump(shared, stream, session);
}

fn ack(shared: &Shared, operation: OperationId) {
    let at_s = shared.clock.now_s();
    let known = shared
        .ledger
        .index()
        .get(operation)
        .is_some_and(|entry| entry.ended.is_some() && !entry.acked);
    if !known {
        return;
    }
    shared.ledger.append(Record::Acked { operation, at_s });
    KillPoint::AckTaken.pass();
    let stream = shared.in_flight().streams.get(&operation).cloned();
    match stream {
        // Its sender trims it after everything was sent.
        Some(stream) => stream.acked(),
        None => trim(shared, operation),
    }
}

fn trim(shared: &Shared, operation: OperationId) {
    let trimmed = shared
        .spools
        .open_ended(operation)
        .and_then(|mut spool| spool.trim(roost_protocol::limits::KEPT_OUTPUT_BYTES));
    if let Err(error) = trimmed {
        tracing::warn!(%operation, %error, "cannot trim a spool");
    }
}
