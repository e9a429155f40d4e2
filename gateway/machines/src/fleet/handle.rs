//! The part of the fleet that other domains, the routes and the node actors share. Cheap to clone.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use roost_protocol::hello::WantedImage;
use tokio::sync::broadcast;

use super::entity::node;
use super::error::FleetError;
use super::facts::NodeFact;
use super::heartbeat_buffer::HeartbeatBuffer;
use super::node::{NodeActor, NodeMsg};
use super::operations::{Activities, Line, OperationsHandle, Target};
use super::store;
use super::waiting_work::WaitingWork;
use super::watch::Present;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::events::EventLog;
use roost_platform::ids::{NodeId, SharedIds, WorkspaceId};
use roost_platform::supervision::{
    ActorKind, Address, ChildSpec, NoAnswer, SupervisorHandle, Tenant,
};
use roost_tenancy::change::ChangeContext;

/// Messages that may wait for one machine's actor, besides the frames of its socket, which have their own credits.
const MAILBOX: usize = 4096;
/// How long an actor may take to answer; it never waits for its machine.
pub(super) const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// Facts that a slow listener may be behind.
const FACTS: usize = 1024;

/// The fleet's configuration.
#[derive(Debug, Clone)]
pub struct FleetSettings {
    /// The address that machines and people use, if it differs from the address of their request.
    pub public_url: Option<url::Url>,
    /// The folder with builds of the daemon, as `<target>/roostd`; without it the `roostd` beside this program.
    pub dist_dir: Option<PathBuf>,
    /// Seconds between heartbeats of a small fleet.
    pub heartbeat_s: u32,
    /// The agent image that machines need.
    pub image: String,
    /// All images of the deployment; machines report which of them they have.
    pub images: Vec<WantedImage>,
}

/// The fleet.
#[derive(Clone)]
pub struct FleetHandle {
    inner: Arc<Inner>,
}

struct Inner {
    db: Db,
    clock: SharedClock,
    ids: SharedIds,
    operations: OperationsHandle,
    replica: String,
    supervisor: SupervisorHandle,
    heartbeats: HeartbeatBuffer,
    present: Present,
    facts: broadcast::Sender<NodeFact>,
    settings: FleetSettings,
    waiting_work: Arc<dyn WaitingWork>,
    connected: AtomicUsize,
}

impl std::fmt::Debug for FleetHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FleetHandle")
    }
}

/// What the fleet is built from.
pub struct FleetParts {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub events: EventLog,
    /// The id of this gateway process: a new one at each start.
    pub replica: String,
    pub settings: FleetSettings,
    /// The work that waits for machines.
    pub waiting_work: Arc<dyn WaitingWork>,
}

impl ChangeContext for FleetHandle {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.inner.db, &self.inner.clock, &self.inner.ids)
    }
}

impl FleetHandle {
    /// The work that waits for machines.
    pub(super) fn waiting_work(&self) -> &dyn WaitingWork {
        &*self.inner.waiting_work
    }

    pub(super) fn new(
        parts: FleetParts,
        supervisor: SupervisorHandle,
        heartbeats: HeartbeatBuffer,
        activities: Activities,
    ) -> Self {
        let FleetParts {
            db,
            clock,
            ids,
            events: _,
            replica,
            settings,
            waiting_work,
        } = parts;
        let (facts, _) = broadcast::channel(FACTS);
        let connected = AtomicUsize::new(0);
        let inner = Arc::new_cyclic(|fleet| Inner {
            operations: OperationsHandle::new(
                db.clone(),
                clock.clone(),
                activities,
                WeakFleet(fleet.clone()),
            ),
            db,
            clock,
            ids,
            replica,
            supervisor,
            heartbeats,
            present: Present::default(),
            facts,
            settings,
            waiting_work,
            connected,
        });
        Self { inner }
    }

    /// The agent image that machines need.
    pub(super) fn wanted_image(&self) -> &str {
        &self.inner.settings.image
    }

    /// All images of the deployment.
    pub(super) fn catalogue(&self) -> &[WantedImage] {
        &self.inner.settings.images
    }

    pub(super) fn db(&self) -> &Db {
        &self.inner.db
    }

    pub(super) fn clock(&self) -> &SharedClock {
        &self.inner.clock
    }

    pub(super) fn ids(&self) -> &SharedIds {
        &self.inner.ids
    }

    /// The operations of this gateway.
    pub fn operations(&self) -> &OperationsHandle {
        &self.inner.operations
    }

    pub(super) fn replica(&self) -> &str {
        &self.inner.replica
    }

    pub(super) fn heartbeats(&self) -> &HeartbeatBuffer {
        &self.inner.heartbeats
    }

    /// The machines whose actors live here.
    pub(super) fn present(&self) -> &Present {
        &self.inner.present
    }

    pub(super) fn settings(&self) -> &FleetSettings {
        &self.inner.settings
    }

    /// A receiver of the facts from now on.
    pub fn facts(&self) -> broadcast::Receiver<NodeFact> {
        self.inner.facts.subscribe()
    }

    pub(super) fn publish(&self, fact: NodeFact) {
        // An error means that there is no listener, and that is fine.
        let _ = self.inner.facts.send(fact);
    }

    /// The present heartbeat interval, seconds.
    pub(super) fn heartbeat_s(&self) -> u32 {
        let connected = self.inner.connected.load(Ordering::Relaxed);
        let at_rest = self.inner.settings.heartbeat_s;
        if connected < 10_000 {
            at_rest
        } else {
            at_rest.max(super::model::heartbeat_s(connected))
        }
    }

    /// Counts a connection until the returned value is dropped, however the actor ends.
    pub(super) fn counted(&self) -> Counted {
        self.count_connected(true);
        Counted(self.clone())
    }

    fn count_connected(&self, more: bool) {
        let counter = &self.inner.connected;
        let now = if more {
            counter.fetch_add(1, Ordering::Relaxed) + 1
        } else {
            counter.fetch_sub(1, Ordering::Relaxed) - 1
        };
        metrics::gauge!("roost_nodes_connected").set(now as f64);
    }

    /// Nodes connected to this gateway.
    pub fn connected(&self) -> usize {
        self.inner.connected.load(Ordering::Relaxed)
    }

    /// The actor of a paired node; started if it does not exist.
    pub(super) async fn ensure(&self, node: &node::Model) -> Result<Address<NodeMsg>, FleetError> {
        Ok(self
            .ensure_id(node.id, node.workspace_id, node.called())
            .await?)
    }

    async fn ensure_id(
        &self,
        id: NodeId,
        workspace: WorkspaceId,
        called: String,
    ) -> Result<Address<NodeMsg>, roost_platform::supervision::StartError> {
        let fleet = self.clone();
        let spec =
            ChildSpec::actor::<NodeActor>(name(id), ActorKind::Node, move || (fleet.clone(), id))
                .tenant(Tenant::new(workspace))
                .serves(format!("machine {called}"))
                .mailbox_bound(MAILBOX);
        let address = self.inner.supervisor.ensure_child(spec).await?;
        let line = Line::Node(address.clone());
        self.inner.operations.connect(Target::Node(id), line);
        Ok(address)
    }

    /// The line to a paired node's actor; the actor is started if it does not exist.
    async fn line_of(&self, id: NodeId) -> Option<Line> {
        let found = async {
            let row = store::by_id(self.db().read(), id).await?;
            match row.filter(|row| row.deleted_at.is_none()) {
                Some(row) => self.ensure(&row).await.map(Some),
                None => Ok(None),
            }
        };
        match found.await {
            Ok(address) => address.map(Line::Node),
            Err(error) => {
                tracing::warn!(node = %id, error = &error as &dyn std::error::Error, "the actor of a machine did not start");
                None
            }
        }
    }

    /// The actor of a node, if it lives here.
    pub(super) fn find(&self, id: NodeId) -> Option<Address<NodeMsg>> {
        self.inner.supervisor.find(&name(id))
    }

    /// Whether a node has its actor.
    pub(super) fn has(&self, id: NodeId) -> bool {
        self.find(id).is_some()
    }

    /// Sends a request to a node's actor and waits for the answer.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        id: NodeId,
        message: impl FnOnce(roost_platform::supervision::Reply<T>) -> NodeMsg,
    ) -> Result<T, NoAnswer> {
        match self.find(id) {
            Some(address) => address.call(ANSWER_WITHIN, message).await,
            None => Err(NoAnswer::NoSuchActor { path: name(id) }),
        }
    }

    /// The last inventory of a connected machine; `None` when it is not connected here.
    ///
    /// # Errors
    /// When its actor does not answer.
    pub async fn inventory(
        &self,
        id: NodeId,
    ) -> Result<Option<roost_protocol::inventory::Inventory>, FleetError> {
        Ok(self.ask(id, NodeMsg::Inventory).await?)
    }
}

/// The fleet, as its operations hold it: the fleet owns them.
pub(super) struct WeakFleet(Weak<Inner>);

impl WeakFleet {
    /// The line to a paired node's actor; `None` when no such node is paired, or the gateway stops.
    pub(super) async fn line_of(&self, id: NodeId) -> Option<Line> {
        let inner = self.0.upgrade()?;
        FleetHandle { inner }.line_of(id).await
    }
}

/// One counted connection.
pub(super) struct Counted(FleetHandle);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.count_connected(false);
    }
}

fn name(id: NodeId) -> String {
    format!("node:{id}")
}
