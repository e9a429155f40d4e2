//! The daemon's input: frames are checked, requests admitted, control frames handled.
use std::collections::VecDeque;

use roost_protocol::control::{Control, ControlReply};
use roost_protocol::frame::{Envelope, ToGateway, ToNode};
use roost_protocol::ids::OperationId;
use roost_protocol::limits::MAX_STREAMED_BYTES;
use roost_protocol::machine::admission::{Commands, Conditions, admit};
use roost_protocol::machine::contact::Contact;
use roost_protocol::machine::ledger::{Kind, Slot};
use roost_protocol::machine::output::Sender;
use roost_protocol::machine::session::Verdict;
use roost_protocol::machine::stdin::{StdinTaken, Taker};
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::{OperationReport, Report};
use uuid::Uuid;

use super::{Held, Node};
use crate::mutants::Mutant;
use crate::world::{Dead, Sim};

impl Node {
    pub(super) fn take(&mut self, frame: Envelope<ToNode>, sim: &mut Sim) -> Result<(), Dead> {
        let now_ms = sim.now_ms;
        let index = self.index;
        let daemon = self.daemon.as_mut().expect("it has a session");
        let session = daemon.session.as_mut().expect("it has a session");
        if !session.contact.heard(now_ms) {
            self.disconnect(sim);
            return Ok(());
        }
        let Some(incoming) = &mut session.incoming else {
            match &frame.message {
                ToNode::Welcome(welcome) => match daemon.epochs.welcome(&frame, welcome) {
                    Ok(incoming) => {
                        session.outgoing.welcomed(welcome.epoch);
                        session.contact = Contact::new(welcome.heartbeat_s, now_ms);
                        session.incoming = Some(incoming);
                        daemon.drain.welcomed(welcome.draining);
                        self.report_again(sim);
                    }
                    Err(_) => self.disconnect(sim),
                },
                ToNode::Refused(refused) => {
                    self.revoked |= !refused.reason.retry();
                    self.disconnect(sim);
                }
                _ => self.disconnect(sim),
            }
            return Ok(());
        };
        let own = incoming.epoch();
        match sim.judge(incoming, &frame) {
            Verdict::Take => {}
            Verdict::Duplicate => return Ok(()),
            Verdict::Close(cause) => {
                sim.note(|| format!("node {index} closes: {cause}"));
                self.disconnect(sim);
                return Ok(());
            }
        }
        let newest = daemon.epochs.highest();
        sim.checker
            .handled(index, false, newest, own, (frame.epoch, frame.seq));
        match frame.message {
            ToNode::Operation(request) => self.request(request, sim),
            ToNode::Control(control) => self.control(control, sim),
            ToNode::Welcome(_) | ToNode::Refused(_) | ToNode::Unknown => Ok(()),
        }
    }

    /// Ends between `hello` and `welcome` were reported to nobody.
    pub(super) fn report_again(&mut self, sim: &mut Sim) {
        let slots = self.daemon().slots.iter();
        let ended: Vec<_> = slots
            .filter(|(_, slot)| slot.listed() && !slot.in_flight())
            .map(|(id, slot)| OperationReport {
                operation: *id,
                report: slot.answer(),
            })
            .collect();
        for report in ended {
            self.send(ToGateway::Report(report), sim);
        }
    }

    pub(super) fn request(&mut self, request: OperationRequest, sim: &mut Sim) -> Result<(), Dead> {
        let id = request.id;
        let now_ms = sim.now_ms;
        if let Some(slot) = self.daemon().slots.get(&id) {
            let report = slot.answer();
            self.send(
                ToGateway::Report(OperationReport {
                    operation: id,
                    report,
                }),
                sim,
            );
            if sim.is(Mutant::StartsARepeatedId) {
                self.begin(id, sim)?;
            }
            return Ok(());
        }
        let daemon = self.daemon();
        let draining = daemon.drain.draining();
        let conditions = Conditions {
            draining: draining && !sim.is(Mutant::PlacesWhileDraining),
            paused: false,
            commands: Commands::default(),
            in_flight: daemon
                .slots
                .values()
                .filter(|slot| slot.in_flight())
                .count(),
            unacknowledged: daemon
                .slots
                .values()
                .filter(|slot| slot.listed() && !slot.in_flight())
                .count(),
        };
        match admit(&request, &conditions) {
            Err(error) => {
                let report = Report::Ended(error.into());
                self.send(
                    ToGateway::Report(OperationReport {
                        operation: id,
                        report,
                    }),
                    sim,
                );
                Ok(())
            }
            Ok(kind) => {
                if kind == Kind::Provision {
                    sim.checker.placed(self.index, draining);
                }
                let (slot, mut effects) = Slot::record(kind, now_ms);
                let daemon = self.daemon();
                daemon.slots.insert(id, slot);
                daemon.requests.insert(id, request);
                if kind == Kind::Exec {
                    daemon.senders.insert(id, Sender::new(MAX_STREAMED_BYTES));
                }
                if sim.is(Mutant::StartsBeforeTheSync) {
                    effects.pop();
                    self.begin(id, sim)?;
                }
                self.carry_out(id, effects, sim)
            }
        }
    }

    pub(super) fn control(&mut self, control: Control, sim: &mut Sim) -> Result<(), Dead> {
        let now_ms = sim.now_ms;
        match control {
            Control::Cancel { operation } => {
                let slot = self.daemon().slots.get_mut(&operation);
                let effects = slot.map(|slot| slot.cancel(now_ms)).unwrap_or_default();
                self.carry_out(operation, effects, sim)?;
            }
            Control::Ack { operation } => {
                let slot = self.daemon().slots.get_mut(&operation);
                let effects = slot.map(|slot| slot.ack(now_ms)).unwrap_or_default();
                self.carry_out(operation, effects, sim)?;
            }
            Control::Credit { operation, up_to } => {
                if let Some(sender) = self.daemon().senders.get_mut(&operation) {
                    sender.credit(up_to);
                }
            }
            Control::Replay { operation, from } => {
                let sent_to = self.daemon().sent_to.get(&operation).copied().unwrap_or(0);
                let from = if sim.is(Mutant::IgnoresReplay) {
                    sent_to
                } else {
                    from
                };
                if let Some(sender) = self.daemon().senders.get_mut(&operation) {
                    sender.replay(from);
                }
                // Reports where the output ends, because the gateway may have more of it than this node.
                let slot = self.daemon().slots.get(&operation);
                if let Some(ended) = slot.and_then(Slot::ended) {
                    let report = Report::Ended(ended.clone());
                    let report = OperationReport { operation, report };
                    self.send(ToGateway::Report(report), sim);
                }
            }
            Control::Stdin {
                operation,
                offset,
                data,
                eof,
            } => self.stdin(operation, offset, data.len(), eof, sim),
            Control::Lease { sandboxes, lease_s } => {
                for sandbox in sandboxes {
                    if let Some(lease) = self.daemon().leases.get_mut(&sandbox) {
                        lease.renewed(lease_s, now_ms);
                    }
                    self.touch(sandbox, now_ms);
                }
            }
            Control::Drain { on, turn } => {
                let holding = self.holding(sim);
                let reply = self.daemon().drain.drain(on, turn, holding);
                self.send(ToGateway::Reply(reply), sim);
            }
            Control::Reconcile {
                waiting,
                sandboxes,
                grace_s,
                kept: _,
            } => {
                for operation in waiting {
                    let report = Slot::answer_of(self.daemon().slots.get(&operation));
                    self.send(
                        ToGateway::Report(OperationReport { operation, report }),
                        sim,
                    );
                }
                self.sweep(&sandboxes, grace_s, sim)?;
            }
            Control::Ping { nonce } => {
                self.send(ToGateway::Reply(ControlReply::Pong { nonce }), sim);
            }
            Control::Resize { .. } | Control::Forget { .. } | Control::Unknown => {}
        }
        Ok(())
    }

    pub(super) fn stdin(
        &mut self,
        operation: OperationId,
        offset: u64,
        len: usize,
        eof: bool,
        sim: &mut Sim,
    ) {
        let Some(request) = self.daemon().requests.get(&operation) else {
            return;
        };
        let sandbox = request
            .operation
            .sandbox()
            .unwrap_or_else(|| Uuid::nil().into());
        let taken = self
            .engine
            .process(sandbox, operation)
            .map_or(Taker::default(), |process| process.stdin);
        let twice = sim.is(Mutant::TakesStdinTwice);
        let held = self
            .daemon()
            .stdin
            .entry(operation)
            .or_insert_with(|| Held {
                taker: taken,
                chunks: VecDeque::new(),
            });
        match held.taker.take(offset, len, eof) {
            StdinTaken::Take { skip, eof } => {
                held.chunks
                    .push_back((offset + skip as u64, (len - skip) as u64, eof));
            }
            StdinTaken::Nothing if twice && len > 0 => {
                held.chunks.push_back((offset, len as u64, eof));
            }
            StdinTaken::Nothing | StdinTaken::Ahead => {}
        }
        // An empty chunk queries the accepted offset.
        if len == 0 && !eof {
            let reply = ControlReply::StdinTaken {
                operation,
                offset: taken.taken(),
            };
            self.send(ToGateway::Reply(reply), sim);
        }
    }
}
