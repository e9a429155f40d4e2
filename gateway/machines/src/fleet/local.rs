//! The engine on the gateway's own host. It is the same executor that a machine's daemon runs, with the same messages, in
//! this process.
//!
//! Position: child of `sandboxes`, named `local`; static, permanent; it exists only when `sandboxes.local` is on.
//! Children: one job that brings the executor's events, and one that asks the engine for this host's size. Restart: the
//! executor stays, because it holds the lock of its state folder. The actor attaches a new session to it, and the
//! executor repeats each report that was not acknowledged.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use roost_protocol::caps::{Bounds, Caps};
use roost_protocol::control::{ControlReply, GoneCause};
use roost_protocol::frame::ToGateway;
use roost_protocol::hello::{HeldImage, WantedImage};
use roost_protocol::ids::InstallId;
use roost_protocol::inventory::Inventory;
use roost_protocol::snapshot::Stored;
use roost_sandbox_driver::Remote;
use roost_sandbox_driver::executor::{
    Event, Events, Executor, ExecutorClock, ExecutorConfig, ExecutorHandle, OwnerPolicy,
    SNAPSHOTS_EVERY,
};
use roost_sandbox_driver::private;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore, broadcast};

use super::operations::{
    Dispatcher, EngineCall, Flow, Line, Link, OperationsError, OperationsHandle, TICK, Target,
};
use super::sanitize::word;
use roost_platform::ids::{SandboxId, SandboxOwnerId, SharedIds};
use roost_platform::supervision::{ActorKind, AnyChild, ChildSpec, Context, Failure, Serve};

/// The file with this host's installation id.
const INSTALL: &str = "install-id";
/// How often the engine is asked for this host's size and images.
const ASK_EVERY: TimeDelta = TimeDelta::seconds(15);
/// Events that may wait for the actor; the executor keeps the rest on disk.
const EVENTS: usize = 64;

/// The settings of the local engine.
#[derive(Debug, Clone)]
pub struct LocalSettings {
    /// The folder of its ledger, spools and archives.
    pub state_dir: PathBuf,
    /// The engine's socket; absent means `DOCKER_HOST` and the usual places.
    pub engine: Option<String>,
    /// The agent image.
    pub image: String,
    /// The operator's limits.
    pub policy: OwnerPolicy,
    /// Where the engine publishes this host's bounds.
    pub bounds: LocalBounds,
    /// The images of the catalogue, and where the engine publishes what it has of them.
    pub wanted_images: Vec<WantedImage>,
    pub images: LocalImages,
    /// The gateway's store of snapshots.
    pub snapshots: Arc<dyn Remote>,
    /// The channel for facts.
    pub facts: broadcast::Sender<LocalFact>,
}

/// What this host lends to sandboxes, once its engine has answered. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct LocalBounds(Arc<Mutex<Option<Bounds>>>);

impl LocalBounds {
    /// The limits of one sandbox and of all together; `None` while the engine has not answered.
    pub fn caps(&self) -> Option<Caps> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map(Bounds::caps)
    }

    fn set(&self, bounds: Option<Bounds>) {
        if bounds.is_some() {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = bounds;
        }
    }
}

/// What this host's engine has of a wanted image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldHere {
    pub reference: String,
    /// A word of [`ImageState`](super::dto::ImageState).
    pub state: &'static str,
    pub id: Option<String>,
    pub bytes: Option<u64>,
}

/// What this host's engine has of the catalogue's images, as it said last. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct LocalImages(Arc<Mutex<Vec<HeldHere>>>);

impl LocalImages {
    /// Empty while the engine has not answered.
    pub fn get(&self) -> Vec<HeldHere> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, held: Vec<HeldImage>) {
        let held = held.into_iter().map(|image| HeldHere {
            state: word(image.state, image.unfit.is_some()),
            reference: image.reference,
            id: image.id,
            bytes: image.bytes,
        });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = held.collect();
    }
}

/// Facts that the engine on this host reports by itself.
#[derive(Debug, Clone)]
pub enum LocalFact {
    /// It can be used; this is its complete inventory.
    Connected(Inventory),
    /// The complete inventory, after a change or a request.
    Inventory(Inventory),
    /// A sandbox ended without an operation.
    SandboxGone {
        sandbox: SandboxId,
        cause: GoneCause,
    },
    /// It has a new snapshot.
    Stored(Stored),
    /// It could not take a snapshot.
    NotStored { sandbox: SandboxId, detail: String },
    /// Nothing of a removed owner is left on it.
    Forgotten(SandboxOwnerId),
}

/// Messages to the actor.
pub(super) enum LocalMsg {
    Engine(EngineCall),
    Event(Box<Event>, OwnedSemaphorePermit),
    /// The session ended: another was attached, or the executor stopped.
    SessionOver,
    /// The engine has answered the question about this host's size, or failed.
    Asked,
    Tick,
}

/// Why the local engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    #[error("cannot read or write {path}")]
    Install {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error(
        "{path} does not contain an id; delete it to get a new id (the gateway then no longer manages earlier containers)"
    )]
    BadInstall { path: PathBuf },
    #[error("the session with the local engine was ended from elsewhere")]
    SessionOver,
}

/// Shared by all incarnations of the actor.
#[derive(Clone)]
struct Shared {
    operations: OperationsHandle,
    ids: SharedIds,
    settings: LocalSettings,
    executor: Arc<OnceCell<(ExecutorHandle, InstallId)>>,
}

/// The actor.
pub(super) struct LocalEngine {
    dispatcher: Dispatcher,
    facts: broadcast::Sender<LocalFact>,
    executor: ExecutorHandle,
    bounds: LocalBounds,
    images: LocalImages,
    /// The question about this host's size and images is under way.
    asking: bool,
    asked_at: Option<DateTime<Utc>>,
}

/// Ends the executor with the gateway. If the actor ends before, the executor stays for the next incarnation.
pub struct LocalExecutor(Arc<OnceCell<(ExecutorHandle, InstallId)>>);

impl LocalExecutor {
    /// Accepts no more work. Commands in sandboxes continue; the next start finds them.
    pub async fn shutdown(&self) {
        if let Some((executor, _)) = self.0.get() {
            executor.shutdown().await;
        }
    }
}

/// The child of the tree, and the value that ends its executor. It also connects the operations handle to the engine.
pub fn child(
    operations: OperationsHandle,
    ids: SharedIds,
    settings: LocalSettings,
) -> (AnyChild, LocalExecutor) {
    let shared = Shared {
        operations: operations.clone(),
        ids,
        settings,
        executor: Arc::default(),
    };
    let executor = LocalExecutor(shared.executor.clone());
    let spec = ChildSpec::actor::<LocalEngine>("local", ActorKind::LocalEngine, move || {
        SharedArgs(shared.clone())
    })
    .serves("the container engine on this host");
    let (child, address) = spec.with_address();
    operations.connect(Target::Local, Line::Local(address));
    (child, executor)
}

impl Serve for LocalEngine {
    type Msg = LocalMsg;
    type Args = SharedArgs;

    async fn start(
        SharedArgs(shared): SharedArgs,
        cx: &Context<LocalMsg>,
    ) -> Result<Self, Failure> {
        let (executor, install) = shared
            .executor
            .get_or_try_init(|| shared.open())
            .await?
            .clone();
        let events = executor.attach();
        let inventory = executor.inventory().await;
        let facts = shared.settings.facts.clone();
        // An error means that there is no listener, and that is fine.
        let _ = facts.send(LocalFact::Connected(inventory.clone()));
        let mut dispatcher =
            Dispatcher::recover(Target::Local, install.to_string(), None, shared.operations)
                .await?;
        // The executor in this process takes every message, so this flow is always fine.
        let _ = dispatcher
            .attach(Link::Local(executor.clone()), None, &inventory, cx)
            .await?;
        cx.job("events", pump(events, cx.address()), |_| {
            LocalMsg::SessionOver
        });
        cx.cast_self_after(TICK, LocalMsg::Tick);
        let mut engine = Self {
            dispatcher,
            facts,
            executor,
            bounds: shared.settings.bounds,
            images: shared.settings.images,
            asking: false,
            asked_at: None,
        };
        engine.ask_for_bounds(cx);
        Ok(engine)
    }

    async fn handle(&mut self, message: LocalMsg, cx: &Context<LocalMsg>) -> Result<(), Failure> {
        let flow = match message {
            LocalMsg::Engine(call) => self.dispatcher.call(call, cx).await?,
            LocalMsg::Event(event, permit) => {
                let flow = self.event(*event, cx).await?;
                drop(permit);
                flow
            }
            LocalMsg::SessionOver => return Err(LocalError::SessionOver.into()),
            LocalMsg::Asked => {
                self.asking = false;
                Flow::Fine
            }
            LocalMsg::Tick => {
                cx.cast_self_after(TICK, LocalMsg::Tick);
                let now = cx.now();
                let is_due = |at: DateTime<Utc>| (now - at).abs() >= ASK_EVERY;
                if self.bounds.caps().is_none() || self.asked_at.is_none_or(is_due) {
                    self.asked_at = Some(now);
                    self.ask_for_bounds(cx);
                }
                self.dispatcher.tick(false, cx).await?
            }
        };
        match flow {
            Flow::Fine => Ok(()),
            Flow::CutOff(why) => Err(why.into()),
        }
    }
}

/// Arguments of one incarnation.
pub(super) struct SharedArgs(Shared);

impl LocalEngine {
    /// Asks the engine for this host's size and images in a job, because an engine that is away takes long.
    fn ask_for_bounds(&mut self, cx: &Context<LocalMsg>) {
        if std::mem::replace(&mut self.asking, true) {
            return;
        }
        let (executor, bounds) = (self.executor.clone(), self.bounds.clone());
        let images = self.images.clone();
        let asked = async move {
            let machine = executor.machine().await;
            bounds.set(machine.bounds);
            images.set(machine.images);
        };
        cx.job("bounds", asked, |_| LocalMsg::Asked);
    }

    async fn event(
        &mut self,
        event: Event,
        cx: &Context<LocalMsg>,
    ) -> Result<Flow, OperationsError> {
        let mut message = ToGateway::from(event);
        // The executor is ours, but it passes on text from containers and from an engine.
        message.clean();
        match message {
            ToGateway::Report(report) => self.dispatcher.report(report, cx).await,
            ToGateway::Output(chunk) => Ok(self.dispatcher.output(chunk)),
            ToGateway::Reply(ControlReply::StdinTaken { operation, offset }) => {
                Ok(self.dispatcher.stdin_taken(operation, offset))
            }
            ToGateway::Inventory(inventory) => {
                let _ = self.facts.send(LocalFact::Inventory(inventory));
                Ok(Flow::Fine)
            }
            ToGateway::Reply(ControlReply::SandboxGone { sandbox, cause }) => {
                let sandbox = SandboxId(sandbox.uuid());
                let _ = self.facts.send(LocalFact::SandboxGone { sandbox, cause });
                Ok(Flow::Fine)
            }
            ToGateway::Reply(ControlReply::Stored { snapshot }) => {
                let _ = self.facts.send(LocalFact::Stored(snapshot));
                Ok(Flow::Fine)
            }
            ToGateway::Reply(ControlReply::NotStored { sandbox, detail }) => {
                let sandbox = SandboxId(sandbox.uuid());
                let _ = self.facts.send(LocalFact::NotStored { sandbox, detail });
                Ok(Flow::Fine)
            }
            ToGateway::Reply(ControlReply::Forgotten { agent }) => {
                let owner = SandboxOwnerId(agent.uuid());
                let _ = self.facts.send(LocalFact::Forgotten(owner));
                Ok(Flow::Fine)
            }
            _ => Ok(Flow::Fine),
        }
    }
}

async fn pump(mut events: Events, actor: roost_platform::supervision::Address<LocalMsg>) {
    let room = Arc::new(Semaphore::new(EVENTS));
    while let Some(event) = events.next().await {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        if actor
            .cast(LocalMsg::Event(Box::new(event), permit))
            .is_err()
        {
            return;
        }
    }
}

/// The folder of a gateway's executor, below the data directory.
pub fn state_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("local-engine")
}

/// The installation id of a gateway that has been started before.
pub fn install_id(data_dir: &Path) -> Option<String> {
    let text = std::fs::read_to_string(state_dir(data_dir).join(INSTALL)).ok()?;
    Some(text.trim().to_owned())
}

impl Shared {
    async fn open(&self) -> Result<(ExecutorHandle, InstallId), Failure> {
        let install = self.install()?;
        let config = ExecutorConfig {
            snapshots_every: SNAPSHOTS_EVERY,
            state_dir: self.settings.state_dir.clone(),
            node: None,
            install,
            engine: self.settings.engine.clone(),
            image: Some(self.settings.image.clone()),
            policy: self.settings.policy.clone(),
            clock: ExecutorClock::system(),
            remote: Some(Arc::clone(&self.settings.snapshots)),
            images: None,
        };
        let (executor, _) = Executor::start(config).await?;
        executor.want_images(self.settings.wanted_images.clone());
        Ok((executor, install))
    }

    /// This host's installation id: created once, so that a later start recognises its own containers.
    fn install(&self) -> Result<InstallId, LocalError> {
        let path = self.settings.state_dir.join(INSTALL);
        let failed = |source| LocalError::Install {
            path: path.clone(),
            source,
        };
        match std::fs::read_to_string(&path) {
            Ok(text) => text
                .trim()
                .parse()
                .map_err(|_| LocalError::BadInstall { path: path.clone() }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let id = InstallId(self.ids.next());
                private::make_folder(&self.settings.state_dir).map_err(failed)?;
                private::write(&path, format!("{id}\n").as_bytes()).map_err(failed)?;
                Ok(id)
            }
            Err(error) => Err(failed(error)),
        }
    }
}
