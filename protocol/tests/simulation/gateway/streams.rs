//! Output to readers and stdin from people, both resumed after a reconnect.
use rand::Rng;
use roost_protocol::control::Control;
use roost_protocol::ids::OperationId;
use roost_protocol::machine::operation::{Input, Stage};
use roost_protocol::machine::output::{Grant, Receiver, Taken};
use roost_protocol::machine::stdin::Source;
use roost_protocol::operation::Operation;
use roost_protocol::output::{OutputChunk, Piece};

use super::{Gateway, Item};
use crate::mutants::Mutant;
use crate::world::{Dead, Sim, script};

impl Gateway {
    /// Output and stdin go on after a reconnect.
    pub(super) fn resume(&mut self, node: usize, id: OperationId, sim: &mut Sim) {
        let running = self.life().running.get_mut(&id).expect("it runs");
        let replay = running.receiver.as_mut().and_then(Receiver::resume);
        sim.note(|| format!("output of {id} resumes: {replay:?}"));
        let ended = running.caller.is_ended();
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
            // A new life does not know what was taken; an empty chunk asks.
            let control = Control::Stdin {
                operation: id,
                offset: 0,
                data: Vec::new(),
                eof: false,
            };
            self.control(node, control, sim);
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
        let mut grant = None;
        match receiver.take(&chunk.piece) {
            Err(fault) => sim
                .checker
                .broken(format!("P3: an honest node broke the rules: {fault}")),
            Ok(Taken::Duplicate) if !twice => {}
            Ok(Taken::Data { skip }) if !twice => {
                if let Piece::Data { offset, data, .. } = chunk.piece {
                    let skipped = usize::try_from(skip).expect("small");
                    running
                        .waiting
                        .push_back(Item::Bytes(offset + skip, data[skipped..].to_vec()));
                }
            }
            Ok(Taken::Gap { from, to, data }) => {
                running.waiting.push_back(Item::Gap(from, to));
                if let (true, Piece::Data { offset, data, .. }) = (data, chunk.piece) {
                    running.waiting.push_back(Item::Bytes(offset, data));
                }
            }
            Ok(Taken::Duplicate | Taken::Data { .. }) => {
                if let Piece::Data { offset, data, .. } = chunk.piece {
                    running.waiting.push_back(Item::Bytes(offset, data));
                }
            }
        }
        if sim.is(Mutant::GrantsWithoutRoom) {
            grant = receiver.consume(receiver.next());
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

    /// Readers take what waits for them, some slowly.
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
                let grant = receiver.consume(stored_to);
                self.grant(node, id, grant, sim);
                self.input(id, Input::OutputStored { up_to: stored_to }, sim)?;
            }
        }
        Ok(())
    }

    /// People type into their commands.
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
