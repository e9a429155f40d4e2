//! The gateway: a store that survives, and a process that may die at any gap. It only drives the state machines of the
//! crate.
mod connections;
mod operations;
mod people;
mod streams;

use std::collections::{BTreeMap, VecDeque};

use rand::Rng;
use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::hello::Hello;
use roost_protocol::ids::{ConnectionEpoch, InstallId, NodeId, OperationId, SandboxId};
use roost_protocol::machine::contact::Contact;
use roost_protocol::machine::drain::{GatewayDrain, Progress, Wish};
use roost_protocol::machine::handshake::Open;
use roost_protocol::machine::operation::{Caller, Stage};
use roost_protocol::machine::output::Receiver;
use roost_protocol::machine::session::{Incoming, NO_EPOCH, Outgoing};
use roost_protocol::machine::stdin::Source;
use roost_protocol::operation::{Operation, OperationRequest};

use crate::mutants::Mutant;
use crate::network::LinkId;
use crate::node::Node;
use crate::world::{Dead, Sim};

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

/// The content of the database.
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

/// Most bytes that may wait for one reader.
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

    /// Runs `act` in this process, which may die during it.
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
                receiver: exec.then(|| {
                    let mut receiver = Receiver::restore(WINDOW, row.stored_to);
                    if matches!(row.stage, Stage::Ended(_)) {
                        receiver.ended(row.output_end);
                    }
                    receiver
                }),
                waiting: VecDeque::new(),
                stdin: None,
            };
            life.running.insert(*id, running);
        }
        self.life = Some(life);
    }

    /// Checks the promises that the gateway's state shows, after each step.
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

    /// Whether every requested operation is over and read.
    pub fn is_settled(&self) -> bool {
        let Some(life) = &self.life else {
            return false;
        };
        life.running.iter().all(|(id, running)| {
            let row = &self.store.operations[id];
            let receiver = running.receiver.as_ref();
            let here = receiver.is_none_or(|receiver| {
                !receiver.is_asked() || receiver.is_complete() || !running.caller.is_ended()
            });
            let read = running.waiting.is_empty() && here;
            running.caller.is_ended()
                && read
                && (self.store.nodes[row.node].deleted || running.caller.is_settled())
        })
    }

    /// The final checks.
    pub fn settle(&self, sim: &mut Sim) {
        for (id, row) in &self.store.operations {
            let deleted = self.store.nodes[row.node].deleted;
            let running = self.life.as_ref().and_then(|life| life.running.get(id));
            let ended = running.filter(|running| running.caller.is_ended());
            let receiver = ended.and_then(|running| running.receiver.as_ref());
            if let Some(receiver) = receiver.filter(|receiver| receiver.is_asked() && !deleted) {
                sim.checker
                    .served(*id, receiver.is_complete(), receiver.next());
            }
            sim.checker
                .settled(*id, row.stored_to, self.store.nodes[row.node].deleted);
        }
    }
}
