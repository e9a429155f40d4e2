//! The caller's side of the operations of one engine: writes each down before it is sent, believes exactly one end,
//! sees to credit and replays. Driven by the engine's actor, which owns it; the desk itself starts nothing.

mod calls;
mod reports;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use roost_protocol::control::Control;
use roost_protocol::frame::ToNode;
use roost_protocol::ids::{OperationId as WireId, SandboxId as WireSandbox};
use roost_protocol::inventory::{Inventory, LedgerEntry};
use roost_protocol::machine::operation::{Input, Output};
use roost_protocol::operation::OperationRequest;
use roost_protocol::report::{Ended, ErrorKind, Report, Terminal};

use super::error::OperationsError;
use super::link::Link;
use super::live::Live;
use super::model::Target;
use super::stdin::Stdin;
use super::store::{self, Fence};
use super::{OperationRow, OperationsHandle};
use crate::ids::{OperationId, WorkspaceId};
use crate::promises::Watch;
use crate::supervision::Context;

/// A grace that nothing outlives: a reconcile that carries it asks about operations and removes nothing.
const NO_SWEEP_S: u64 = u32::MAX as u64;

/// Whether the connection can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Flow {
    Fine,
    /// The other end does not read, or says what no honest one says: give the connection up.
    CutOff(&'static str),
}

/// The desk of one engine.
#[derive(Debug)]
pub struct Desk {
    target: Target,
    /// The name of this host's engine, for rows of the local one.
    engine: String,
    /// The workspace that everything there belongs to; on the gateway's own host each request says its own.
    owner: Option<WorkspaceId>,
    operations: OperationsHandle,
    link: Option<Link>,
    fence: Option<Fence>,
    stdin: Stdin,
}

impl Desk {
    /// A desk without a connection that knows what the store says is open.
    pub async fn recover(
        target: Target,
        engine: String,
        owner: Option<WorkspaceId>,
        operations: OperationsHandle,
    ) -> Result<Self, OperationsError> {
        let now = operations.clock().monotonic();
        let desk = Self {
            target,
            engine,
            owner,
            operations,
            link: None,
            fence: None,
            stdin: Stdin::default(),
        };
        let open = desk.load_open().await?;
        for row in &open {
            // What a former incarnation left half done does not count.
            let live = desk.operations.registry().get(row.id);
            live.inspect(|live| live.restore(row.caller()));
        }
        // A former incarnation wrote an end and died before it told those who wait.
        desk.hear_of_ends(&open, now).await?;
        Ok(desk)
    }

    /// What memory believes to be open and the store does not is over.
    async fn hear_of_ends(
        &self,
        open: &[OperationRow],
        now: Instant,
    ) -> Result<(), OperationsError> {
        let open: HashSet<OperationId> = open.iter().map(|row| row.id).collect();
        for live in self.all() {
            if !live.is_ended() && !open.contains(&live.id) {
                self.hear_from_store(&live, now).await?;
            }
        }
        Ok(())
    }

    /// Tells those who wait what the store has; an operation without a row is forgotten. Answers the row when it is open.
    async fn hear_from_store(
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

    /// Brings into memory what the store knows to be open: another gateway may have sent it.
    async fn load_open(&self) -> Result<Vec<OperationRow>, OperationsError> {
        let read = self.operations.db().read();
        let rows = store::open_on(read, self.target, &self.engine).await?;
        for row in &rows {
            self.take_in(row);
        }
        Ok(rows)
    }

    /// Brings an open operation of this engine into memory, unless it is there.
    fn take_in(&self, row: &OperationRow) -> Arc<Live> {
        self.operations.registry().put(Live::recovered(
            row.id,
            self.target,
            row.asked(),
            row.caller(),
            row.wire_request(),
        ))
    }

    fn all(&self) -> Vec<Arc<Live>> {
        self.operations.registry().of(self.target)
    }

    /// Shows in the world view of whoever asked, or of the machine's own workspace, what begins or ended here.
    async fn show(&self, live: &Live, ended: Option<Terminal>) {
        if let Some(workspace) = live.asked.workspace.map(WorkspaceId).or(self.owner) {
            let kind = &live.asked.kind;
            self.operations
                .show(self.target, workspace, kind, ended)
                .await;
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

    /// Whether this very request was taken before.
    pub fn knows(&self, request: &OperationRequest) -> bool {
        let live = self
            .operations
            .registry()
            .get(OperationId::from(request.id));
        live.is_some_and(|live| live.target == self.target)
    }

    /// Whether somebody can be asked.
    pub fn is_attached(&self) -> bool {
        self.link.is_some()
    }

    /// A connection is up: see what became of everything that is open, send what did not arrive, let output go on.
    pub async fn attach<M: Send + 'static>(
        &mut self,
        link: Link,
        fence: Option<Fence>,
        inventory: &Inventory,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let open = self.load_open().await?;
        // Another gateway may have had the machine meanwhile, written the end and let the machine forget it: what is
        // over must not be sent again, the machine would start it a second time (promise P2).
        self.hear_of_ends(&open, cx.monotonic()).await?;
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
        }
        if !waiting.is_empty() {
            let sandboxes = inventory
                .sandboxes
                .iter()
                .map(|sandbox| sandbox.sandbox)
                .collect();
            flow = worse(flow, self.say(what_became_of(waiting, sandboxes)));
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
                self.report_of_unknown(OperationId::from(entry.operation), &report)
                    .await?,
            );
        }
        for live in all {
            live.attached();
            flow = worse(flow, self.see_to(&live));
        }
        Ok(flow)
    }

    /// The connection is gone. Nothing ends by that.
    pub fn detach(&mut self) {
        self.link = None;
        self.fence = None;
        self.stdin.forget();
        for live in self.all() {
            // A lost connection gives out nothing to do.
            let _ = live.step(Input::Disconnected);
            live.detached();
        }
    }

    fn say(&self, message: ToNode) -> Flow {
        match &self.link {
            Some(link) if link.send(message).is_err() => {
                Flow::CutOff("it does not read what it is sent")
            }
            _ => Flow::Fine,
        }
    }

    fn see_to(&self, live: &Live) -> Flow {
        if self.link.is_none() {
            return Flow::Fine;
        }
        let operation = WireId(live.id.0);
        let dues = live.dues(self.operations.clock().monotonic());
        let mut flow = Flow::Fine;
        if let Some(from) = dues.replay {
            flow = worse(
                flow,
                self.say(ToNode::Control(Control::Replay { operation, from })),
            );
        }
        if let Some(up_to) = dues.credit {
            flow = worse(
                flow,
                self.say(ToNode::Control(Control::Credit { operation, up_to })),
            );
        }
        flow
    }

    /// Now and then: notes in the store what runs, renews credit where a reader went to sleep, gives up what nobody
    /// will ever answer, and forgets what is over. `elsewhere` says that another gateway holds the machine.
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
            flow = worse(flow, self.see_to(live));
            if live.is_ended() {
                flow = worse(flow, self.stored(live));
            }
        }
        self.operations.registry().forget_idle(self.target, now);
        if self.link.is_none() && all.iter().any(|live| !live.is_ended()) {
            flow = worse(flow, self.follow(&all, elsewhere, cx).await?);
        }
        Ok(flow)
    }

    /// Without a connection of our own: hears from the store what another gateway wrote, and gives up what nobody will
    /// ever answer.
    async fn follow<M: Send + 'static>(
        &mut self,
        all: &[Arc<Live>],
        elsewhere: bool,
        cx: &Context<M>,
    ) -> Result<Flow, OperationsError> {
        let mut flow = Flow::Fine;
        for live in all.iter().filter(|live| !live.is_ended()) {
            let open = self.hear_from_store(live, cx.monotonic()).await?;
            if open.is_some_and(|row| row.give_up_at <= cx.now()) && !elsewhere {
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
            // Without a link there is nobody to cut off.
            let _ = self.carry_out(&live, outputs, cx).await?;
        }
        Ok(())
    }

    /// How many are open.
    pub fn in_flight(&self) -> usize {
        self.all().iter().filter(|live| !live.is_ended()).count()
    }
}

/// How often [`Desk::tick`] is due.
pub const TICK: Duration = Duration::from_secs(1);

/// Asks what became of these operations, and nothing else.
fn what_became_of(waiting: Vec<WireId>, sandboxes: Vec<WireSandbox>) -> ToNode {
    ToNode::Control(Control::Reconcile {
        waiting,
        sandboxes,
        grace_s: NO_SWEEP_S,
    })
}

fn worse(a: Flow, b: Flow) -> Flow {
    if a == Flow::Fine { b } else { a }
}
