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
use super::ledger::Ledger;
use super::owner_log::OwnerLog;
use super::policy::OwnerPolicy;
use super::session::Session;
use super::spool::SpoolFolder;
use super::stream::Stream;
use super::work::exec::Input;

/// Everything of one executor.
pub struct Shared {
    pub clock: ExecutorClock,
    pub policy: OwnerPolicy,
    pub ledger: Ledger,
    pub spools: SpoolFolder,
    pub log: OwnerLog,
    pub engine: Engine,
    pub stop: CancellationToken,
    pub tasks: TaskTracker,
    /// Held as long as this executor lives.
    _lock: File,
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
            tasks: TaskTracker::new(),
            _lock: lock,
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

    /// The work is over: the ledger first, then the owner's log, then the gateway. Only the first end counts.
    pub async fn finish(
        &self,
        operation: OperationId,
        ended: Ended,
        after_ledger: Option<KillPoint>,
    ) {
        let now_ms = self.now_ms();
        let effects = match self.desk().live.get_mut(&operation) {
            Some(live) => live.slot.finish(ended, now_ms),
            None => return,
        };
        self.carry_out_end(operation, effects, after_ledger).await;
    }

    /// Carries out what a slot says of an end.
    pub async fn carry_out_end(
        &self,
        operation: OperationId,
        effects: Vec<Effect>,
        after_ledger: Option<KillPoint>,
    ) {
        for effect in effects {
            let Effect::Report(Report::Ended(ended)) = effect else {
                continue;
            };
            if let Err(error) = self.ledger.end(operation, ended.clone()).await {
                // It stays in memory and is written when there is room.
                tracing::error!(%operation, %error, "an end could not be written yet");
            }
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

impl Desk {
    /// Whether an operation on this sandbox is under way.
    pub fn busy(&self, sandbox: SandboxId) -> bool {
        self.live
            .values()
            .any(|live| live.request.operation.sandbox() == Some(sandbox))
    }
}
