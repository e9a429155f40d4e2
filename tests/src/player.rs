//! A played machine that is honest: it does what it is asked, starts an id at most once (promise P2), keeps a ledger,
//! reports again after each welcome, and comes back to whichever gateway lives when its connection breaks.

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
use crate::machine::{Connection, Heard, ended};

/// A gateway that says nothing for so long, not even to a WebSocket ping, is dead.
const SILENCE: Duration = Duration::from_secs(2);

/// What the machine has done.
#[derive(Debug, Default)]
pub struct Played {
    ledger: HashMap<OperationId, LedgerEntry>,
    /// Each operation that had an effect, and how often.
    pub begun: HashMap<OperationId, u32>,
    /// What runs there now.
    pub sandboxes: BTreeMap<SandboxId, SandboxFacts>,
    /// How often it was welcomed.
    pub welcomes: u32,
}

/// A machine that plays in the background until it is dropped.
#[derive(Debug)]
pub struct Player {
    machine: Machine,
    channels: Vec<String>,
    played: Arc<Mutex<Played>>,
    task: JoinHandle<()>,
}

impl Player {
    /// Plays this machine towards these gateways, one after the other.
    pub fn start(machine: Machine, channels: Vec<String>) -> Self {
        let played = Arc::<Mutex<Played>>::default();
        Self {
            task: tokio::spawn(play(machine.clone(), channels.clone(), played.clone())),
            machine,
            channels,
            played,
        }
    }

    /// Breaks its connection off and stays away; what it has done it keeps.
    pub fn leave(&mut self) {
        self.task.abort();
    }

    /// Comes back after [`Self::leave`].
    pub fn come_back(&mut self) {
        let (machine, channels) = (self.machine.clone(), self.channels.clone());
        self.task = tokio::spawn(play(machine, channels, self.played.clone()));
    }

    /// What it has done so far.
    pub fn played(&self) -> MutexGuard<'_, Played> {
        lock(&self.played)
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn play(machine: Machine, channels: Vec<String>, played: Arc<Mutex<Played>>) {
    for channel in channels.iter().cycle() {
        let machine = Machine {
            channel: channel.clone(),
            ..machine.clone()
        };
        let dialled = timeout(SILENCE, machine.try_dial()).await;
        if let Ok(Ok(connection)) = dialled {
            session(&machine, connection, &played).await;
        }
        sleep(Duration::from_millis(50)).await;
    }
}

fn lock(played: &Mutex<Played>) -> MutexGuard<'_, Played> {
    played.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn session(machine: &Machine, mut connection: Connection, played: &Mutex<Played>) {
    let inventory = lock(played).inventory();
    let hello = ToGateway::Hello(machine.hello(inventory));
    connection.say(hello).await;
    while let Some(message) = next(&mut connection).await {
        match message {
            ToNode::Welcome(welcome) => {
                connection.outgoing.welcomed(welcome.epoch);
                let again = {
                    let mut played = lock(played);
                    played.welcomes += 1;
                    played.inventory().operations
                };
                for entry in again {
                    let report = entry.ended.map_or(Report::Accepted, Report::Ended);
                    connection.report(entry.operation, report).await;
                }
            }
            ToNode::Refused(_) => return,
            ToNode::Operation(request) => {
                let end = lock(played).carry_out(&request);
                connection.report(request.id, Report::Accepted).await;
                connection.report(request.id, Report::Ended(end)).await;
            }
            ToNode::Control(control) => heed(&mut connection, control, played).await,
            ToNode::Unknown => {}
        }
    }
}

/// The next frame; `None` when the connection is dead.
async fn next(connection: &mut Connection) -> Option<ToNode> {
    let mut silent = Duration::ZERO;
    while silent < SILENCE {
        match timeout(Duration::from_millis(500), connection.listen()).await {
            Ok(Heard::Frame(message)) => return Some(*message),
            Ok(Heard::Pong) => silent = Duration::ZERO,
            Ok(Heard::Closed) => return None,
            Err(_) => {
                silent += Duration::from_millis(500);
                connection.ping().await;
                let beat = ToGateway::Heartbeat(Heartbeat::default());
                connection.say(beat).await;
            }
        }
    }
    None
}

async fn heed(connection: &mut Connection, control: Control, played: &Mutex<Played>) {
    match control {
        Control::Ack { operation } => {
            lock(played).ledger.remove(&operation);
        }
        Control::Ping { nonce } => {
            let pong = ToGateway::Reply(ControlReply::Pong { nonce });
            connection.say(pong).await;
        }
        Control::Reconcile { waiting, .. } => {
            let inventory = lock(played).inventory();
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
            connection.say(ToGateway::Inventory(inventory)).await;
        }
        _ => {}
    }
}

impl Played {
    fn inventory(&self) -> Inventory {
        Inventory {
            operations: self.ledger.values().cloned().collect(),
            sandboxes: self.sandboxes.values().cloned().collect(),
            ..Inventory::default()
        }
    }

    /// The ledger first; what it knows is not done again.
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
            Operation::SbHealth(_) | Operation::Unsupported => {
                let detail = "this machine is played";
                return Ended::without_result(Terminal::Failed, ErrorKind::Unsupported, detail);
            }
        };
        ended(Terminal::Done, outcome)
    }
}
