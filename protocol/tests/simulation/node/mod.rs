//! A machine: a disk, an engine, and a daemon that may die at any gap. It only drives the state machines of the crate.
mod housekeeping;
mod receive;
mod send;
mod work;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rand::Rng;
use roost_protocol::frame::{Envelope, ToNode};
use roost_protocol::ids::{InstallId, InstanceId, NodeId, OperationId, SandboxId};
use roost_protocol::limits::MAX_STREAMED_BYTES;
use roost_protocol::machine::contact::Contact;
use roost_protocol::machine::drain::NodeDrain;
use roost_protocol::machine::lease::Lease;
use roost_protocol::machine::ledger::{Kind, Slot, Stage};
use roost_protocol::machine::output::Sender;
use roost_protocol::machine::session::{Incoming, NodeEpochs, Outgoing};
use roost_protocol::machine::stdin::Taker;
use roost_protocol::operation::OperationRequest;

use crate::network::LinkId;
use crate::sandboxes::Engine;
use crate::world::{Dead, Sim};

/// The ledger's record of an operation.
#[derive(Debug)]
struct Record {
    request: OperationRequest,
    stage: Stage,
    guest: Option<InstanceId>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spool {
    end: u64,
    kept_from: u64,
    dropped: u64,
}

#[derive(Debug)]
struct Session {
    link: LinkId,
    incoming: Option<Incoming>,
    outgoing: Outgoing,
    contact: Contact,
    beat_ms: u64,
}

/// Stdin for which the guest has no room yet.
#[derive(Debug, Default)]
struct Held {
    taker: Taker,
    chunks: VecDeque<(u64, u64, bool)>,
}

#[derive(Debug)]
struct Daemon {
    instance: InstanceId,
    slots: BTreeMap<OperationId, Slot>,
    requests: BTreeMap<OperationId, OperationRequest>,
    senders: BTreeMap<OperationId, Sender>,
    sent_to: BTreeMap<OperationId, u64>,
    stdin: BTreeMap<OperationId, Held>,
    jobs: VecDeque<OperationId>,
    recovering: BTreeSet<OperationId>,
    attached: BTreeSet<OperationId>,
    leases: BTreeMap<SandboxId, Lease>,
    drain: NodeDrain,
    epochs: NodeEpochs,
    session: Option<Session>,
    dial_ms: u64,
}

/// The machine.
#[derive(Debug)]
pub struct Node {
    pub index: usize,
    pub id: NodeId,
    pub install: InstallId,
    pub engine: Engine,
    pub revoked: bool,
    boot: u32,
    ledger: BTreeMap<OperationId, Record>,
    spools: BTreeMap<OperationId, Spool>,
    used: BTreeMap<SandboxId, u64>,
    daemon: Option<Daemon>,
}

impl Node {
    pub fn new(index: usize, sim: &mut Sim) -> Self {
        Self {
            index,
            id: sim.id().into(),
            install: sim.id().into(),
            engine: Engine::default(),
            revoked: false,
            boot: 0,
            ledger: BTreeMap::new(),
            spools: BTreeMap::new(),
            used: BTreeMap::new(),
            daemon: None,
        }
    }

    /// The daemon's process dies here.
    pub fn kill(&mut self, sim: &mut Sim) {
        if let Some(session) = self.daemon.take().and_then(|daemon| daemon.session) {
            sim.net.links[session.link].node_open = false;
        }
    }

    /// The machine loses power: the engine's containers are gone, the synced ledger stays.
    pub fn power_cut(&mut self, sim: &mut Sim) {
        self.kill(sim);
        self.boot += 1;
        self.engine.containers.clear();
        for spool in self.spools.values_mut() {
            spool.end -= sim.rng.random_range(0..=spool.end - spool.kept_from);
        }
    }

    /// Whether this machine has nothing left to do.
    pub fn is_quiet(&self) -> bool {
        self.revoked
            || self.daemon.as_ref().is_some_and(|daemon| {
                daemon.slots.values().all(|slot| !slot.in_flight()) && daemon.jobs.is_empty()
            })
    }

    /// Runs the node for a moment; it may die in it.
    pub fn step(&mut self, sim: &mut Sim) {
        let lived = self.live(sim);
        if lived.is_err() {
            sim.note(|| format!("node {} dies", self.index));
            self.kill(sim);
        }
    }

    /// A frame arrives.
    pub fn receive(&mut self, link: LinkId, frame: Envelope<ToNode>, sim: &mut Sim) {
        let own = self.session().is_some_and(|session| session.link == link);
        if own && self.take(frame, sim).is_err() {
            sim.note(|| format!("node {} dies", self.index));
            self.kill(sim);
        }
    }

    /// The other side closed the connection.
    pub fn closed(&mut self, link: LinkId, sim: &mut Sim) {
        if self.session().is_some_and(|session| session.link == link) {
            self.disconnect(sim);
        }
    }

    fn session(&mut self) -> Option<&mut Session> {
        self.daemon.as_mut()?.session.as_mut()
    }

    fn live(&mut self, sim: &mut Sim) -> Result<(), Dead> {
        if self.daemon.is_none() {
            if !self.revoked && sim.rng.random_bool(0.3) {
                self.start(sim);
            }
            return Ok(());
        }
        self.recover(sim)?;
        self.work(sim)?;
        self.follow_commands(sim)?;
        self.keep_house(sim)?;
        self.talk(sim)
    }

    fn start(&mut self, sim: &mut Sim) {
        let mut daemon = Daemon {
            instance: sim.id().into(),
            slots: BTreeMap::new(),
            requests: BTreeMap::new(),
            senders: BTreeMap::new(),
            sent_to: BTreeMap::new(),
            stdin: BTreeMap::new(),
            jobs: VecDeque::new(),
            recovering: BTreeSet::new(),
            attached: BTreeSet::new(),
            leases: BTreeMap::new(),
            drain: NodeDrain::default(),
            epochs: NodeEpochs::default(),
            session: None,
            dial_ms: sim.now_ms,
        };
        for (id, record) in &self.ledger {
            let kind = Kind::of(&record.request.operation).expect("only known work is recorded");
            let slot = Slot::load(kind, record.stage.clone(), sim.now_ms);
            if slot.in_flight() {
                daemon.recovering.insert(*id);
            } else if let Some(sandbox) = record.request.operation.sandbox() {
                self.engine.forget(sandbox, *id);
            }
            if kind == Kind::Exec {
                let spool = self.spools.get(id).copied().unwrap_or_default();
                let mut sender = Sender::restore(
                    MAX_STREAMED_BYTES,
                    spool.kept_from,
                    spool.end,
                    spool.dropped,
                );
                if let Some(ended) = slot.ended() {
                    sender.ended_at(ended.output_end);
                    sim.checker.gone(*id, spool.end, ended.output_end);
                }
                daemon.senders.insert(*id, sender);
            }
            daemon.slots.insert(*id, slot);
            daemon.requests.insert(*id, record.request.clone());
        }
        for (sandbox, container) in &self.engine.containers {
            let used_ms = self.used.get(sandbox).copied();
            let lease = Lease::restore(
                container.lease_s,
                used_ms.unwrap_or(0),
                used_ms.is_some(),
                sim.now_ms,
            );
            daemon.leases.insert(*sandbox, lease);
        }
        self.daemon = Some(daemon);
    }

    fn daemon(&mut self) -> &mut Daemon {
        self.daemon
            .as_mut()
            .expect("only a living daemon gets here")
    }
}
