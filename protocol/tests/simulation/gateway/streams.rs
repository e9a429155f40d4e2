//! Output to readers and stdin from people. Both resume after a reconnect.
use rand::Rng;
use rand::seq::IndexedRandom;
use roost_protocol::control::Control;
use roost_protocol::ids::OperationId;
use roost_protocol::machine::operation::{Input, Stage};
use roost_protocol::machine::output::{Grant, Taken};
use roost_protocol::machine::stdin::Source;
use roost_protocol::operation::Operation;
use roost_protocol::output::{OutputChunk, Piece};

use super::{Gateway, Item};
use crate::mutants::Mutant;
use crate::world::{Dead, Sim, script};

impl Gateway {
    /// Resumes output and stdin after a reconnect.
    pub(super) fn resume(&mut self, node: usize, id: OperationId, sim: &mut Sim) {
        let running = self.life().running.get_mut(&id).expect("it runs");
        let ended = running.caller.is_ended();
        let forgets = ended && sim.is(Mutant::LeavesTheOutputOfAnEnd);
        let receiver = running.receiver.as_mut().filter(|_| !forgets);
        let replay = receiver.and_then(|receiver| {
            receiver.want();
            receiver.due()
        });
        sim.note(|| format!("output of {id} resumes: {replay:?}"));
        let stdin = running.stdin.as_mut().map(Source::resume).is_some();
        let exec = running.receiver.is_some();
        if let Some(Grant::Replay { from }) = replay {
            self.control(
                node,
                Control::Replay {
                    operation: id,
                    from,
                },
                sim,
            );
        }
        if exec && !stdin && !ended {
            // A new process does not know the accepted offset; an empty chunk queries it.
            let control = Control::Stdin {
                operation: id,
                offset: 0,
                data: Vec::new(),
                eof: false,
            };
            self.control(node, control, sim);
        }
    }

    /// The node reports how much output it has of an ended operation.
    pub(super) fn held(&mut self, id: OperationId, output_end: u64) {
        if let Some(running) = self.life().running.get_mut(&id)
            && let Some(receiver) = &mut running.receiver
        {
            receiver.held_to(output_end);
            if let Some(Taken::Gap { from, to }) = receiver.give_up_rest() {
                running.waiting.push_back(Item::Gap(from, to));
            }
        }
    }

    pub(super) fn output(
        &mut self,
        node: usize,
        chunk: OutputChunk,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        let id = chunk.operation;
        let Some(running) = self.life().running.get_mut(&id) else {
            return Ok(());
        };
        let Some(receiver) = &mut running.receiver else {
            return Ok(());
        };
        sim.note(|| {
            format!(
                "output of {id}: {}..{}",
                chunk.piece.start(),
                chunk.piece.end()
            )
        });
        let twice = sim.is(Mutant::TakesOutputTwice);
        let strays = sim.is(Mutant::TakesStrays);
        let mut grant = None;
        match receiver.take(&chunk.piece) {
            Err(fault) => sim
                .checker
                .broken(format!("P3: an honest node broke the rules: {fault}")),
            Ok(Taken::Hole) => sim
                .checker
                .broken("P3: an honest node skipped output".to_owned()),
            Ok(Taken::Duplicate) if !twice => {}
            Ok(Taken::Stray) if !strays => {}
            Ok(Taken::Data { skip, len }) if !twice => {
                if let Piece::Data { offset, data, .. } = chunk.piece {
                    let from = usize::try_from(skip).expect("small");
                    let to = usize::try_from(skip + len).expect("small");
                    running
                        .waiting
                        .push_back(Item::Bytes(offset + skip, data[from..to].to_vec()));
                }
            }
            Ok(Taken::Gap { from, to }) => running.waiting.push_back(Item::Gap(from, to)),
            Ok(Taken::Duplicate | Taken::Stray | Taken::Data { .. }) => {
                if let Piece::Data { offset, data, .. } = chunk.piece {
                    running.waiting.push_back(Item::Bytes(offset, data));
                }
            }
        }
        if let Some(Taken::Gap { from, to }) = receiver.give_up_rest() {
            running.waiting.push_back(Item::Gap(from, to));
        }
        if sim.is(Mutant::GrantsWithoutRoom) {
            receiver.consume(receiver.next());
            grant = receiver.due();
        }
        self.grant(node, id, grant, sim);
        Ok(())
    }

    pub(super) fn grant(
        &mut self,
        node: usize,
        operation: OperationId,
        grant: Option<Grant>,
        sim: &mut Sim,
    ) {
        match grant {
            Some(Grant::Credit { up_to }) => {
                self.control(node, Control::Credit { operation, up_to }, sim);
            }
            Some(Grant::Replay { from }) => {
                self.control(node, Control::Replay { operation, from }, sim);
            }
            None => {}
        }
    }

    /// A new reader comes that has read less, or nothing.
    pub fn read_again(&mut self, sim: &mut Sim) {
        self.alive(sim, |gateway, sim| {
            let read: Vec<_> = gateway
                .store
                .operations
                .iter()
                .filter(|(_, row)| row.stored_to > 0)
                .map(|(id, row)| (*id, row.node, row.stored_to))
                .collect();
            let Some((id, node, stored_to)) = read.choose(&mut sim.rng).copied() else {
                return Ok(());
            };
            let connected = gateway.life().sessions.contains_key(&node);
            let running = gateway.life().running.get_mut(&id).expect("it runs");
            let Some(receiver) = running.receiver.as_mut().filter(|_| connected) else {
                return Ok(());
            };
            let from = sim.rng.random_range(0..stored_to);
            running.waiting.clear();
            receiver.rewind(from);
            let replay = receiver.due();
            sim.note(|| format!("output of {id} is read again from {from}: {replay:?}"));
            sim.checker.reader_restarts(id, from);
            gateway.grant(node, id, replay, sim);
            Ok(())
        });
    }

    /// Readers consume waiting output, some slowly.
    pub(super) fn readers(&mut self, sim: &mut Sim) -> Result<(), Dead> {
        let ids: Vec<_> = self.life().running.keys().copied().collect();
        for id in ids {
            let node = self.store.operations[&id].node;
            let mut most = if sim.faults && sim.rng.random_bool(0.6) {
                0
            } else {
                4
            };
            while most > 0 {
                most -= 1;
                let running = self.life().running.get_mut(&id).expect("it runs");
                let Some(item) = running.waiting.pop_front() else {
                    break;
                };
                let end = match item {
                    Item::Bytes(offset, data) => {
                        sim.checker.read(id, offset, &data);
                        offset + data.len() as u64
                    }
                    Item::Gap(from, to) => {
                        sim.checker.gap(id, from, to);
                        to
                    }
                };
                let row = self.store.operations.get_mut(&id).expect("it has a row");
                row.stored_to = row.stored_to.max(end);
                let stored_to = row.stored_to;
                sim.gap("gateway: between stored output and its credit")?;
                let running = self.life().running.get_mut(&id).expect("it runs");
                let receiver = running.receiver.as_mut().expect("it has output");
                receiver.consume(end);
                let grant = receiver.due();
                self.grant(node, id, grant, sim);
                self.input(id, Input::OutputStored { up_to: stored_to }, sim)?;
            }
        }
        Ok(())
    }

    /// People send stdin to their commands.
    pub(super) fn clients_type(&mut self, sim: &mut Sim) {
        let ids: Vec<_> = self.life().running.keys().copied().collect();
        for id in ids {
            let row = &self.store.operations[&id];
            let Operation::SbExec(exec) = &row.request.operation else {
                continue;
            };
            let (node, wants, total) = (row.node, exec.stdin, script(exec).stdin);
            let running = self
                .life
                .as_mut()
                .expect("alive")
                .running
                .get_mut(&id)
                .expect("it runs");
            let ended = running.caller.is_ended();
            let sent = running.caller.stage() != Stage::Requested;
            let Some(source) = running.stdin.as_mut().filter(|_| wants && !ended && sent) else {
                continue;
            };
            if sim.rng.random_bool(0.4) {
                let len = sim.rng.random_range(0..=(total - source.end()).min(50));
                source.push(len, source.end() + len == total);
            }
            let next = source.next();
            if let Some(chunk) = next.filter(|_| self.life().sessions.contains_key(&node)) {
                let running = self.life().running.get_mut(&id).expect("it runs");
                running.stdin.as_mut().expect("it has stdin").sent(chunk);
                let control = Control::Stdin {
                    operation: id,
                    offset: chunk.offset,
                    data: vec![b'x'; chunk.len],
                    eof: chunk.eof,
                };
                self.control(node, control, sim);
            }
        }
    }
}
