//! A machine: a disk, an engine, and a daemon that may die at any gap. It only drives the machines of the crate.
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rand::Rng;
use roost_protocol::control::{Control, ControlReply, GoneCause};
use roost_protocol::frame::{Envelope, ToGateway, ToNode};
use roost_protocol::hello::{Capabilities, Hello};
use roost_protocol::ids::{InstallId, InstanceId, NodeId, OperationId, SandboxId};
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::limits::{KEPT_OUTPUT_BYTES, MAX_STREAMED_BYTES};
use roost_protocol::machine::admission::{Conditions, admit};
use roost_protocol::machine::contact::{Connection, Contact};
use roost_protocol::machine::drain::{Holding, NodeDrain};
use roost_protocol::machine::lease::{Found, Lease, is_orphan};
use roost_protocol::machine::ledger::{Effect, Evidence, Kind, Slot, Stage};
use roost_protocol::machine::output::{Next, Sender};
use roost_protocol::machine::session::{Incoming, NO_EPOCH, NodeEpochs, Outgoing, Verdict};
use roost_protocol::machine::stdin::{StdinTaken, Taker};
use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::output::{OutputChunk, Piece, StreamName};
use roost_protocol::report::{Ended, ErrorKind, OperationReport, Outcome, Report, Terminal};
use roost_protocol::sandbox::WorkspaceState;
use roost_protocol::version::SUPPORTED;
use roost_protocol::vitals::Heartbeat;
use uuid::Uuid;

use crate::checker::bytes_at;
use crate::mutants::Mutant;
use crate::network::LinkId;
use crate::sandboxes::{Container, Engine, Process};
use crate::world::{Dead, HEARTBEAT_S, Sim, facts, script};

/// What the ledger's file holds of an operation.
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

/// Stdin that the guest has no room for yet.
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

    /// The daemon's process ends here and now.
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

    /// Whether anything is left to do here.
    pub fn is_quiet(&self) -> bool {
        self.revoked
            || self.daemon.as_ref().is_some_and(|daemon| {
                daemon.slots.values().all(|slot| !slot.in_flight()) && daemon.jobs.is_empty()
            })
    }

    /// Lets the node live for a moment; it may die in it.
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

    /// The connection ended under the node.
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

    fn recover(&mut self, sim: &mut Sim) -> Result<(), Dead> {
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

    fn carry_out(
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
                        // Little is kept here, so that gaps are seen.
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

    fn write(&mut self, id: OperationId, stage: Stage, sim: &mut Sim) {
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
            // The end is synced: the guest may drop what it kept. An end is use.
            if let Some(sandbox) = sandbox {
                let now_ms = sim.now_ms;
                self.touch(sandbox, now_ms);
                self.engine.forget(sandbox, id);
            }
            self.daemon().attached.remove(&id);
        }
    }

    fn erase(&mut self, id: OperationId) {
        self.ledger.remove(&id);
        self.spools.remove(&id);
        let daemon = self.daemon();
        daemon.slots.remove(&id);
        daemon.senders.remove(&id);
        daemon.requests.remove(&id);
    }

    fn finish(&mut self, id: OperationId, ended: Ended, sim: &mut Sim) -> Result<(), Dead> {
        let now_ms = sim.now_ms;
        let Some(slot) = self.daemon().slots.get_mut(&id) else {
            return Ok(());
        };
        let effects = slot.finish(ended, now_ms);
        self.carry_out(id, effects, sim)
    }

    fn work(&mut self, sim: &mut Sim) -> Result<(), Dead> {
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

    fn begin(&mut self, id: OperationId, sim: &mut Sim) -> Result<(), Dead> {
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

    fn remove(&mut self, sandbox: SandboxId) {
        self.engine.containers.remove(&sandbox);
        self.used.remove(&sandbox);
        self.daemon().leases.remove(&sandbox);
    }

    /// Reads what attached commands wrote, feeds them stdin, and notices their ends.
    fn follow_commands(&mut self, sim: &mut Sim) -> Result<(), Dead> {
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

    fn keep_house(&mut self, sim: &mut Sim) -> Result<(), Dead> {
        let now_ms = sim.now_ms;
        let slots: Vec<_> = self.daemon().slots.keys().copied().collect();
        for id in slots {
            let effects = self
                .daemon()
                .slots
                .get_mut(&id)
                .map(|slot| slot.tick(now_ms));
            self.carry_out(id, effects.unwrap_or_default(), sim)?;
        }
        let sandboxes: Vec<_> = self.engine.containers.keys().copied().collect();
        for sandbox in sandboxes {
            let container = &self.engine.containers[&sandbox];
            let (made_ms, used_ms, lease_s) =
                (container.made_ms, container.used_ms, container.lease_s);
            let busy = self.busy(sandbox);
            if busy {
                self.touch(sandbox, now_ms);
            }
            let lease = self.daemon().leases.get(&sandbox).copied();
            let mut over = lease.is_some_and(|lease| lease.is_over(busy, now_ms));
            if sim.is(Mutant::LeaseFromTheMaking) {
                over = Lease::new(lease_s, made_ms).is_over(busy, now_ms);
            }
            if over {
                sim.note(|| format!("node {}: the lease of {sandbox} is over", self.index));
                sim.checker
                    .lease_over(sandbox, now_ms - used_ms, lease_s * 1000);
                sim.gap("node: before a lease ends a sandbox")?;
                self.remove(sandbox);
                let reply = ControlReply::SandboxGone {
                    sandbox,
                    cause: GoneCause::LeaseOver,
                };
                self.send(ToGateway::Reply(reply), sim);
            }
        }
        Ok(())
    }

    fn busy(&mut self, sandbox: SandboxId) -> bool {
        let daemon = self.daemon();
        daemon.slots.iter().any(|(id, slot)| {
            slot.in_flight() && daemon.requests[id].operation.sandbox() == Some(sandbox)
        })
    }

    fn touch(&mut self, sandbox: SandboxId, now_ms: u64) {
        if !self.engine.containers.contains_key(&sandbox) {
            return;
        }
        self.used.insert(sandbox, now_ms);
        if let Some(lease) = self.daemon().leases.get_mut(&sandbox) {
            lease.used(now_ms);
        }
        if let Some(container) = self.engine.containers.get_mut(&sandbox) {
            container.used_ms = now_ms;
        }
    }

    fn holding(&mut self, sim: &mut Sim) -> Holding {
        let provisions = self.daemon().slots.values();
        let provisions = provisions
            .filter(|slot| slot.kind() == Kind::Provision && slot.in_flight())
            .count();
        Holding {
            sandboxes: self.engine.containers.len(),
            provisions: if sim.is(Mutant::OverlooksProvisions) {
                0
            } else {
                provisions
            },
            engine_silent: sim.faults && sim.rng.random_bool(0.05),
        }
    }

    fn talk(&mut self, sim: &mut Sim) -> Result<(), Dead> {
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

    fn stream(&mut self, sim: &mut Sim) {
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

    fn dial(&mut self, sim: &mut Sim) -> Result<(), Dead> {
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
        // An inventory is bounded: what is not in it may be known all the same.
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

    fn disconnect(&mut self, sim: &mut Sim) {
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

    fn send(&mut self, message: ToGateway, sim: &mut Sim) {
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

    fn take(&mut self, frame: Envelope<ToNode>, sim: &mut Sim) -> Result<(), Dead> {
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

    /// What ended between `hello` and `welcome` was said to nobody.
    fn report_again(&mut self, sim: &mut Sim) {
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

    fn request(&mut self, request: OperationRequest, sim: &mut Sim) -> Result<(), Dead> {
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

    fn control(&mut self, control: Control, sim: &mut Sim) -> Result<(), Dead> {
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
            Control::Resize { .. } | Control::Unknown => {}
        }
        Ok(())
    }

    fn stdin(&mut self, operation: OperationId, offset: u64, len: usize, eof: bool, sim: &mut Sim) {
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
        // An empty chunk asks what was taken.
        if len == 0 && !eof {
            let reply = ControlReply::StdinTaken {
                operation,
                offset: taken.taken(),
            };
            self.send(ToGateway::Reply(reply), sim);
        }
    }

    fn sweep(&mut self, wanted: &[SandboxId], grace_s: u64, sim: &mut Sim) -> Result<(), Dead> {
        let all: Vec<_> = self.engine.containers.keys().copied().collect();
        for sandbox in all {
            let found = Found {
                listed: wanted.contains(&sandbox),
                ours: true,
                busy: self.busy(sandbox),
                age_ms: sim.now_ms - self.engine.containers[&sandbox].made_ms,
            };
            if is_orphan(found, grace_s) {
                let still_wanted = sim.wanted.contains(&sandbox);
                sim.checker.orphan(sandbox, still_wanted);
                sim.gap("node: before an orphan goes")?;
                self.remove(sandbox);
            }
        }
        Ok(())
    }
}
