//! The gateway: a store that survives, and a life that may end at any gap. It only drives the machines of the crate.
use std::collections::{BTreeMap, VecDeque};

use rand::Rng;
use roost_protocol::control::{Control, ControlReply};
use roost_protocol::frame::{Envelope, ToGateway, ToNode};
use roost_protocol::hello::{Hello, Refused, RefusedReason, Welcome};
use roost_protocol::ids::{ConnectionEpoch, InstallId, NodeId, OperationId, SandboxId};
use roost_protocol::inventory::Inventory;
use roost_protocol::machine::contact::{Connection, Contact};
use roost_protocol::machine::drain::{GatewayDrain, Progress, Wish};
use roost_protocol::machine::handshake::{self, Decision, First, Known, Open};
use roost_protocol::machine::operation::{Caller, Input, Output, Stage};
use roost_protocol::machine::output::{Grant, Receiver, Taken};
use roost_protocol::machine::session::{Incoming, NO_EPOCH, Outgoing, Verdict, next_epoch};
use roost_protocol::machine::stdin::Source;
use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::output::{OutputChunk, Piece};
use roost_protocol::report::{Ended, ErrorKind, Report, Terminal};

use crate::mutants::Mutant;
use crate::network::LinkId;
use crate::node::Node;
use crate::world::{Dead, GRACE_S, HEARTBEAT_S, LEASE_S, Sim, script};

/// A row of an operation.
#[derive(Debug)]
struct Row {
    node: usize,
    request: OperationRequest,
    stage: Stage,
    cancelling: bool,
    output_end: u64,
    stored_to: u64,
}

#[derive(Debug)]
struct NodeRow {
    id: NodeId,
    install: InstallId,
    epoch: ConnectionEpoch,
    wish: Wish,
    deleted: bool,
}

/// What the database holds.
#[derive(Debug)]
struct Store {
    operations: BTreeMap<OperationId, Row>,
    nodes: Vec<NodeRow>,
    sandboxes: BTreeMap<SandboxId, usize>,
}

#[derive(Debug)]
enum Item {
    Bytes(u64, Vec<u8>),
    Gap(u64, u64),
}

#[derive(Debug)]
struct Running {
    caller: Caller,
    receiver: Option<Receiver>,
    waiting: VecDeque<Item>,
    stdin: Option<Source>,
}

#[derive(Debug)]
struct Session {
    link: LinkId,
    open: Open,
    outgoing: Outgoing,
    contact: Contact,
    ping_ms: u64,
}

/// A `hello` that waits for the first connection's answer to a ping.
#[derive(Debug)]
struct Waiting {
    link: LinkId,
    hello: Hello,
    nonce: u64,
    until_ms: u64,
}

#[derive(Debug, Default)]
struct Life {
    running: BTreeMap<OperationId, Running>,
    incoming: BTreeMap<LinkId, Incoming>,
    sessions: BTreeMap<usize, Session>,
    waiting: BTreeMap<usize, Waiting>,
    drains: Vec<GatewayDrain>,
    nonce: u64,
}

/// The gateway.
#[derive(Debug)]
pub struct Gateway {
    store: Store,
    life: Option<Life>,
}

/// What may wait for one reader.
const WINDOW: u64 = 300_000;

impl Gateway {
    pub fn new(nodes: &[Node]) -> Self {
        let nodes = nodes.iter().map(|node| NodeRow {
            id: node.id,
            install: node.install,
            epoch: NO_EPOCH,
            wish: Wish::default(),
            deleted: false,
        });
        Self {
            store: Store {
                operations: BTreeMap::new(),
                nodes: nodes.collect(),
                sandboxes: BTreeMap::new(),
            },
            life: None,
        }
    }

    /// The process ends here and now.
    pub fn kill(&mut self, sim: &mut Sim) {
        if self.life.take().is_some() {
            sim.net
                .links
                .iter_mut()
                .for_each(|link| link.gateway_open = false);
            for (id, row) in &self.store.operations {
                sim.checker.reader_restarts(*id, row.stored_to);
            }
        }
    }

    /// Does `act` in this life, which may end in it.
    fn alive(&mut self, sim: &mut Sim, act: impl FnOnce(&mut Self, &mut Sim) -> Result<(), Dead>) {
        if self.life.is_some() && act(self, sim).is_err() {
            sim.note(|| "the gateway dies".to_owned());
            self.kill(sim);
        }
        sim.wanted = self.store.sandboxes.keys().copied().collect();
    }

    fn life(&mut self) -> &mut Life {
        self.life.as_mut().expect("only a living gateway gets here")
    }

    pub fn step(&mut self, sim: &mut Sim) {
        if self.life.is_none() {
            if sim.rng.random_bool(0.3) {
                self.start(sim);
            }
            return;
        }
        self.alive(sim, |gateway, sim| {
            gateway.watch(sim)?;
            gateway.readers(sim)?;
            gateway.clients_type(sim);
            Ok(())
        });
        self.check(sim);
    }

    fn start(&mut self, sim: &mut Sim) {
        let mut life = Life {
            drains: self
                .store
                .nodes
                .iter()
                .map(|row| GatewayDrain::restore(row.wish))
                .collect(),
            ..Life::default()
        };
        for (id, row) in &self.store.operations {
            let exec = matches!(row.request.operation, Operation::SbExec(_));
            let caller = if sim.is(Mutant::ForgetsThatItSent) && row.stage == Stage::Requested {
                Caller::new()
            } else {
                Caller::restore(row.stage, row.cancelling)
                    .with_output(row.output_end, row.stored_to)
            };
            let running = Running {
                caller,
                receiver: exec.then(|| Receiver::restore(WINDOW, row.stored_to)),
                waiting: VecDeque::new(),
                stdin: None,
            };
            life.running.insert(*id, running);
        }
        self.life = Some(life);
    }

    /// The promises that can be read off the gateway after each step.
    pub fn check(&mut self, sim: &mut Sim) {
        let Some(life) = &self.life else {
            return;
        };
        for (node, drain) in life.drains.iter().enumerate() {
            if drain.progress() == Progress::Drained {
                sim.drained.push(node);
            }
        }
        for (id, running) in &life.running {
            let waiting = running.waiting.iter().map(|item| match item {
                Item::Bytes(_, data) => data.len() as u64,
                Item::Gap(..) => 0,
            });
            sim.checker.waiting(*id, waiting.sum(), WINDOW);
        }
    }

    fn send(&mut self, node: usize, message: ToNode, sim: &mut Sim) {
        if let Some(session) = self.life().sessions.get_mut(&node) {
            let frame = session.outgoing.wrap(message);
            let link = session.link;
            sim.net.send_down(link, frame, &mut sim.rng);
        }
    }

    fn control(&mut self, node: usize, control: Control, sim: &mut Sim) {
        self.send(node, ToNode::Control(control), sim);
    }

    // What people do.

    /// A node on which something may be placed.
    pub fn placeable(&self, sim: &mut Sim) -> Option<usize> {
        let life = self.life.as_ref()?;
        let node = sim.rng.random_range(0..self.store.nodes.len());
        let here = life.sessions.contains_key(&node) || sim.rng.random_bool(0.2);
        (here && !self.store.nodes[node].deleted && life.drains[node].may_place()).then_some(node)
    }

    pub fn sandbox(&self, sim: &mut Sim) -> Option<(SandboxId, usize)> {
        let all = &self.store.sandboxes;
        let at = sim.rng.random_range(0..all.len().max(1));
        all.iter().nth(at).map(|(sandbox, node)| (*sandbox, *node))
    }

    pub fn running(&self, sim: &mut Sim) -> Option<OperationId> {
        let life = self.life.as_ref()?;
        let open: Vec<_> = life
            .running
            .iter()
            .filter(|(_, running)| !running.caller.is_ended())
            .collect();
        open.get(sim.rng.random_range(0..open.len().max(1)))
            .map(|(id, _)| **id)
    }

    /// Someone asks for an operation.
    pub fn ask(&mut self, node: usize, request: OperationRequest, sim: &mut Sim) {
        self.alive(sim, |gateway, sim| {
            let id = request.id;
            if let Operation::SbProvision(provision) = &request.operation {
                gateway.store.sandboxes.insert(provision.spec.sandbox, node);
            }
            let exec = matches!(request.operation, Operation::SbExec(_));
            let row = Row {
                node,
                request,
                stage: Stage::Requested,
                cancelling: false,
                output_end: 0,
                stored_to: 0,
            };
            gateway.store.operations.insert(id, row);
            sim.gap("gateway: between a new row and its sending")?;
            let running = Running {
                caller: Caller::new(),
                receiver: exec.then(|| Receiver::new(WINDOW)),
                waiting: VecDeque::new(),
                stdin: exec.then(Source::default),
            };
            gateway.life().running.insert(id, running);
            if gateway.life().sessions.contains_key(&node) {
                gateway.input(id, Input::Connected { listed: None }, sim)?;
            }
            Ok(())
        });
    }

    pub fn cancel(&mut self, id: OperationId, sim: &mut Sim) {
        self.alive(sim, |gateway, sim| {
            gateway
                .store
                .operations
                .get_mut(&id)
                .expect("it runs")
                .cancelling = true;
            sim.gap("gateway: between a wish to cancel and its sending")?;
            gateway.input(id, Input::Cancel, sim)
        });
    }

    pub fn drain(&mut self, node: usize, on: bool, sim: &mut Sim) {
        self.alive(sim, |gateway, sim| {
            if let Some(control) = gateway.life().drains[node].set(on) {
                let wish = gateway.life().drains[node].wish();
                gateway.store.nodes[node].wish = wish;
                sim.gap("gateway: between a wish to drain and its sending")?;
                gateway.control(node, control, sim);
            }
            Ok(())
        });
    }

    /// The store loses a sandbox, as one does that was restored from a backup.
    pub fn forget(&mut self, sandbox: SandboxId, sim: &mut Sim) {
        self.store.sandboxes.remove(&sandbox);
        sim.wanted.remove(&sandbox);
    }

    pub fn delete(&mut self, node: usize, sim: &mut Sim) {
        self.alive(sim, |gateway, sim| {
            gateway.store.nodes[node].deleted = true;
            sim.gap("gateway: between a deletion and its ends")?;
            gateway.lose(node, sim)?;
            gateway.bury(node, sim)
        });
    }

    fn bury(&mut self, node: usize, sim: &mut Sim) -> Result<(), Dead> {
        for id in self.of_node(node) {
            self.input(id, Input::NodeDeleted, sim)?;
        }
        self.store.sandboxes.retain(|_, at| *at != node);
        Ok(())
    }

    fn of_node(&self, node: usize) -> Vec<OperationId> {
        let rows = self.store.operations.iter();
        rows.filter(|(_, row)| row.node == node)
            .map(|(id, _)| *id)
            .collect()
    }

    // What operations do.

    fn input(&mut self, id: OperationId, input: Input<'_>, sim: &mut Sim) -> Result<(), Dead> {
        let again = matches!(input, Input::Report(Report::Ended(_)));
        let Some(running) = self.life().running.get_mut(&id) else {
            return Ok(());
        };
        let mut outputs = running.caller.step(input);
        let stage = running.caller.stage();
        if let (true, Input::Report(Report::Ended(ended))) =
            (again && sim.is(Mutant::EndsAgain), input)
        {
            outputs.insert(0, Output::End(ended.clone()));
        }
        if !matches!(stage, Stage::Ended(_)) && sim.rng.random_bool(0.7) {
            self.store
                .operations
                .get_mut(&id)
                .expect("it has a row")
                .stage = stage;
        }
        self.carry_out(id, outputs, sim)
    }

    fn carry_out(
        &mut self,
        id: OperationId,
        outputs: Vec<Output>,
        sim: &mut Sim,
    ) -> Result<(), Dead> {
        let node = self.store.operations[&id].node;
        let epoch = self.store.nodes[node].epoch;
        for output in outputs {
            match output {
                Output::Send => {
                    sim.gap("gateway: before a request is sent")?;
                    let sent_before = self.store.operations[&id].stage != Stage::Requested;
                    if sent_before && sim.is(Mutant::NeverSendsAgain) {
                        continue;
                    }
                    sim.checker.sent(id, epoch);
                    let request = self.store.operations[&id].request.clone();
                    self.send(node, ToNode::Operation(request), sim);
                }
                Output::Cancel => {
                    sim.gap("gateway: before a cancel is sent")?;
                    self.control(node, Control::Cancel { operation: id }, sim);
                }
                Output::Reconcile => {
                    sim.gap("gateway: before a reconcile is sent")?;
                    self.reconcile(node, vec![id], sim);
                }
                Output::Progress(_) => {}
                Output::End(ended) => {
                    sim.gap("gateway: before an end is stored")?;
                    self.end(id, &ended, sim);
                    sim.gap("gateway: between a stored end and its ack")?;
                }
                Output::Ack => self.control(node, Control::Ack { operation: id }, sim),
            }
        }
        Ok(())
    }

    fn reconcile(&mut self, node: usize, waiting: Vec<OperationId>, sim: &mut Sim) {
        let wanted = self.store.sandboxes.iter().filter(|(_, at)| **at == node);
        let sandboxes = wanted.map(|(sandbox, _)| *sandbox).collect();
        let control = Control::Reconcile {
            waiting,
            sandboxes,
            grace_s: GRACE_S,
        };
        self.control(node, control, sim);
    }

    fn end(&mut self, id: OperationId, ended: &Ended, sim: &mut Sim) {
        let row = self.store.operations.get_mut(&id).expect("it has a row");
        sim.note(|| format!("the caller of {id} is told {:?}", ended.state));
        sim.checker
            .told(id, ended, self.store.nodes[row.node].deleted);
        row.stage = Stage::Ended(ended.state);
        row.output_end = ended.output_end;
        let sandbox = row.request.operation.sandbox();
        let gone = match &row.request.operation {
            Operation::SbProvision(_) => ended.state != Terminal::Done,
            Operation::SbDestroy(_) => ended.state == Terminal::Done,
            _ => false,
        };
        if let Some(sandbox) = sandbox.filter(|_| gone) {
            self.store.sandboxes.remove(&sandbox);
        }
    }

    // What connections do.

    /// A frame arrives.
    pub fn receive(&mut self, link: LinkId, frame: Envelope<ToGateway>, sim: &mut Sim) {
        self.alive(sim, |gateway, sim| gateway.take(link, frame, sim));
        self.check(sim);
    }

    /// The node's end is gone.
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

    fn lose(&mut self, node: usize, sim: &mut Sim) -> Result<(), Dead> {
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
            self.input(id, Input::Disconnected, sim)?;
        }
        Ok(())
    }

    fn take(
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
                    self.input(report.operation, Input::Report(&report.report), sim)
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

    fn refuse(&mut self, link: LinkId, reason: RefusedReason, sim: &mut Sim) {
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

    fn hello(
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

    fn welcome(
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

    /// Sandboxes that the node does not hold any more are not wanted any more, unless they are still to be made.
    fn compare(&mut self, node: usize, inventory: &Inventory, sim: &mut Sim) -> Result<(), Dead> {
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

    /// Output and stdin go on after a reconnect.
    fn resume(&mut self, node: usize, id: OperationId, sim: &mut Sim) {
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

    fn output(&mut self, node: usize, chunk: OutputChunk, sim: &mut Sim) -> Result<(), Dead> {
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

    fn grant(&mut self, node: usize, operation: OperationId, grant: Option<Grant>, sim: &mut Sim) {
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
    fn readers(&mut self, sim: &mut Sim) -> Result<(), Dead> {
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
    fn clients_type(&mut self, sim: &mut Sim) {
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

    fn reply(&mut self, node: usize, reply: ControlReply, sim: &mut Sim) -> Result<(), Dead> {
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
            ControlReply::Paused { .. } | ControlReply::Unknown => {}
        }
        Ok(())
    }

    /// Time passes for connections.
    fn watch(&mut self, sim: &mut Sim) -> Result<(), Dead> {
        let now_ms = sim.now_ms;
        for node in 0..self.store.nodes.len() {
            if self.store.nodes[node].deleted {
                // A deletion that a death interrupted is finished by the next life.
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

    /// Whether everything that was asked for is over and read.
    pub fn is_settled(&self) -> bool {
        let Some(life) = &self.life else {
            return false;
        };
        life.running.iter().all(|(id, running)| {
            let row = &self.store.operations[id];
            let read = running.waiting.is_empty();
            running.caller.is_ended()
                && read
                && (self.store.nodes[row.node].deleted || running.caller.is_settled())
        })
    }

    /// The last word of the checker.
    pub fn settle(&self, sim: &mut Sim) {
        for (id, row) in &self.store.operations {
            sim.checker
                .settled(*id, row.stored_to, self.store.nodes[row.node].deleted);
        }
    }
}
