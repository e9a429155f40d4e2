//! One history: the order of actions, the faults, and the end.
mod fate;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use rand::Rng;
use roost_protocol::frame::Envelope;
use roost_protocol::ids::{AgentId, SandboxId, WorkspaceId};
use roost_protocol::machine::session::{CloseCause, Incoming, Verdict};
use roost_protocol::operation::{
    Destroy, Exec, List, OnBehalf, Operation, OperationRequest, Provision,
};
use roost_protocol::sandbox::{ContainerState, Limits, SandboxFacts, SandboxSpec};
use uuid::Uuid;

use crate::checker::Checker;
use crate::dice::Dice;
use crate::gateway::Gateway;
use crate::mutants::Mutant;
use crate::network::Network;
use crate::node::Node;

pub const HEARTBEAT_S: u32 = 10;
pub const LEASE_S: u64 = 90;
pub const GRACE_S: u64 = 60;

/// Every gap in which a process can die. A test fails if no process died in one of them.
pub const GAPS: [&str; 24] = [
    "node: before a ledger write",
    "node: after a ledger write",
    "node: before a report",
    "node: before a kill",
    "node: between begin and the engine",
    "node: between the engine and the end",
    "node: between the guest and the attach",
    "node: between an exit and its end",
    "node: before a lease ends a sandbox",
    "node: before an orphan goes",
    "node: before it dials",
    "gateway: between a new row and its sending",
    "gateway: between a wish to cancel and its sending",
    "gateway: between a wish to drain and its sending",
    "gateway: between a deletion and its ends",
    "gateway: before a request is sent",
    "gateway: before a cancel is sent",
    "gateway: before a reconcile is sent",
    "gateway: before an end is stored",
    "gateway: between a stored end and its ack",
    "gateway: before an epoch is taken",
    "gateway: between an epoch and its welcome",
    "gateway: before inventories are compared",
    "gateway: between stored output and its credit",
];

/// A process died in a gap.
#[derive(Debug)]
pub struct Dead;

/// The shared state.
#[derive(Debug)]
pub struct Sim {
    pub rng: Dice,
    pub now_ms: u64,
    pub wall_ms: u64,
    pub net: Network,
    pub checker: Checker,
    pub faults: bool,
    /// Sandboxes that the gateway's store wants.
    pub wanted: BTreeSet<SandboxId>,
    /// Nodes that the gateway reports as drained now.
    pub drained: Vec<usize>,
    mutant: Option<Mutant>,
    kills: BTreeMap<&'static str, u64>,
    deadly: f64,
    verbose: bool,
    told: DefaultHasher,
    next_id: u128,
}

impl Sim {
    pub fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    /// A gap between two effects.
    pub fn gap(&mut self, name: &'static str) -> Result<(), Dead> {
        if self.faults && self.rng.random_bool(self.deadly) {
            *self.kills.entry(name).or_insert(0) += 1;
            self.note(|| format!("death: {name}"));
            return Err(Dead);
        }
        Ok(())
    }

    /// Prints a note during a replay.
    pub fn note(&mut self, what: impl FnOnce() -> String) {
        if self.verbose {
            let (now_ms, what) = (self.now_ms, what());
            what.hash(&mut self.told);
            println!("{now_ms:>8} {what}");
        }
    }

    pub fn id(&mut self) -> Uuid {
        self.next_id += 1;
        Uuid::from_u128(self.next_id)
    }

    /// Checks a frame, or accepts it if the mutant skips the check.
    pub fn judge<M>(&self, incoming: &mut Incoming, frame: &Envelope<M>) -> Verdict {
        match incoming.judge(frame) {
            Verdict::Duplicate | Verdict::Close(CloseCause::Missing { .. })
                if self.is(Mutant::IgnoresSequence) =>
            {
                Verdict::Take
            }
            Verdict::Close(CloseCause::ForeignEpoch { .. }) if self.is(Mutant::IgnoresEpoch) => {
                Verdict::Take
            }
            Verdict::Close(CloseCause::Closed)
                if self.is(Mutant::IgnoresSequence) || self.is(Mutant::IgnoresEpoch) =>
            {
                Verdict::Take
            }
            verdict => verdict,
        }
    }
}

/// The behaviour of a command, parsed from its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    pub output: u64,
    pub stdin: u64,
}

pub fn script(exec: &Exec) -> Script {
    let number = |at: usize| {
        exec.argv
            .get(at)
            .and_then(|text| text.parse().ok())
            .unwrap_or(0)
    };
    Script {
        output: number(1),
        stdin: number(2),
    }
}

/// A node's facts about a sandbox that it made.
pub fn facts(spec: &SandboxSpec) -> SandboxFacts {
    SandboxFacts {
        workspace: spec.workspace,
        agent: spec.agent,
        ..bare_facts(spec.sandbox)
    }
}

/// A node's facts about a sandbox that it found.
pub fn bare_facts(sandbox: SandboxId) -> SandboxFacts {
    SandboxFacts {
        sandbox,
        workspace: WorkspaceId(Uuid::nil()),
        agent: AgentId(Uuid::nil()),
        epoch: 1,
        container: "c".into(),
        image: "i".into(),
        state: ContainerState::Running,
        created_at_s: 0,
        limits: Limits::default(),
    }
}

/// One history.
#[derive(Debug)]
pub struct World {
    sim: Sim,
    gateway: Gateway,
    nodes: Vec<Node>,
    steps: u32,
}

impl World {
    pub fn new(seed: u64, mutant: Option<Mutant>, verbose: bool) -> Self {
        let mut sim = Sim {
            rng: Dice::new(seed),
            now_ms: 1_000,
            wall_ms: 1_780_000_000_000,
            net: Network::default(),
            checker: Checker::default(),
            faults: true,
            wanted: BTreeSet::new(),
            drained: Vec::new(),
            mutant,
            kills: BTreeMap::new(),
            deadly: 0.0,
            verbose,
            told: DefaultHasher::new(),
            next_id: u128::from(seed) << 64,
        };
        sim.deadly = [0.0, 0.005, 0.02, 0.05][sim.rng.random_range(0..4)];
        let many = sim.rng.random_range(1..=3);
        let nodes: Vec<_> = (0..many).map(|index| Node::new(index, &mut sim)).collect();
        let gateway = Gateway::new(&nodes);
        let steps = sim.rng.random_range(100..700);
        Self {
            sim,
            gateway,
            nodes,
            steps,
        }
    }

    pub fn kills(&self) -> BTreeMap<&'static str, u64> {
        self.sim.kills.clone()
    }

    /// A number that differs between different histories.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{self:?}").hash(&mut hasher);
        hasher.finish()
    }

    /// Runs the faulty phase, then the quiet phase after it.
    pub fn run(&mut self) -> Result<(), String> {
        for _ in 0..self.steps {
            self.step()?;
        }
        self.sim.note(|| "peace".to_owned());
        self.sim.faults = false;
        self.sim.net.heal();
        for _ in 0..4000 {
            self.step()?;
            if self.gateway.is_settled() && self.nodes.iter().all(Node::is_quiet) {
                break;
            }
        }
        self.gateway.settle(&mut self.sim);
        self.verdict()
    }

    fn verdict(&self) -> Result<(), String> {
        self.sim.checker.violation.clone().map_or(Ok(()), Err)
    }

    fn step(&mut self) -> Result<(), String> {
        let sim = &mut self.sim;
        sim.now_ms += sim.rng.random_range(0..400);
        sim.wall_ms += 200;
        if sim.faults {
            if sim.rng.random_bool(0.35) {
                self.people();
            }
            if self.sim.rng.random_bool(0.12) {
                self.fate();
            }
        }
        let sim = &mut self.sim;
        for node in &mut self.nodes {
            if sim.rng.random_bool(0.7) {
                node.engine.work(sim.now_ms, &mut sim.rng);
            }
            if sim.rng.random_bool(0.7) {
                node.step(sim);
            }
        }
        if self.sim.rng.random_bool(0.8) {
            self.gateway.step(&mut self.sim);
        }
        self.deliver();
        self.gateway.check(&mut self.sim);
        for node in std::mem::take(&mut self.sim.drained) {
            self.sim
                .checker
                .drained(node, self.nodes[node].engine.containers.len());
        }
        self.verdict()
    }

    fn deliver(&mut self) {
        for id in 0..self.sim.net.links.len() {
            for _ in 0..self.sim.rng.random_range(0..6) {
                let sim = &mut self.sim;
                let link = &mut sim.net.links[id];
                if link.up.is_empty()
                    && link.down.is_empty()
                    && !link.node_open
                    && !link.gateway_open
                {
                    break;
                }
                let node = link.node;
                if !link.cut_up && sim.rng.random_bool(0.6) {
                    if let Some(frame) = link.up.pop_front() {
                        // Frames that were sent before the node closed still arrive.
                        if link.gateway_open {
                            self.gateway.receive(id, frame, sim);
                        }
                    } else if !link.node_open && link.gateway_open {
                        self.gateway.closed(id, sim);
                    }
                }
                let link = &mut sim.net.links[id];
                if !link.cut_down && sim.rng.random_bool(0.6) {
                    if let Some(frame) = link.down.pop_front() {
                        if link.node_open {
                            self.nodes[node].receive(id, frame, sim);
                        }
                    } else if !link.gateway_open && link.node_open {
                        link.node_open = false;
                        self.nodes[node].closed(id, sim);
                    }
                }
            }
        }
    }

    /// A person requests something.
    fn people(&mut self) {
        let sim = &mut self.sim;
        match sim.rng.random_range(0..22) {
            0..=4 => self.place(),
            20..=21 => self.gateway.read_again(sim),
            5..=11 => {
                if let Some((sandbox, node)) = self.gateway.sandbox(sim) {
                    let output = match sim.rng.random_range(0..20) {
                        0 => 900_000,
                        1..=5 => 0,
                        _ => sim.rng.random_range(0..400),
                    };
                    let stdin = sim.rng.random_bool(0.3);
                    let typed = if stdin {
                        sim.rng.random_range(0..200)
                    } else {
                        0
                    };
                    let exec = Exec {
                        sandbox,
                        argv: vec!["work".into(), output.to_string(), typed.to_string()],
                        cwd: None,
                        env: BTreeMap::new(),
                        stdin,
                        tty: None,
                        deadline_s: 600,
                    };
                    self.ask(node, Operation::SbExec(exec));
                }
            }
            12 => {
                if let Some((sandbox, node)) = self.gateway.sandbox(sim) {
                    self.ask(
                        node,
                        Operation::SbDestroy(Destroy {
                            sandbox,
                            archive: false,
                        }),
                    );
                }
            }
            13 => {
                let node = sim.rng.random_range(0..self.nodes.len());
                if !self.nodes[node].revoked {
                    self.ask(node, Operation::SbList(List {}));
                }
            }
            14..=16 => {
                if let Some(id) = self.gateway.running(sim) {
                    self.gateway.cancel(id, sim);
                }
            }
            17 => {
                let node = sim.rng.random_range(0..self.nodes.len());
                let on = sim.rng.random_bool(0.5);
                self.gateway.drain(node, on, sim);
            }
            18 => {
                // Changes of the wish, faster than the node answers.
                let node = sim.rng.random_range(0..self.nodes.len());
                self.gateway.drain(node, true, sim);
                self.gateway.drain(node, false, sim);
                self.place();
                self.gateway.drain(node, true, &mut self.sim);
            }
            _ => {
                if sim.rng.random_bool(0.02) {
                    let node = sim.rng.random_range(0..self.nodes.len());
                    self.gateway.delete(node, sim);
                }
            }
        }
    }

    fn place(&mut self) {
        if let Some(node) = self.gateway.placeable(&mut self.sim) {
            let spec = SandboxSpec {
                sandbox: self.sim.id().into(),
                workspace: WorkspaceId(Uuid::nil()),
                agent: AgentId(Uuid::nil()),
                node: None,
                epoch: 1,
                image: "roost-agent".into(),
                image_digest: None,
                limits: Limits::default(),
                env: BTreeMap::new(),
                lease_s: LEASE_S,
            };
            self.ask(
                node,
                Operation::SbProvision(Provision {
                    spec,
                    restore: None,
                }),
            );
        }
    }

    fn ask(&mut self, node: usize, operation: Operation) {
        let request = OperationRequest {
            purpose: None,
            id: self.sim.id().into(),
            on_behalf: Some(OnBehalf {
                workspace: WorkspaceId(Uuid::nil()),
                agent: AgentId(Uuid::nil()),
            }),
            operation,
        };
        self.sim.note(|| {
            format!(
                "asks node {node} for {} {}",
                request.id,
                request.operation.name()
            )
        });
        self.gateway.ask(node, request, &mut self.sim);
    }
}
