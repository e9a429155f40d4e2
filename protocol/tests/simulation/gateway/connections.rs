//! Connections of the gateway: the handshake, frames, and the comparison of both sides afterwards.
use roost_protocol::control::{Control, ControlReply};
use roost_protocol::frame::{Envelope, ToGateway, ToNode};
use roost_protocol::hello::{Hello, Refused, RefusedReason, Welcome};
use roost_protocol::inventory::Inventory;
use roost_protocol::machine::contact::{Connection, Contact};
use roost_protocol::machine::handshake::{self, Decision, First, Known, Open};
use roost_protocol::machine::operation::{Input, Stage};
use roost_protocol::machine::session::{Incoming, NO_EPOCH, Outgoing, Verdict, next_epoch};
use roost_protocol::machine::stdin::Source;
use roost_protocol::operation::Operation;
use roost_protocol::report::{Ended, ErrorKind, Report, Terminal};

use super::{Gateway, Session, Waiting};
use crate::mutants::Mutant;
use crate::network::LinkId;
use crate::world::{Dead, HEARTBEAT_S, LEASE_S, Sim};

impl Gateway {
    /// A frame arrives.
    pub fn receive(&mut self, link: LinkId, frame: Envelope<ToGateway>, sim: &mut Sim) {
        self.alive(sim, |gateway, sim| gateway.take(link, frame, sim));
        self.check(sim);
    }

    /// The node closed its end.
    pub fn closed(&mut self, link: LinkId, sim: &mut Sim) {
        sim.net.links[link].gateway_open = false;
        let node = sim.net.links[link].node;
        self.alive(sim, |gateway, sim| {
            let current = gateway
                .life()
                .sessions
                .get(&node)
                .is_some_and(|session| session.link == link);
            if current {
                gateway.lose(node, sim)
            } else {
                Ok(())
            }
        });
    }

    pub(super) fn lose(&mut self, node: usize, sim: &mut Sim) -> Result<(), Dead> {
        let life = self.life();
        let Some(session) = life.sessions.remove(&node) else {
            return Ok(());
        };
        if let Some(incoming) = life.incoming.get_mut(&session.link) {
            incoming.close();
        }
        life.drains[node].disconnected();
        sim.net.links[session.link].gateway_open = false;
        for id in self.of_node(node) {
            let stage = self
                .life()
                .running
                .get(&id)
                .map(|running| running.caller.stage());
            if sim.is(Mutant::LostWithTheConnection) && stage == Some(Stage::Accepted) {
                let ended =
                    Ended::without_result(Terminal::Lost, ErrorKind::Interrupted, "no contact");
                self.end(id, &ended, sim);
            }
            if let Some(running) = self.life().running.get_mut(&id)
                && let Some(receiver) = &mut running.receiver
            {
                receiver.disconnected();
            }
            self.input(id, Input::Disconnected, sim)?;
        }
        Ok(())
    }

    pub(super) fn take(
        &mut self,
        link: LinkId,
        frame: Envelope<ToGateway>,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        let node = sim.net.links[link].node;
        let now_ms = sim.now_ms;
        let newest = self.store.nodes[node].epoch;
        let keeps = sim.is(Mutant::KeepsTheOlderConnection);
        let life = self.life();
        let incoming = life
            .incoming
            .entry(link)
            .or_insert_with(Incoming::of_gateway);
        let own = incoming.epoch();
        let verdict = sim.judge(incoming, &frame);
        let current = life
            .sessions
            .get_mut(&node)
            .filter(|session| session.link == link);
        match verdict {
            Verdict::Take => {}
            Verdict::Duplicate => return Ok(()),
            Verdict::Close(cause) => {
                sim.note(|| format!("the gateway closes {link} of node {node}: {cause}"));
                sim.net.links[link].gateway_open = false;
                return if current.is_some() {
                    self.lose(node, sim)
                } else {
                    Ok(())
                };
            }
        }
        if own == NO_EPOCH {
            return match frame.message {
                ToGateway::Hello(hello) => self.hello(node, link, hello, First::NotAsked, sim),
                _ => {
                    self.refuse(link, RefusedReason::BadHello, sim);
                    Ok(())
                }
            };
        }
        match current.map(|session| session.contact.heard(now_ms)) {
            Some(false) => return self.lose(node, sim),
            None if !keeps => return Ok(()),
            Some(true) | None => {}
        }
        sim.checker
            .handled(node, true, newest, own, (frame.epoch, frame.seq));
        match frame.message {
            ToGateway::Report(report) => {
                if self.store.operations.contains_key(&report.operation) {
                    self.input(report.operation, Input::Report(&report.report), sim)?;
                    if let Report::Ended(ended) = &report.report {
                        self.held(report.operation, ended.output_end);
                    }
                    Ok(())
                } else {
                    Ok(())
                }
            }
            ToGateway::Output(chunk) => self.output(node, chunk, sim),
            ToGateway::Reply(reply) => self.reply(node, reply, sim),
            ToGateway::Hello(_)
            | ToGateway::Heartbeat(_)
            | ToGateway::NodeTools(_)
            | ToGateway::Inventory(_)
            | ToGateway::Unknown => Ok(()),
        }
    }

    pub(super) fn refuse(&mut self, link: LinkId, reason: RefusedReason, sim: &mut Sim) {
        let refused = Refused {
            reason,
            detail: String::new(),
        };
        let frame = Outgoing::new(NO_EPOCH).wrap(ToNode::Refused(refused));
        sim.net.send_down(link, frame, &mut sim.rng);
        sim.net.links[link].gateway_open = false;
        self.life()
            .incoming
            .entry(link)
            .or_insert_with(Incoming::of_gateway)
            .close();
    }

    pub(super) fn hello(
        &mut self,
        node: usize,
        link: LinkId,
        hello: Hello,
        first: First,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        let row = &self.store.nodes[node];
        let life = self.life.as_mut().expect("alive");
        let known = Known {
            install_id: row.install,
            revoked: row.deleted,
            stopping: false,
            first: life.sessions.get(&node).map(|session| session.open.clone()),
        };
        match handshake::decide(&hello, &known, first) {
            Decision::Refuse(refused) => {
                self.refuse(link, refused.reason, sim);
                Ok(())
            }
            Decision::AskFirst => {
                life.nonce += 1;
                let nonce = life.nonce;
                let until_ms = sim.now_ms + handshake::FIRST_ANSWER_MS;
                let waiting = Waiting {
                    link,
                    hello,
                    nonce,
                    until_ms,
                };
                if let Some(older) = life.waiting.insert(node, waiting) {
                    self.refuse(older.link, RefusedReason::Other, sim);
                }
                self.control(node, Control::Ping { nonce }, sim);
                Ok(())
            }
            Decision::Replace { version } => {
                if sim.is(Mutant::KeepsTheOlderConnection) {
                    self.life().sessions.remove(&node);
                } else {
                    self.lose(node, sim)?;
                }
                self.welcome(node, link, hello, version, sim)
            }
            Decision::Welcome { version } => self.welcome(node, link, hello, version, sim),
        }
    }

    pub(super) fn welcome(
        &mut self,
        node: usize,
        link: LinkId,
        hello: Hello,
        version: roost_protocol::version::Version,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        sim.gap("gateway: before an epoch is taken")?;
        let row = &mut self.store.nodes[node];
        row.epoch = next_epoch(row.epoch, sim.wall_ms);
        let epoch = row.epoch;
        let (node_id, draining) = (row.id, row.wish.on);
        sim.gap("gateway: between an epoch and its welcome")?;
        let now_ms = sim.now_ms;
        let life = self.life();
        if let Some(incoming) = life.incoming.get_mut(&link) {
            incoming.welcomed(epoch);
        }
        life.sessions.insert(
            node,
            Session {
                link,
                open: Open {
                    boot_id: hello.boot_id,
                    instance_id: hello.instance_id,
                    epoch,
                },
                outgoing: Outgoing::new(epoch),
                contact: Contact::new(HEARTBEAT_S, now_ms),
                ping_ms: now_ms,
            },
        );
        let welcome = Welcome {
            image: None,
            images: Vec::new(),
            version,
            node_id,
            epoch,
            heartbeat_s: HEARTBEAT_S,
            lease_s: LEASE_S,
            draining,
        };
        self.send(node, ToNode::Welcome(welcome), sim);
        if let Some(control) = self.life().drains[node].connected() {
            self.control(node, control, sim);
        }
        self.compare(node, &hello.inventory, sim)?;
        for id in self.of_node(node) {
            let listed = hello
                .inventory
                .operations
                .iter()
                .find(|entry| entry.operation == id);
            self.input(id, Input::Connected { listed }, sim)?;
            self.resume(node, id, sim);
        }
        Ok(())
    }

    /// Sandboxes that the node no longer holds are no longer wanted, unless they still have to be made.
    pub(super) fn compare(
        &mut self,
        node: usize,
        inventory: &Inventory,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        sim.gap("gateway: before inventories are compared")?;
        if inventory.engine_silent {
            return Ok(());
        }
        let making: Vec<_> = self
            .store
            .operations
            .values()
            .filter(|row| matches!(row.request.operation, Operation::SbProvision(_)))
            .filter(|row| !matches!(row.stage, Stage::Ended(_)))
            .filter_map(|row| row.request.operation.sandbox())
            .collect();
        self.store.sandboxes.retain(|sandbox, at| {
            let held = inventory
                .sandboxes
                .iter()
                .any(|facts| facts.sandbox == *sandbox);
            *at != node || held || making.contains(sandbox)
        });
        Ok(())
    }

    pub(super) fn reply(
        &mut self,
        node: usize,
        reply: ControlReply,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        match reply {
            ControlReply::Pong { nonce } => {
                let life = self.life();
                let asked = life
                    .waiting
                    .get(&node)
                    .is_some_and(|waiting| waiting.nonce == nonce);
                if let Some(waiting) = asked.then(|| life.waiting.remove(&node)).flatten() {
                    return self.hello(node, waiting.link, waiting.hello, First::Answered, sim);
                }
            }
            ControlReply::StdinTaken { operation, offset } => {
                if let Some(running) = self.life().running.get_mut(&operation) {
                    running
                        .stdin
                        .get_or_insert_with(|| Source::restore(offset))
                        .confirm(offset);
                }
            }
            ControlReply::Draining { on, turn, empty } => {
                let ignores = sim.is(Mutant::IgnoresTurns);
                let drain = &mut self.life().drains[node];
                let turn = if ignores { drain.wish().turn } else { turn };
                drain.reply(on, turn, empty);
            }
            ControlReply::SandboxGone { sandbox, .. } => {
                self.store.sandboxes.remove(&sandbox);
            }
            // Snapshots are outside this simulation.
            ControlReply::Stored { .. }
            | ControlReply::NotStored { .. }
            | ControlReply::Forgotten { .. }
            | ControlReply::Paused { .. }
            | ControlReply::Unknown => {}
        }
        Ok(())
    }

    /// Time passes for connections.
    pub(super) fn watch(&mut self, sim: &mut Sim) -> Result<(), Dead> {
        let now_ms = sim.now_ms;
        for node in 0..self.store.nodes.len() {
            if self.store.nodes[node].deleted {
                // The next process finishes a deletion that a crash interrupted.
                self.bury(node, sim)?;
            }
            let due = self
                .life()
                .waiting
                .get(&node)
                .is_some_and(|waiting| waiting.until_ms <= now_ms);
            if let Some(waiting) = due.then(|| self.life().waiting.remove(&node)).flatten() {
                self.hello(node, waiting.link, waiting.hello, First::Silent, sim)?;
            }
            let Some(session) = self.life().sessions.get_mut(&node) else {
                continue;
            };
            if session.contact.state(now_ms) == Connection::Disconnected {
                self.lose(node, sim)?;
                continue;
            }
            if session.ping_ms <= now_ms {
                session.ping_ms = now_ms + u64::from(HEARTBEAT_S) * 1000;
                self.control(node, Control::Ping { nonce: 0 }, sim);
                let here = self.store.sandboxes.iter().filter(|(_, at)| **at == node);
                let sandboxes = here.map(|(sandbox, _)| *sandbox).collect();
                self.control(
                    node,
                    Control::Lease {
                        sandboxes,
                        lease_s: LEASE_S,
                    },
                    sim,
                );
                self.reconcile(node, Vec::new(), sim);
            }
        }
        Ok(())
    }
}
