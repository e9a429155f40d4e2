//! State that the tasks of one executor share. The lock is never held over an await; the ledger's state is locked
//! inside it.
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use roost_protocol::ids::{OperationId, SandboxId};
use roost_protocol::machine::drain::NodeDrain;
use roost_protocol::machine::lease::Lease;
use roost_protocol::machine::ledger::{Effect, Slot};
use roost_protocol::operation::{Operation, OperationRequest};
use roost_protocol::report::{Ended, OperationReport, Report};
use roost_protocol::sandbox::SandboxFacts;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::chaos::KillPoint;
use super::config::ExecutorClock;
use super::engine::Engine;
use super::event::Event;
use super::images::Images;
use super::ledger::{Ledger, LedgerError};
use super::owner_log::OwnerLog;
use super::policy::OwnerPolicy;
use super::session::Session;
use super::snapshots::Snapshots;
use super::spool::SpoolFolder;
use super::stream::Stream;
use super::work::exec::Input;

/// How often an end that could not be written is tried again.
const WRITE_AGAIN: Duration = Duration::from_millis(500);

/// The whole state of one executor.
pub struct Shared {
    pub clock: ExecutorClock,
    pub policy: OwnerPolicy,
    pub ledger: Ledger,
    pub spools: SpoolFolder,
    pub log: OwnerLog,
    pub engine: Engine,
    pub snapshots: Snapshots,
    pub images: Images,
    /// When cancelled, no new work begins and commands are left to their guests.
    pub stop: CancellationToken,
    /// The grace period is over: running work is left to the next start.
    pub cut: CancellationToken,
    pub tasks: TaskTracker,
    /// Held as long as this executor runs.
    lock: Mutex<Option<File>>,
    in_flight: Mutex<InFlight>,
}

/// The in-flight table: operations, streams and sandboxes.
#[derive(Default)]
pub struct InFlight {
    pub live: HashMap<OperationId, Live>,
    /// Streams that this session may receive: of operations in flight, and of ended ones that the gateway requested.
    pub streams: HashMap<OperationId, Arc<Stream>>,
    pub sandboxes: BTreeMap<SandboxId, Known>,
    pub session: Option<Session>,
    pub drain: NodeDrain,
    pub paused: bool,
    /// Ends that wait for the disk, with the disk's error. They are not reported before they are written.
    pub unwritten: BTreeMap<OperationId, LedgerError>,
}

/// An operation in flight.
pub struct Live {
    pub slot: Slot,
    pub request: Arc<OperationRequest>,
    /// The ledger holds it.
    pub accepted: bool,
    pub began: Duration,
    pub cancel: CancellationToken,
    pub input: mpsc::Sender<Input>,
    /// The work takes this when it begins.
    pub inputs: Option<mpsc::Receiver<Input>>,
    /// The offset from which this session wants the output, requested before the work opened its stream.
    pub replay: Option<u64>,
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
        (engine, images, snapshots): (Engine, Images, Snapshots),
    ) -> Self {
        Self {
            clock,
            policy,
            ledger,
            spools,
            log,
            engine,
            snapshots,
            images,
            stop: CancellationToken::new(),
            cut: CancellationToken::new(),
            tasks: TaskTracker::new(),
            lock: Mutex::new(Some(lock)),
            in_flight: Mutex::default(),
        }
    }

    /// The in-flight table, locked.
    pub fn in_flight(&self) -> MutexGuard<'_, InFlight> {
        self.in_flight
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Monotonic milliseconds.
    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.monotonic().as_millis()).unwrap_or(u64::MAX)
    }

    /// Sends an event to the attached session, if there is one. Everything important is on disk and sent again at the
    /// next attach.
    pub async fn send(&self, event: Event) {
        let session = self.in_flight().session.clone();
        if let Some(session) = session {
            session.send(event).await;
        }
    }

    /// Sends a report on an operation.
    pub async fn report(&self, operation: OperationId, report: Report) {
        self.send(Event::Report(OperationReport { operation, report }))
            .await;
    }

    /// Call this right before the engine is called. It returns false when the operation was cancelled meanwhile.
    pub fn begin(&self, operation: OperationId) -> bool {
        self.in_flight()
            .live
            .get_mut(&operation)
            .is_some_and(|live| live.slot.begin())
    }

    /// Releases the folder for another executor.
    pub fn release(&self) {
        let lock = self.lock.lock();
        lock.unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Records the end of the work: first in the ledger, then in the owner's log, then to the gateway. Only the first
    /// end counts. Returns `false` when this process stops before the end is written: then nobody has received it, and
    /// the next start finds it out again.
    pub async fn finish(
        &self,
        operation: OperationId,
        ended: Ended,
        after_ledger: Option<KillPoint>,
    ) -> bool {
        let now_ms = self.now_ms();
        let effects = match self.in_flight().live.get_mut(&operation) {
            Some(live) => live.slot.finish(ended, now_ms),
            None => return false,
        };
        self.apply_end(operation, effects, after_ledger).await
    }

    /// Carries out the effects of an end; `false` without an end, or when it is not written before this process stops.
    pub async fn apply_end(
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
        self.spools.ended(operation);
        let (request, stream) = {
            let mut in_flight = self.in_flight();
            let live = in_flight.live.remove(&operation);
            (
                live.map(|live| live.request),
                in_flight.streams.get(&operation).cloned(),
            )
        };
        if let Some(request) = request {
            self.log.ended(&request, &ended, self.clock.now_s());
            self.used(&request);
        }
        match stream {
            // The stream's own sender sends the end after the output.
            Some(stream) => stream.ended(ended),
            None => self.report(operation, Report::Ended(ended)).await,
        }
        true
    }

    /// Writes the slot's end and retries until it succeeds. If an end were reported before it is written, a restart
    /// could contradict it (promise P2). `None` without an end, or when this process stops before there is room.
    async fn write_end(&self, operation: OperationId, mut effects: Vec<Effect>) -> Option<Ended> {
        loop {
            let ended = effects.into_iter().find_map(|effect| match effect {
                Effect::Report(Report::Ended(ended)) => Some(ended),
                _ => None,
            })?;
            let Err(error) = self.ledger.end(operation, ended.clone()).await else {
                self.in_flight().unwritten.remove(&operation);
                return Some(ended);
            };
            {
                let mut in_flight = self.in_flight();
                if let Some(live) = in_flight.live.get_mut(&operation) {
                    // A failed write of an end has no effects; the slot keeps the end for its next tick.
                    let _ = live.slot.write_failed(&error.to_string());
                }
                if in_flight
                    .unwritten
                    .insert(operation, error.clone())
                    .is_none()
                {
                    tracing::error!(%operation, %error, "an end waits for the disk; it is reported to the gateway when it is written");
                }
            }
            let pause = tokio::time::sleep(WRITE_AGAIN);
            self.stop.run_until_cancelled(pause).await?;
            let now_ms = self.now_ms();
            effects = self.in_flight().live.get_mut(&operation)?.slot.tick(now_ms);
        }
    }

    /// Marks the request's sandbox as used now.
    pub fn used(&self, request: &OperationRequest) {
        let now_ms = self.now_ms();
        let mut in_flight = self.in_flight();
        if let Some(known) = request
            .operation
            .sandbox()
            .and_then(|sandbox| in_flight.sandboxes.get_mut(&sandbox))
        {
            known.lease.used(now_ms);
        }
    }

    /// Records an existing sandbox. A known sandbox keeps its lease. The result says whether it is new.
    pub fn seen(&self, facts: SandboxFacts, lease_s: u64) -> bool {
        let now_ms = self.now_ms();
        let mut in_flight = self.in_flight();
        match in_flight.sandboxes.get_mut(&facts.sandbox) {
            Some(known) => {
                known.facts = facts;
                false
            }
            None => {
                let lease = Lease::new(lease_s, now_ms);
                in_flight
                    .sandboxes
                    .insert(facts.sandbox, Known { facts, lease });
                true
            }
        }
    }
}

impl Live {
    /// The state that may be reported. An operation leaves the table once its end is written; until then it counts as
    /// in flight.
    pub fn answer(&self) -> Report {
        Report::Accepted
    }
}

impl InFlight {
    /// Whether this sandbox is being made. Its workspace may hold only a part of what is restored.
    pub fn makes(&self, sandbox: SandboxId) -> bool {
        self.live.values().any(|live| {
            let operation = &live.request.operation;
            matches!(operation, Operation::SbProvision(made) if made.spec.sandbox == sandbox)
        })
    }

    /// Whether an operation on this sandbox is in flight.
    pub fn busy(&self, sandbox: SandboxId) -> bool {
        self.live
            .values()
            .any(|live| live.request.operation.sandbox() == Some(sandbox))
    }
}
