//! The daemon's work: the ledger's effects, the engine, and running commands.
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use rand::Rng;
use roost_protocol::control::ControlReply;
use roost_protocol::frame::ToGateway;
use roost_protocol::ids::{OperationId, SandboxId};
use roost_protocol::limits::KEPT_OUTPUT_BYTES;
use roost_protocol::machine::lease::Lease;
use roost_protocol::machine::ledger::{Effect, Evidence, Slot, Stage};
use roost_protocol::machine::stdin::{StdinTaken, Taker};
use roost_protocol::operation::Operation;
use roost_protocol::report::{Ended, ErrorKind, OperationReport, Outcome, Report, Terminal};
use roost_protocol::sandbox::WorkspaceState;

use super::{Held, Node, Record};
use crate::mutants::Mutant;
use crate::sandboxes::{Container, Process};
use crate::world::{Dead, Sim, facts, script};

impl Node {
    pub(super) fn recover(&mut self, sim: &mut Sim) -> Result<(), Dead> {
        let waiting: Vec<_> = self.daemon().recovering.iter().copied().collect();
        for id in waiting {
            let record = &self.ledger[&id];
            let silent = sim.faults && sim.rng.random_bool(0.3);
            let container = record.request.operation.sandbox();
            let container = container.and_then(|sandbox| self.engine.containers.get(&sandbox));
            let evidence = match container {
                _ if silent => Evidence::Silent,
                Some(there) if Some(there.guest) == record.guest => {
                    if there.processes.contains_key(&id) {
                        Evidence::GuestKnows
                    } else {
                        Evidence::GuestDoesNotKnow
                    }
                }
                _ => Evidence::SandboxGone,
            };
            let output_end = self.spools.get(&id).map_or(0, |spool| spool.end);
            let now_ms = sim.now_ms;
            let slot = self.daemon().slots.get_mut(&id).expect("it was loaded");
            let mut effects = slot.recover(evidence, output_end, now_ms);
            if sim.is(Mutant::StartsAgainAfterARestart) && !effects.is_empty() {
                *slot = Slot::record(slot.kind(), now_ms).0;
                effects = vec![Effect::Start];
            }
            if !effects.is_empty() {
                self.daemon().recovering.remove(&id);
            }
            self.carry_out(id, effects, sim)?;
        }
        Ok(())
    }

    pub(super) fn carry_out(
        &mut self,
        id: OperationId,
        effects: Vec<Effect>,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        let mut queue = VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            match effect {
                Effect::Write(stage) => {
                    sim.gap("node: before a ledger write")?;
                    if sim.faults && sim.rng.random_bool(0.02) {
                        sim.note(|| format!("node {}: no space for {id} {stage:?}", self.index));
                        let slot = self
                            .daemon()
                            .slots
                            .get_mut(&id)
                            .expect("it is being written");
                        queue = slot.write_failed("no space left").into();
                        continue;
                    }
                    self.write(id, stage, sim);
                    sim.gap("node: after a ledger write")?;
                }
                Effect::Report(report) => {
                    sim.gap("node: before a report")?;
                    let ended = matches!(report, Report::Ended(_));
                    self.send(
                        ToGateway::Report(OperationReport {
                            operation: id,
                            report,
                        }),
                        sim,
                    );
                    if ended && sim.is(Mutant::ForgetsWithoutAnAck) {
                        self.erase(id);
                    }
                }
                Effect::Start => self.daemon().jobs.push_back(id),
                Effect::Reattach => {
                    self.daemon().attached.insert(id);
                }
                Effect::Stop => {
                    sim.gap("node: before a kill")?;
                    let sandbox = self.daemon().requests[&id].operation.sandbox();
                    if let Some(sandbox) = sandbox {
                        self.engine.kill(sandbox, id);
                    }
                }
                Effect::TrimOutput => {
                    if let Some(spool) = self.spools.get_mut(&id) {
                        // Little output is kept here, so that gaps occur.
                        let kept = KEPT_OUTPUT_BYTES.min(1000);
                        spool.kept_from = spool.kept_from.max(spool.end.saturating_sub(kept));
                        let kept_from = spool.kept_from;
                        sim.checker.gone(id, 0, kept_from);
                        if let Some(sender) = self.daemon().senders.get_mut(&id) {
                            sender.trim(kept_from);
                        }
                    }
                }
                Effect::Erase => self.erase(id),
            }
        }
        Ok(())
    }

    pub(super) fn write(&mut self, id: OperationId, stage: Stage, sim: &mut Sim) {
        sim.note(|| format!("node {}: ledger {id} {stage:?}", self.index));
        let request = self.daemon().requests[&id].clone();
        if let Stage::Ended { ended } = &stage {
            sim.checker.recorded_end(id, ended.state);
        }
        let sandbox = request.operation.sandbox();
        let record = self.ledger.entry(id).or_insert_with(|| Record {
            request,
            stage: Stage::Recorded,
            guest: None,
        });
        if stage == Stage::Recorded {
            let container = sandbox.and_then(|sandbox| self.engine.containers.get(&sandbox));
            record.guest = container.map(|container| container.guest);
        }
        let over = matches!(stage, Stage::Ended { .. });
        record.stage = stage;
        if over {
            // The end is synced, so the guest may drop what it kept. An end counts as use.
            if let Some(sandbox) = sandbox {
                let now_ms = sim.now_ms;
                self.touch(sandbox, now_ms);
                self.engine.forget(sandbox, id);
            }
            self.daemon().attached.remove(&id);
        }
    }

    pub(super) fn erase(&mut self, id: OperationId) {
        self.ledger.remove(&id);
        self.spools.remove(&id);
        let daemon = self.daemon();
        daemon.slots.remove(&id);
        daemon.senders.remove(&id);
        daemon.requests.remove(&id);
    }

    pub(super) fn finish(
        &mut self,
        id: OperationId,
        ended: Ended,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        let now_ms = sim.now_ms;
        let Some(slot) = self.daemon().slots.get_mut(&id) else {
            return Ok(());
        };
        let effects = slot.finish(ended, now_ms);
        self.carry_out(id, effects, sim)
    }

    pub(super) fn work(&mut self, sim: &mut Sim) -> Result<(), Dead> {
        if !sim.rng.random_bool(0.5) {
            return Ok(());
        }
        let Some(id) = self.daemon().jobs.pop_front() else {
            return Ok(());
        };
        let Some(slot) = self.daemon().slots.get_mut(&id) else {
            return Ok(());
        };
        let begins = slot.begin();
        if !begins && !sim.is(Mutant::BeginsWhatWasCancelled) {
            return Ok(());
        }
        self.begin(id, sim)
    }

    pub(super) fn begin(&mut self, id: OperationId, sim: &mut Sim) -> Result<(), Dead> {
        sim.gap("node: between begin and the engine")?;
        let request = self.daemon().requests[&id].clone();
        sim.note(|| {
            format!(
                "node {}: begins {id} {}",
                self.index,
                request.operation.name()
            )
        });
        let outcome = match &request.operation {
            Operation::SbProvision(provision) => {
                let spec = &provision.spec;
                if let Entry::Vacant(place) = self.engine.containers.entry(spec.sandbox) {
                    sim.checker.made(id);
                    let container = Container {
                        guest: sim.id().into(),
                        lease_s: spec.lease_s,
                        made_ms: sim.now_ms,
                        used_ms: sim.now_ms,
                        processes: BTreeMap::new(),
                    };
                    place.insert(container);
                    self.used.insert(spec.sandbox, sim.now_ms);
                    let lease = Lease::new(spec.lease_s, sim.now_ms);
                    self.daemon().leases.insert(spec.sandbox, lease);
                }
                Outcome::Provisioned {
                    sandbox: facts(spec),
                    workspace: WorkspaceState::Empty,
                }
            }
            Operation::SbExec(exec) => {
                let now_ms = sim.now_ms;
                let Some(container) = self.engine.containers.get_mut(&exec.sandbox) else {
                    let ended = Ended::without_result(
                        Terminal::Failed,
                        ErrorKind::NoSandbox,
                        "no such sandbox here",
                    );
                    return self.finish(id, ended, sim);
                };
                sim.checker.started(id);
                let script = script(exec);
                container.used_ms = now_ms;
                container.processes.insert(
                    id,
                    Process {
                        emitted: 0,
                        total: script.output,
                        wants_stdin: exec.stdin,
                        stdin: Taker::default(),
                        code: None,
                        killed: false,
                    },
                );
                self.used.insert(exec.sandbox, now_ms);
                sim.gap("node: between the guest and the attach")?;
                self.daemon().attached.insert(id);
                return Ok(());
            }
            Operation::SbDestroy(destroy) => {
                self.remove(destroy.sandbox);
                Outcome::Destroyed { archive: None }
            }
            _ => Outcome::Listed {
                sandboxes: Vec::new(),
            },
        };
        sim.gap("node: between the engine and the end")?;
        let ended = Ended {
            state: Terminal::Done,
            outcome,
            output_end: 0,
            output_dropped: 0,
            duration_ms: 1,
        };
        self.finish(id, ended, sim)
    }

    pub(super) fn remove(&mut self, sandbox: SandboxId) {
        self.engine.containers.remove(&sandbox);
        self.used.remove(&sandbox);
        self.daemon().leases.remove(&sandbox);
    }

    /// Reads the output of attached commands, sends them stdin, and detects their ends.
    pub(super) fn follow_commands(&mut self, sim: &mut Sim) -> Result<(), Dead> {
        let attached: Vec<_> = self.daemon().attached.iter().copied().collect();
        for id in attached {
            let Some(request) = self.daemon().requests.get(&id).cloned() else {
                self.daemon().attached.remove(&id);
                continue;
            };
            let sandbox = request.operation.sandbox().expect("a command has one");
            let daemon = self.daemon.as_mut().expect("alive");
            let sender = daemon.senders.get_mut(&id).expect("a command has one");
            let Some(process) = self.engine.process(sandbox, id) else {
                if !self.engine.containers.contains_key(&sandbox) {
                    let ended = Ended {
                        output_end: sender.end(),
                        output_dropped: sender.dropped(),
                        ..Ended::without_result(
                            Terminal::Lost,
                            ErrorKind::Interrupted,
                            "the sandbox went away",
                        )
                    };
                    self.finish(id, ended, sim)?;
                }
                continue;
            };
            let new = process
                .emitted
                .saturating_sub(sender.end() + sender.dropped());
            if new > 0 {
                sender.write(new);
                let spool = self.spools.entry(id).or_default();
                spool.end = sender.end();
                spool.dropped = sender.dropped();
            }
            let mut confirmed = None;
            let held = daemon.stdin.entry(id).or_insert_with(|| Held {
                taker: process.stdin,
                chunks: VecDeque::new(),
            });
            let reads = process.code.is_none() && sim.rng.random_bool(0.6);
            if let Some((offset, len, eof)) = reads.then(|| held.chunks.pop_front()).flatten() {
                let len_taken = usize::try_from(len).expect("small");
                match process.stdin.take(offset, len_taken, eof) {
                    StdinTaken::Take { skip, .. } => {
                        let skip = skip as u64;
                        sim.checker.stdin(id, offset + skip, len - skip);
                    }
                    StdinTaken::Nothing if sim.is(Mutant::TakesStdinTwice) => {
                        sim.checker.stdin(id, offset, len);
                    }
                    StdinTaken::Nothing => {}
                    StdinTaken::Ahead => sim
                        .checker
                        .broken(format!("P3: stdin of {id} jumped ahead")),
                }
                confirmed = Some(process.stdin.taken());
            }
            let over = process.code.filter(|_| new == 0);
            let (killed, end, dropped) = (process.killed, sender.end(), sender.dropped());
            if let Some(offset) = confirmed {
                let reply = ControlReply::StdinTaken {
                    operation: id,
                    offset,
                };
                self.send(ToGateway::Reply(reply), sim);
            }
            if let Some(code) = over {
                sim.gap("node: between an exit and its end")?;
                let state = match code {
                    0 => Terminal::Done,
                    _ if killed => Terminal::Cancelled,
                    _ => Terminal::Failed,
                };
                let ended = Ended {
                    state,
                    outcome: Outcome::Exited { code },
                    output_end: end,
                    output_dropped: dropped,
                    duration_ms: 1,
                };
                self.finish(id, ended, sim)?;
            }
        }
        Ok(())
    }
}
