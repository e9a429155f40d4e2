//! What the tasks of one executor share. The lock is never held over an await; the ledger's book is locked inside it.
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use roost_protocol::ids::{OperationId, SandboxId};
use roost_protocol::machine::drain::NodeDrain;
use roost_protocol::machine::lease::Lease;
use roost_protocol::machine::ledger::{Effect, Slot};
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::{Ended, OperationReport, Report};
use roost_protocol::sandbox::SandboxFacts;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::chaos::KillPoint;
use super::config::ExecutorClock;
use super::engine::Engine;
use super::event::Event;
use super::ledger::{Ledger, LedgerError};
use super::owner_log::OwnerLog;
use super::policy::OwnerPolicy;
use super::session::Session;
use super::spool::SpoolFolder;
use super::stream::Stream;
use super::work::exec::Input;

/// How often an end that could not be written is tried again.
const WRITE_AGAIN: Duration = Duration::from_millis(500);

/// Everything of one executor.
pub struct Shared {
    pub clock: ExecutorClock,
    pub policy: OwnerPolicy,
    pub ledger: Ledger,
    pub spools: SpoolFolder,
    pub log: OwnerLog,
    pub engine: Engine,
    /// Nothing new is begun, and commands are left to their guests.
    pub stop: CancellationToken,
    /// The grace is over: what still runs is left to the next life.
    pub cut: CancellationToken,
    pub tasks: TaskTracker,
    /// Held as long as this executor works.
    lock: Mutex<Option<File>>,
    desk: Mutex<Desk>,
}

/// What changes.
#[derive(Default)]
pub struct Desk {
    pub live: HashMap<OperationId, Live>,
    /// Output that this session may be sent: of operations under way and of ended ones that were asked for.
    pub streams: HashMap<OperationId, Arc<Stream>>,
    pub sandboxes: BTreeMap<SandboxId, Known>,
    pub session: Option<Session>,
    pub drain: NodeDrain,
    pub paused: bool,
    /// Ends that wait for the disk, and what it said. Nobody hears of them before they are written.
    pub unwritten: BTreeMap<OperationId, LedgerError>,
}

/// An operation under way.
pub struct Live {
    pub slot: Slot,
    pub request: Arc<OperationRequest>,
    /// The ledger holds it.
    pub accepted: bool,
    pub began: Duration,
    pub cancel: CancellationToken,
    pub input: mpsc::Sender<Input>,
    /// Taken by the work when it begins.
    pub inputs: Option<mpsc::Receiver<Input>>,
}

/// A sandbox that is known to run here.
pub struct Known {
    pub facts: SandboxFacts,
    pub lease: Lease,
}

impl Shared {
    pub fn new(
        (clock, policy): (ExecutorClock, OwnerPolicy),
        (ledger, spools, log, lock): (Ledger, SpoolFolder, OwnerLog, File),
        engine: Engine,
    ) -> Self {
        Self {
            clock,
            policy,
            ledger,
            spools,
            log,
            engine,
            stop: CancellationToken::new(),
            cut: CancellationToken::new(),
            tasks: TaskTracker::new(),
            lock: Mutex::new(Some(lock)),
            desk: Mutex::default(),
        }
    }

    /// What changes, locked.
    pub fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Monotonic milliseconds.
    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.monotonic().as_millis()).unwrap_or(u64::MAX)
    }

    /// Tells the session that is attached, if one is. What matters is on disk and told again at the next attach.
    pub async fn tell(&self, event: Event) {
        let session = self.desk().session.clone();
        if let Some(session) = session {
            session.tell(event).await;
        }
    }

    /// Tells a report on an operation.
    pub async fn report(&self, operation: OperationId, report: Report) {
        self.tell(Event::Report(OperationReport { operation, report }))
            .await;
    }

    /// Asked right before the engine is called: false when the operation was cancelled meanwhile.
    pub fn begin(&self, operation: OperationId) -> bool {
        self.desk()
            .live
            .get_mut(&operation)
            .is_some_and(|live| live.slot.begin())
    }

    /// Lets another executor work in the folder.
    pub fn release(&self) {
        let lock = self.lock.lock();
        lock.unwrap_or_else(PoisonError::into_inner).take();
    }

    /// The work is over: the ledger first, then the owner's log, then the gateway. Only the first end counts. `false`
    /// when this life ends before its end is written: then nobody was told, and the next life finds out again.
    pub async fn finish(
        &self,
        operation: OperationId,
        ended: Ended,
        after_ledger: Option<KillPoint>,
    ) -> bool {
        let now_ms = self.now_ms();
        let effects = match self.desk().live.get_mut(&operation) {
            Some(live) => live.slot.finish(ended, now_ms),
            None => return false,
        };
        self.carry_out_end(operation, effects, after_ledger).await
    }

    /// Carries out what a slot says of an end; `false` when there is none, or it is not written before this life ends.
    pub async fn carry_out_end(
        &self,
        operation: OperationId,
        effects: Vec<Effect>,
        after_ledger: Option<KillPoint>,
    ) -> bool {
        let Some(ended) = self.write_end(operation, effects).await else {
            return false;
        };
        if let Some(point) = after_ledger {
            point.pass();
        }
        let (request, stream) = {
            let mut desk = self.desk();
            let live = desk.live.remove(&operation);
            (
                live.map(|live| live.request),
                desk.streams.get(&operation).cloned(),
            )
        };
        if let Some(request) = request {
            self.log.ended(&request, &ended, self.clock.now_s());
            self.used(&request);
        }
        match stream {
            // Its end is told behind its output, by the stream's own sender.
            Some(stream) => stream.ended(ended),
            None => self.report(operation, Report::Ended(ended)).await,
        }
        true
    }

    /// Writes the end that the slot gave out, as often as it takes: one that were told and not written, a restart could
    /// contradict (promise P2). `None` when there is none to write, or this life ends before there is room.
    async fn write_end(&self, operation: OperationId, mut effects: Vec<Effect>) -> Option<Ended> {
        loop {
            let ended = effects.into_iter().find_map(|effect| match effect {
                Effect::Report(Report::Ended(ended)) => Some(ended),
                _ => None,
            })?;
            let Err(error) = self.ledger.end(operation, ended.clone()).await else {
                self.desk().unwritten.remove(&operation);
                return Some(ended);
            };
            {
                let mut desk = self.desk();
                if let Some(live) = desk.live.get_mut(&operation) {
                    // An end gives out nothing when it is not written; the slot keeps it for its next tick.
                    let _ = live.slot.write_failed(&error.to_string());
                }
                if desk.unwritten.insert(operation, error.clone()).is_none() {
                    tracing::error!(%operation, %error, "an end waits for the disk; the gateway is told when it is written");
                }
            }
            let pause = tokio::time::sleep(WRITE_AGAIN);
            self.stop.run_until_cancelled(pause).await?;
            let now_ms = self.now_ms();
            effects = self.desk().live.get_mut(&operation)?.slot.tick(now_ms);
        }
    }

    /// The sandbox of this request is in use now.
    pub fn used(&self, request: &OperationRequest) {
        let now_ms = self.now_ms();
        let mut desk = self.desk();
        if let Some(known) = request
            .operation
            .sandbox()
            .and_then(|sandbox| desk.sandboxes.get_mut(&sandbox))
        {
            known.lease.used(now_ms);
        }
    }

    /// A sandbox is there; one that is known keeps its lease.
    pub fn seen(&self, facts: SandboxFacts, lease_s: u64) {
        let now_ms = self.now_ms();
        let mut desk = self.desk();
        match desk.sandboxes.get_mut(&facts.sandbox) {
            Some(known) => known.facts = facts,
            None => {
                let lease = Lease::new(lease_s, now_ms);
                desk.sandboxes.insert(facts.sandbox, Known { facts, lease });
            }
        }
    }
}

impl Live {
    /// What may be said of it. It leaves the desk once its end is written; until then it is under way for everybody else.
    pub fn answer(&self) -> Report {
        Report::Accepted
    }
}

impl Desk {
    /// Whether an operation on this sandbox is under way.
    pub fn busy(&self, sandbox: SandboxId) -> bool {
        self.live
            .values()
            .any(|live| live.request.operation.sandbox() == Some(sandbox))
    }
}
