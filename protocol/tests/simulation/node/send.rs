//! The daemon's output: it dials, sends heartbeats, streams output, and closes a connection.
use rand::Rng;
use roost_protocol::frame::ToGateway;
use roost_protocol::hello::{Capabilities, Hello};
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::machine::contact::{Connection, Contact};
use roost_protocol::machine::output::{Next, Sender};
use roost_protocol::machine::session::{NO_EPOCH, Outgoing};
use roost_protocol::output::{OutputChunk, Piece, StreamName};
use roost_protocol::version::SUPPORTED;
use roost_protocol::vitals::Heartbeat;

use super::{Node, Session};
use crate::checker::bytes_at;
use crate::mutants::Mutant;
use crate::world::{Dead, HEARTBEAT_S, Sim};

impl Node {
    pub(super) fn talk(&mut self, sim: &mut Sim) -> Result<(), Dead> {
        let now_ms = sim.now_ms;
        let due = self.daemon().dial_ms <= now_ms;
        let Some(session) = self.session() else {
            if due {
                self.dial(sim)?;
            }
            return Ok(());
        };
        if session.contact.state(now_ms) == Connection::Disconnected {
            self.disconnect(sim);
            return Ok(());
        }
        if session.incoming.is_none() {
            return Ok(());
        }
        if session.beat_ms <= now_ms {
            session.beat_ms = now_ms + u64::from(HEARTBEAT_S) * 1000;
            self.send(ToGateway::Heartbeat(Heartbeat::default()), sim);
        }
        let holding = self.holding(sim);
        if let Some(reply) = self.daemon().drain.changed(holding) {
            self.send(ToGateway::Reply(reply), sim);
        }
        self.stream(sim);
        Ok(())
    }

    pub(super) fn stream(&mut self, sim: &mut Sim) {
        let ids: Vec<_> = self.daemon().senders.keys().copied().collect();
        for id in ids {
            for _ in 0..3 {
                let daemon = self.daemon();
                let Some(next) = daemon.senders[&id].next() else {
                    break;
                };
                let (piece, to) = match next {
                    Next::Gap { from, to } => (Piece::Gap { from, to }, to),
                    Next::Data { offset, most } => {
                        let data = bytes_at(id, offset, most);
                        let stream = StreamName::Stdout;
                        (
                            Piece::Data {
                                stream,
                                offset,
                                data,
                            },
                            offset + most,
                        )
                    }
                };
                if let Some(sender) = daemon.senders.get_mut(&id) {
                    sender.sent(to);
                }
                daemon.sent_to.insert(id, to);
                self.send(
                    ToGateway::Output(OutputChunk {
                        operation: id,
                        piece,
                    }),
                    sim,
                );
            }
        }
    }

    pub(super) fn dial(&mut self, sim: &mut Sim) -> Result<(), Dead> {
        sim.gap("node: before it dials")?;
        let link = sim.net.open(self.index, &mut sim.rng, sim.faults);
        let engine_silent = sim.faults && sim.rng.random_bool(0.1);
        let (install_id, boot) = (self.install, self.boot);
        let now_ms = sim.now_ms;
        let sandboxes = if engine_silent {
            Vec::new()
        } else {
            self.engine
                .containers
                .keys()
                .map(|sandbox| crate::world::bare_facts(*sandbox))
                .collect()
        };
        let daemon = self.daemon();
        daemon.dial_ms = now_ms + 1000;
        // An inventory is bounded: operations outside it may still be known.
        let most = if sim.faults && sim.rng.random_bool(0.15) {
            2
        } else {
            usize::MAX
        };
        let operations = daemon
            .slots
            .iter()
            .filter(|(_, slot)| slot.listed())
            .take(most);
        let operations = operations.map(|(id, slot)| LedgerEntry {
            operation: *id,
            output_end: daemon.senders.get(id).map_or(0, Sender::end),
            ended: slot.ended().cloned(),
        });
        let hello = Hello {
            versions: SUPPORTED,
            daemon_version: "0.1.0".into(),
            install_id,
            instance_id: daemon.instance,
            boot_id: boot.to_string(),
            hostname: "h".into(),
            os: "linux".into(),
            arch: "x86_64".into(),
            capabilities: Capabilities::default(),
            inventory: Inventory {
                sandboxes,
                operations: operations.collect(),
                engine_silent,
                stored: Vec::new(),
            },
        };
        daemon.session = Some(Session {
            link,
            incoming: None,
            outgoing: Outgoing::new(NO_EPOCH),
            contact: Contact::new(HEARTBEAT_S, now_ms),
            beat_ms: now_ms,
        });
        self.send(ToGateway::Hello(hello), sim);
        Ok(())
    }

    pub(super) fn disconnect(&mut self, sim: &mut Sim) {
        let daemon = self.daemon();
        daemon.senders.values_mut().for_each(Sender::detach);
        if let Some(session) = daemon.session.take() {
            sim.net.links[session.link].node_open = false;
            daemon.dial_ms = sim.now_ms + sim.rng.random_range(100..3000);
        }
        if sim.is(Mutant::EndsSandboxesWithTheConnection) {
            let all: Vec<_> = self.engine.containers.keys().copied().collect();
            for sandbox in all {
                let container = &self.engine.containers[&sandbox];
                sim.checker.lease_over(
                    sandbox,
                    sim.now_ms - container.used_ms,
                    container.lease_s * 1000,
                );
                self.remove(sandbox);
            }
        }
    }

    pub(super) fn send(&mut self, message: ToGateway, sim: &mut Sim) {
        let hello = matches!(message, ToGateway::Hello(_));
        if let Some(session) = self
            .session()
            .filter(|session| hello || session.incoming.is_some())
        {
            let frame = session.outgoing.wrap(message);
            let link = session.link;
            sim.net.send_up(link, frame, &mut sim.rng);
        }
    }
}
