//! The engine on the gateway's own host: the same executor that a machine's daemon runs, reached in this process with
//! the same messages.
//!
//! Position: child of `sandboxes`, named `local`; static, permanent; there only when `sandboxes.local` is on. Children:
//! one job that brings the executor's events. Restart: the executor stays (it holds its state folder's lock), a new
//! session is attached to it and everything that was not acknowledged is reported again.

use std::path::PathBuf;
use std::sync::Arc;

use roost_protocol::control::{ControlReply, GoneCause};
use roost_protocol::frame::ToGateway;
use roost_protocol::ids::InstallId;
use roost_protocol::inventory::Inventory;
use roost_sandbox_driver::executor::{
    Event, Events, Executor, ExecutorClock, ExecutorConfig, ExecutorHandle, OwnerPolicy,
};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore, broadcast};

use super::desk::{Desk, Flow, TICK};
use super::line::{EngineCall, Line};
use super::link::Link;
use super::model::Target;
use super::{OperationsError, OperationsHandle};
use crate::ids::{SandboxId, SharedIds};
use crate::supervision::{ActorKind, AnyChild, ChildSpec, Context, Failure, Serve};

/// Events that may wait for the actor; the executor keeps the rest on disk.
const EVENTS: usize = 64;

/// What the local engine is made of.
#[derive(Debug, Clone)]
pub struct LocalSettings {
    /// Where its ledger, spools and archives lie.
    pub state_dir: PathBuf,
    /// The engine's socket; absent means `DOCKER_HOST` and the usual places.
    pub engine: Option<String>,
    /// The agent image.
    pub image: String,
    /// Where facts are told.
    pub facts: broadcast::Sender<LocalFact>,
}

/// What the engine on this host tells by itself.
#[derive(Debug, Clone)]
pub enum LocalFact {
    /// It can be used; this is all that it holds.
    Connected(Inventory),
    /// All that it holds, when that changed or was asked for.
    Inventory(Inventory),
    /// A sandbox ended without being asked.
    SandboxGone {
        sandbox: SandboxId,
        cause: GoneCause,
    },
}

/// What the actor is told.
pub enum LocalMsg {
    Engine(EngineCall),
    Event(Box<Event>, OwnedSemaphorePermit),
    /// The session ended: another was attached, or the executor stopped.
    SessionOver,
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
        "{path} does not hold an id; remove it to begin anew (containers of before are then not ours)"
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
pub struct LocalEngine {
    desk: Desk,
    facts: broadcast::Sender<LocalFact>,
}

/// Ends the executor with the gateway. The actor may come and go before: the executor stays for its next incarnation.
pub struct LocalExecutor(Arc<OnceCell<(ExecutorHandle, InstallId)>>);

impl LocalExecutor {
    /// Takes no more work. Commands in sandboxes go on; the next start finds them.
    pub async fn shutdown(&self) {
        if let Some((executor, _)) = self.0.get() {
            executor.shutdown().await;
        }
    }
}

/// The child of the tree, and what ends its executor; from now on the handle reaches it.
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
    operations.connect(
        Target::Local,
        Line::new(move |call| address.cast(LocalMsg::Engine(call))),
    );
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
        // Nobody listens: then nobody has to know.
        let _ = facts.send(LocalFact::Connected(inventory.clone()));
        let mut desk =
            Desk::recover(Target::Local, install.to_string(), None, shared.operations).await?;
        // Its own process reads what it is sent, so this flow is always fine.
        let _ = desk
            .attach(Link::Local(executor), None, &inventory, cx)
            .await?;
        cx.job("events", pump(events, cx.address()), |_| {
            LocalMsg::SessionOver
        });
        cx.cast_self_after(TICK, LocalMsg::Tick);
        Ok(Self { desk, facts })
    }

    async fn handle(&mut self, message: LocalMsg, cx: &Context<LocalMsg>) -> Result<(), Failure> {
        let flow = match message {
            LocalMsg::Engine(call) => self.desk.call(call, cx).await?,
            LocalMsg::Event(event, permit) => {
                let flow = self.event(*event, cx).await?;
                drop(permit);
                flow
            }
            LocalMsg::SessionOver => return Err(LocalError::SessionOver.into()),
            LocalMsg::Tick => {
                cx.cast_self_after(TICK, LocalMsg::Tick);
                self.desk.tick(false, cx).await?
            }
        };
        match flow {
            Flow::Fine => Ok(()),
            Flow::CutOff(why) => Err(why.into()),
        }
    }
}

/// Arguments of one incarnation.
pub struct SharedArgs(Shared);

impl LocalEngine {
    async fn event(
        &mut self,
        event: Event,
        cx: &Context<LocalMsg>,
    ) -> Result<Flow, OperationsError> {
        let mut message = ToGateway::from(event);
        // Our own process, but what it passes on comes from containers and an engine.
        message.clean();
        match message {
            ToGateway::Report(report) => self.desk.report(report, cx).await,
            ToGateway::Output(chunk) => Ok(self.desk.output(chunk)),
            ToGateway::Reply(ControlReply::StdinTaken { operation, offset }) => {
                self.desk.stdin_taken(operation, offset);
                Ok(Flow::Fine)
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
            _ => Ok(Flow::Fine),
        }
    }
}

async fn pump(mut events: Events, actor: crate::supervision::Address<LocalMsg>) {
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

impl Shared {
    async fn open(&self) -> Result<(ExecutorHandle, InstallId), Failure> {
        let install = self.install()?;
        let config = ExecutorConfig {
            state_dir: self.settings.state_dir.clone(),
            node: None,
            install,
            engine: self.settings.engine.clone(),
            image: Some(self.settings.image.clone()),
            policy: OwnerPolicy::default(),
            clock: ExecutorClock::system(),
        };
        let (executor, _) = Executor::start(config).await?;
        Ok((executor, install))
    }

    fn make_folder(&self) -> std::io::Result<()> {
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.settings.state_dir)
    }

    /// This host's installation id: made once, so that containers of an earlier life are recognised as ours.
    fn install(&self) -> Result<InstallId, LocalError> {
        let path = self.settings.state_dir.join("install-id");
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
                self.make_folder().map_err(failed)?;
                let fresh = path.with_extension("new");
                std::fs::write(&fresh, format!("{id}\n")).map_err(failed)?;
                std::fs::rename(&fresh, &path).map_err(failed)?;
                Ok(id)
            }
            Err(error) => Err(failed(error)),
        }
    }
}
