//! Control frames: they act on what exists.
use std::sync::Arc;

use roost_protocol::control::{Control, ControlReply};
use roost_protocol::ids::OperationId;
use roost_protocol::limits::MAX_CHUNK_BYTES;
use roost_protocol::machine::ledger::Effect;
use roost_protocol::report::Report;

use super::chaos::KillPoint;
use super::event::Event;
use super::ledger::Record;
use super::reconcile;
use super::shared::Shared;
use super::stream::{self, Stream};
use super::work::exec::Input;

/// Takes a control frame. Everything slow happens in a task of its own.
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
            if let Some(stream) = shared.desk().streams.get(&operation) {
                stream.credit(up_to);
            }
        }
        Control::Replay { operation, from } => replay(shared, operation, from),
        Control::Ack { operation } => ack(shared, operation),
        Control::Lease { sandboxes, lease_s } => {
            let now_ms = shared.now_ms();
            let mut desk = shared.desk();
            for sandbox in sandboxes {
                if let Some(known) = desk.sandboxes.get_mut(&sandbox) {
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
        } => {
            let shared = Arc::clone(shared);
            shared.tasks.clone().spawn(async move {
                reconcile::reconcile(&shared, waiting, sandboxes, grace_s).await;
            });
        }
        Control::Ping { nonce } => {
            let shared = Arc::clone(shared);
            shared.tasks.clone().spawn(async move {
                shared
                    .tell(Event::Reply(ControlReply::Pong { nonce }))
                    .await;
            });
        }
        Control::Unknown => {}
    }
}

fn cancel(shared: &Arc<Shared>, operation: OperationId) {
    let now_ms = shared.now_ms();
    let effects = {
        let mut desk = shared.desk();
        match desk.live.get_mut(&operation) {
            // It is over and its end is being written.
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
                shared.carry_out_end(operation, effects, None).await;
            }
            None => {
                let report = state_of(&shared, operation);
                shared.report(operation, report).await;
            }
        }
    });
}

/// What the ledger says of an operation that is not under way.
pub fn state_of(shared: &Shared, operation: OperationId) -> Report {
    if let Some(live) = shared.desk().live.get(&operation) {
        return live.answer();
    }
    match shared.ledger.book().get(operation) {
        Some(entry) => entry
            .ended
            .as_ref()
            .map_or(Report::Accepted, |(ended, _)| Report::Ended(ended.clone())),
        None => Report::NeverSeen,
    }
}

/// Bytes for a command. A gateway never has more on the way than its window, which is far below what fits in the queue;
/// what a wrong one sends beyond that is dropped, and its stdin stands still.
fn input(shared: &Shared, operation: OperationId, input: Input) {
    if let Some(live) = shared.desk().live.get(&operation) {
        let _ = live.input.try_send(input);
    }
}

fn replay(shared: &Arc<Shared>, operation: OperationId, from: u64) {
    let mut desk = shared.desk();
    let Some(session) = desk.session.clone() else {
        return;
    };
    if let Some(stream) = desk.streams.get(&operation) {
        stream.replay(from);
        return;
    }
    let ended = shared
        .ledger
        .book()
        .get(operation)
        .is_some_and(|entry| entry.ended.is_some());
    if !ended {
        // Under way without output so far: its stream comes with its start.
        return;
    }
    match shared.spools.open_spool(operation) {
        Ok(spool) => {
            let stream = Arc::new(Stream::found(operation, spool, true));
            stream.replay(from);
            desk.streams.insert(operation, Arc::clone(&stream));
            stream::pump(shared, stream, session);
        }
        Err(error) => tracing::error!(%operation, %error, "a spool cannot be opened"),
    }
}

fn ack(shared: &Shared, operation: OperationId) {
    let at_s = shared.clock.now_s();
    let known = shared
        .ledger
        .book()
        .get(operation)
        .is_some_and(|entry| entry.ended.is_some() && !entry.acked);
    if !known {
        return;
    }
    shared.ledger.note(Record::Acked { operation, at_s });
    KillPoint::AckTaken.pass();
    let stream = shared.desk().streams.get(&operation).cloned();
    match stream {
        // Trimmed by its sender once everything was sent.
        Some(stream) => stream.acked(),
        None => trim(shared, operation),
    }
}

fn trim(shared: &Shared, operation: OperationId) {
    let trimmed = shared
        .spools
        .open_spool(operation)
        .and_then(|mut spool| spool.trim(roost_protocol::limits::KEPT_OUTPUT_BYTES));
    if let Err(error) = trimmed {
        tracing::warn!(%operation, %error, "a spool could not be trimmed");
    }
}
