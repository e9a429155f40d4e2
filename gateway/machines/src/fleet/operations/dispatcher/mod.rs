//! The caller's side of the operations of one engine. It stores each operation before it sends it, accepts exactly one
//! end, and manages credit and replays. The engine's actor owns and drives it; the dispatcher itself starts nothing.

mod calls;
mod reports;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::ids::{OperationId as WireId, SandboxId as WireSandbox};
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::limits::{MAX_DEADLINE_S, RESULT_RETENTION_S};
use roost_protocol::machine::operation::{Input, Output};
use roost_protocol::machine::output::Grant;
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::{Ended, ErrorKind, Report, Terminal};

use super::error::OperationsError;
use super::link::Link;
use super::live::Live;
use super::model::Target;
use super::stdin::Stdin;
use super::store::{self, Fence};
use super::{OperationRow, OperationsHandle};
use roost_platform::ids::{OperationId, WorkspaceId};
use roost_platform::promises::Watch;
use roost_platform::supervision::Context;

/// A grace that no sandbox outlives: a reconcile with it asks about operations and removes nothing.
const NO_SWEEP_S: u64 = u32::MAX as u64;

/// Whether the connection can go on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Flow {
    Fine,
    /// The other end does not read, or breaks the protocol. The caller must close the connection with this reason.
    CutOff(Cow<'static, str>),
}

/// The dispatcher of one engine.
#[derive(Debug)]
pub struct Dispatcher {
    target: Target,
    /// The name of this host's engine, for rows of the local one.
    engine: String,
    /// The workspace that owns everything on this engine. On the gateway's own host each request names its own.
    owner: Option<WorkspaceId>,
    operations: OperationsHandle,
    link: Option<Link>,
    /// When the last link ended; used only while there is no link.
    away_since: Instant,
    fence: Option<Fence>,
    stdin: Stdin,
}

impl Dispatcher {
    /// A dispatcher without a connection, with the operations that the store has as open.
    pub async fn recover(
        target: Target,
        engine: String,
        owner: Option<WorkspaceId>,
        operations: OperationsHandle,
    ) -> Result<Self, OperationsError> {
        let now = operations.clock().monotonic();
        let dispatcher = Self {
            target,
            engine,
            owner,
            operations,
            link: None,
            away_since: now,
            fence: None,
            stdin: Stdin::default(),
        };
        let open = dispatcher.load_open().await?;
        for row in &open {
            // Steps that a former incarnation left unfinished do not count.
            let live = dispatcher.operations.registry().get(row.id);
            live.inspect(|live| live.restore(row.caller()));
        }
        // A former incarnation may have written an end and died before it informed the waiters; its connection died with
        // it.
        dispatcher.apply_stored_ends(&open, now).await?;
        for live in dispatcher.all() {
            live.detached(now);
        }
        Ok(dispatcher)
    }

    /// Ends the operations that memory has as open and the store does not.
    async fn apply_stored_ends(
        &self,
        open: &[OperationRow],
        now: Instant,
    ) -> Result<(), OperationsError> {
        let open: HashSet<OperationId> = open.iter().map(|row| row.id).collect();
        for live in self.all() {
            if !live.is_ended() && !open.contains(&live.id) {
                self.apply_stored_end(&live, now).await?;
            }
        }
        Ok(())
    }

    /// Gives the waiters the end that the store has; an operation without a row is removed. Returns the row if it is
    /// still open.
    async fn apply_stored_end(
        &self,
        live: &Live,
        now: Instant,
    ) -> Result<Option<OperationRow>, OperationsError> {
        match store::get(self.operations.db().read(), live.id).await? {
            None => self.operations.registry().remove(live.id),
            Some(row) => match row.ended() {
                Some(ended) => live.end(ended, now),
                None => return Ok(Some(row)),
            },
        }
        Ok(None)
    }

    /// Loads the operations that the store has as open: another gateway may have sent them.
    async fn load_open(&self) -> Result<Vec<OperationRow>, OperationsError> {
        let read = self.operations.db().read();
        let rows = store::open_on(read, self.target, &self.engine).await?;
        for row in &rows {
            self.load(row);
        }
        Ok(rows)
    }

    /// Loads an open operation of this engine, unless it is in memory.
    fn load(&self, row: &OperationRow) -> Arc<Live> {
        let live = self.operations.registry().put(Live::recovered(
            row.id,
            self.target,
            row.asked(),
            row.caller(),
            row.wire_request(),
        ));
        if row.owner_kind.is_some() {
            live.note_recorded();
        }
        if self.link.is_none() {
            live.detached(self.away_since);
        }
        live
    }

    fn all(&self) -> Vec<Arc<Live>> {
        self.operations.registry().of(self.target)
    }

    /// Shows the begin or end of an operation in the world view of the requesting workspace, or of the machine's own.
    fn publish_activity(&self, live: &Live, ended: Option<Terminal>) {
        if let Some(workspace) = live.asked.workspace.map(WorkspaceId).or(self.owner) {
            self.operations.publish_activity(live, workspace, ended);
        }
    }

    /// The sandbox that an operation of this engine is about.
    pub fn sandbox_of(&self, operation: WireId) -> Option<WireSandbox> {
        let live = self
            .operations
            .registry()
            .get(OperationId::from(operation))?;
        let ours = live.target == self.target;
        live.asked.sandbox.filter(|_| ours).map(WireSandbox)
    }

    /// Whether this request was accepted before.
    pub fn knows(&self, request: &OperationRequest) -> bool {
        let live = self
            .operations
            .registry()
            .get(OperationId::from(request.id));
        live.is_some_and(|live| live.target == self.target)
    }

    /// The machine is welcomed next. A reader that begins now waits for the machine's output instead of getting a gap,
    /// even before [`Dispatcher::attach`] has read the store.
    pub fn expect_link(&self) {
        for live in self.all() {
            live.attached();
        }
    }

    /// A connection is up. Asks for the result of everything that is open, sends what did not arrive, and lets output
    /// continue.
    pub async fn attach<M: Send + 'static>(
        &mut self,
        link: Link,
        fence: Option<Fence>,
        inventory: &Inventory,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let open = self.load_open().await?;
        // Meanwhile another gateway may have had the machine, written the end, and had the machine delete it. An
        // operation that is over must not be sent again, because the machine would start it a second time (promise P2).
        self.apply_stored_ends(&open, cx.monotonic()).await?;
        self.link = Some(link);
        self.fence = fence;
        let listed: HashMap<OperationId, &LedgerEntry> = inventory
            .operations
            .iter()
            .map(|entry| (OperationId::from(entry.operation), entry))
            .collect();
        if listed.len() != inventory.operations.len() {
            Watch::ListedTwice.note(&self.target);
        }
        let (mut flow, mut waiting) = (Flow::Fine, Vec::new());
        let all = self.all();
        // This comes before any end: a reader that gets an end must know that it can ask for the output.
        for live in &all {
            live.attached();
        }
        for live in &all {
            let entry = listed.get(&live.id).copied();
            if entry.is_none() && live.is_ended() {
                continue;
            }
            let outputs = live.step(Input::Connected { listed: entry });
            if outputs.contains(&Output::Reconcile) {
                waiting.push(WireId(live.id.0));
            }
            flow = worse(flow, self.carry_out(live, outputs, cx).await?);
            if let Some(ended) = entry.and_then(|entry| entry.ended.as_ref()) {
                live.held_to(ended.output_end);
            }
        }
        if !waiting.is_empty() {
            let sandboxes = inventory
                .sandboxes
                .iter()
                .map(|sandbox| sandbox.sandbox)
                .collect();
            flow = worse(flow, self.send(what_became_of(waiting, sandboxes)));
        }
        let known: HashSet<OperationId> = all.iter().map(|live| live.id).collect();
        for entry in inventory
            .operations
            .iter()
            .filter(|entry| !known.contains(&OperationId::from(entry.operation)))
        {
            let report = entry.ended.clone().map_or(Report::Accepted, Report::Ended);
            flow = worse(
                flow,
                self.report_of_unknown(OperationId::from(entry.operation), &report, cx)
                    .await?,
            );
        }
        for live in all {
            flow = worse(flow, self.send_grants(&live));
        }
        for id in self.stdin.resume() {
            flow = worse(flow, self.send_stdin(id));
        }
        Ok(flow)
    }

    /// The connection is gone. No operation ends because of that: readers and senders wait for the next connection.
    pub fn detach(&mut self) {
        self.away_since = self.operations.clock().monotonic();
        self.link = None;
        self.fence = None;
        for live in self.all() {
            // A lost connection produces no outputs.
            let _ = live.step(Input::Disconnected);
            live.detached(self.away_since);
        }
    }

    fn send(&self, message: ToNode) -> Flow {
        match &self.link {
            Some(link) if link.send(message).is_err() => {
                Flow::CutOff("it does not read what it is sent".into())
            }
            _ => Flow::Fine,
        }
    }

    fn send_grants(&self, live: &Live) -> Flow {
        if self.link.is_none() {
            return Flow::Fine;
        }
        let operation = WireId(live.id.0);
        let now = self.operations.clock().monotonic();
        let mut flow = Flow::Fine;
        while let Some(grant) = live.due(now) {
            let control = match grant {
                Grant::Replay { from } => Control::Replay { operation, from },
                Grant::Credit { up_to } => Control::Credit { operation, up_to },
            };
            flow = worse(flow, self.send(ToNode::Control(control)));
        }
        flow
    }

    /// Periodic work: stores which operations run, renews credit when a reader became slow, gives up operations that can
    /// get no answer any more, and removes old ones from memory. `elsewhere`: another gateway holds the machine.
    pub async fn tick<M: Send + 'static>(
        &mut self,
        elsewhere: bool,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let now = cx.monotonic();
        let all = self.all();
        let running: Vec<OperationId> = all
            .iter()
            .filter(|live| live.note_accepted())
            .map(|live| live.id)
            .collect();
        if !running.is_empty() {
            let tx = self.operations.db().write().await?;
            store::note_running(&tx, &running, cx.now()).await?;
            tx.commit().await?;
        }
        let mut flow = Flow::Fine;
        for live in &all {
            flow = worse(flow, self.send_grants(live));
            if live.is_ended() {
                flow = worse(flow, self.stored(live, now));
                live.look_again(now);
            }
        }
        self.operations.registry().forget_idle(self.target, now);
        if self.link.is_none() {
            self.update_reachability(&all, elsewhere, now);
        }
        if self.link.is_none() && all.iter().any(|live| !live.is_ended()) {
            flow = worse(flow, self.follow(&all, elsewhere, cx).await?);
        }
        Ok(flow)
    }

    /// Without a connection here: readers go to the gateway that has one, or wait for the machine.
    fn update_reachability(&mut self, all: &[Arc<Live>], elsewhere: bool, now: Instant) {
        if elsewhere {
            self.away_since = now;
        }
        for live in all {
            if elsewhere {
                live.elsewhere();
            } else {
                live.detached(self.away_since);
            }
        }
    }

    /// Without a connection here: reads from the store what another gateway wrote, and gives up operations whose time is
    /// over.
    async fn follow<M: Send + 'static>(
        &mut self,
        all: &[Arc<Live>],
        elsewhere: bool,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let mut flow = Flow::Fine;
        for live in all.iter().filter(|live| !live.is_ended()) {
            let open = self.apply_stored_end(live, cx.monotonic()).await?;
            let away = cx.monotonic().saturating_duration_since(self.away_since);
            let is_over = open.is_some_and(|row| {
                row.give_up_at <= cx.now() || row.is_shell && away >= SHELL_MISSED
            });
            if is_over && !elsewhere {
                let detail = "the machine did not come back in time; what it did is not known";
                let ended = Ended::without_result(Terminal::Lost, ErrorKind::Interrupted, detail);
                flow = worse(flow, self.finish(live, ended, None, cx).await?);
            }
        }
        Ok(flow)
    }

    /// The node was deleted and will not come back: everything open ends.
    pub async fn give_up<M: Send + 'static>(
        &mut self,
        cx: &Context<M>,
    ) -> Result<(), OperationsError> {
        self.link = None;
        self.fence = None;
        for live in self.all() {
            let outputs = live.step(Input::NodeDeleted);
            live.gone();
            // Without a link there is no connection to close.
            let _ = self.carry_out(&live, outputs, cx).await?;
        }
        Ok(())
    }

    /// Whether memory holds no operation of this engine, neither an open one nor one that ended a while ago.
    pub fn is_idle(&self) -> bool {
        self.operations.registry().is_idle(self.target)
    }

    /// The number of open operations.
    pub fn in_flight(&self) -> usize {
        self.all().iter().filter(|live| !live.is_ended()).count()
    }
}

/// How long a machine may be away until its shells, which have no deadline, count as lost.
const SHELL_MISSED: Duration = Duration::from_secs(MAX_DEADLINE_S + RESULT_RETENTION_S);

/// How often [`Dispatcher::tick`] is due.
pub const TICK: Duration = Duration::from_secs(1);

/// Asks for the state of these operations, and nothing else.
fn what_became_of(waiting: Vec<WireId>, sandboxes: Vec<WireSandbox>) -> ToNode {
    ToNode::Control(Control::Reconcile {
        waiting,
        sandboxes,
        grace_s: NO_SWEEP_S,
        kept: None,
    })
}

fn worse(a: Flow, b: Flow) -> Flow {
    if a == Flow::Fine { b } else { a }
}
