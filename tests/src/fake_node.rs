//! An honest fake node: it carries out its operations, starts an id at most once (promise P2), keeps a ledger, reports
//! again after each welcome, and reconnects to a live gateway when its connection breaks.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use roost_protocol::control::{Control, ControlReply};
use roost_protocol::frame::{ToGateway, ToNode};
use roost_protocol::ids::{OperationId, SandboxId};
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::report::{Ended, ErrorKind, Outcome, Report, Terminal};
use roost_protocol::sandbox::{ContainerState, SandboxFacts, WorkspaceState};
use roost_protocol::verify::VerifyReport;
use roost_protocol::vitals::Heartbeat;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::Machine;
use crate::machine::{Connection, Received, ended};

/// A gateway that sends nothing for so long, not even a WebSocket pong, counts as dead.
const SILENCE: Duration = Duration::from_secs(2);

/// What the node has done.
#[derive(Debug, Default)]
pub struct NodeHistory {
    ledger: HashMap<OperationId, LedgerEntry>,
    /// Each operation with an effect, and how often it ran.
    pub begun: HashMap<OperationId, u32>,
    /// The running sandboxes.
    pub sandboxes: BTreeMap<SandboxId, SandboxFacts>,
    /// Number of welcomes.
    pub welcomes: u32,
}

/// A fake node that runs in the background until it is dropped.
#[derive(Debug)]
pub struct FakeNode {
    machine: Machine,
    channels: Vec<String>,
    history: Arc<Mutex<NodeHistory>>,
    task: JoinHandle<()>,
}

impl FakeNode {
    /// Connects this machine to these gateways, one after the other.
    pub fn start(machine: Machine, channels: Vec<String>) -> Self {
        let history = Arc::<Mutex<NodeHistory>>::default();
        Self {
            task: tokio::spawn(run(machine.clone(), channels.clone(), history.clone())),
            machine,
            channels,
            history,
        }
    }

    /// Breaks its connection and stays away; it keeps its state.
    pub fn leave(&mut self) {
        self.task.abort();
    }

    /// Reconnects after [`Self::leave`].
    pub fn come_back(&mut self) {
        let (machine, channels) = (self.machine.clone(), self.channels.clone());
        self.task = tokio::spawn(run(machine, channels, self.history.clone()));
    }

    /// What it has done so far.
    pub fn history(&self) -> MutexGuard<'_, NodeHistory> {
        lock(&self.history)
    }
}

impl Drop for FakeNode {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn run(machine: Machine, channels: Vec<String>, history: Arc<Mutex<NodeHistory>>) {
    for channel in channels.iter().cycle() {
        let machine = Machine {
            channel: channel.clone(),
            ..machine.clone()
        };
        let dialled = timeout(SILENCE, machine.try_dial()).await;
        if let Ok(Ok(connection)) = dialled {
            session(&machine, connection, &history).await;
        }
        sleep(Duration::from_millis(50)).await;
    }
}

fn lock(history: &Mutex<NodeHistory>) -> MutexGuard<'_, NodeHistory> {
    history.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn session(machine: &Machine, mut connection: Connection, history: &Mutex<NodeHistory>) {
    let inventory = lock(history).inventory();
    let hello = ToGateway::Hello(machine.hello(inventory));
    connection.send(hello).await;
    while let Some(message) = next(&mut connection).await {
        match message {
            ToNode::Welcome(welcome) => {
                connection.outgoing.welcomed(welcome.epoch);
                let again = {
                    let mut history = lock(history);
                    history.welcomes += 1;
                    history.inventory().operations
                };
                for entry in again {
                    let report = entry.ended.map_or(Report::Accepted, Report::Ended);
                    connection.report(entry.operation, report).await;
                }
            }
            ToNode::Refused(_) => return,
            ToNode::Operation(request) => {
                let end = lock(history).carry_out(&request);
                connection.report(request.id, Report::Accepted).await;
                connection.report(request.id, Report::Ended(end)).await;
            }
            ToNode::Control(control) => handle_control(&mut connection, control, history).await,
            ToNode::Unknown => {}
        }
    }
}

/// The next frame; `None` when the connection is dead.
async fn next(connection: &mut Connection) -> Option<ToNode> {
    let mut silent = Duration::ZERO;
    while silent < SILENCE {
        match timeout(Duration::from_millis(500), connection.next_message()).await {
            Ok(Received::Frame(message)) => return Some(*message),
            Ok(Received::Pong) => silent = Duration::ZERO,
            Ok(Received::Closed) => return None,
            Err(_) => {
                silent += Duration::from_millis(500);
                connection.ping().await;
                let beat = ToGateway::Heartbeat(Heartbeat::default());
                connection.send(beat).await;
            }
        }
    }
    None
}

async fn handle_control(
    connection: &mut Connection,
    control: Control,
    history: &Mutex<NodeHistory>,
) {
    match control {
        Control::Ack { operation } => {
            lock(history).ledger.remove(&operation);
        }
        Control::Ping { nonce } => {
            let pong = ToGateway::Reply(ControlReply::Pong { nonce });
            connection.send(pong).await;
        }
        Control::Reconcile { waiting, .. } => {
            let inventory = lock(history).inventory();
            for operation in waiting {
                let known = inventory
                    .operations
                    .iter()
                    .find(|entry| entry.operation == operation);
                let report = match known {
                    Some(entry) => entry.ended.clone().map_or(Report::Accepted, Report::Ended),
                    None => Report::NeverSeen,
                };
                connection.report(operation, report).await;
            }
            connection.send(ToGateway::Inventory(inventory)).await;
        }
        _ => {}
    }
}

impl NodeHistory {
    fn inventory(&self) -> Inventory {
        Inventory {
            operations: self.ledger.values().cloned().collect(),
            sandboxes: self.sandboxes.values().cloned().collect(),
            ..Inventory::default()
        }
    }

    /// The ledger comes first: a known operation is not repeated.
    fn carry_out(&mut self, request: &OperationRequest) -> Ended {
        if let Some(end) = self.ledger.get(&request.id).and_then(|e| e.ended.clone()) {
            return end;
        }
        *self.begun.entry(request.id).or_default() += 1;
        let end = self.effect(&request.operation);
        let entry = LedgerEntry {
            operation: request.id,
            output_end: 0,
            ended: Some(end.clone()),
        };
        self.ledger.insert(request.id, entry);
        end
    }

    fn effect(&mut self, operation: &Operation) -> Ended {
        let outcome = match operation {
            Operation::Verify(_) => Outcome::Verified {
                report: VerifyReport {
                    ok: true,
                    checks: Vec::new(),
                    probe: Vec::new(),
                    duration_ms: 1,
                },
            },
            Operation::SbProvision(provision) => {
                let spec = &provision.spec;
                let facts = SandboxFacts {
                    sandbox: spec.sandbox,
                    workspace: spec.workspace,
                    agent: spec.agent,
                    epoch: spec.epoch,
                    container: "played".into(),
                    image: spec.image.clone(),
                    state: ContainerState::Running,
                    created_at_s: 0,
                    limits: spec.limits,
                };
                self.sandboxes.insert(spec.sandbox, facts.clone());
                Outcome::Provisioned {
                    sandbox: facts,
                    workspace: WorkspaceState::Empty,
                }
            }
            Operation::SbExec(_) => Outcome::Exited { code: 0 },
            Operation::SbDestroy(destroy) => {
                self.sandboxes.remove(&destroy.sandbox);
                Outcome::Destroyed { archive: None }
            }
            Operation::SbList(_) => Outcome::Listed {
                sandboxes: self.sandboxes.values().cloned().collect(),
            },
            Operation::SbHealth(_) | Operation::SbFlush(_) | Operation::Unsupported => {
                let detail = "this machine is played";
                return Ended::without_result(Terminal::Failed, ErrorKind::Unsupported, detail);
            }
        };
        ended(Terminal::Done, outcome)
    }
}
