//! The engine as the executor sees it: connected when it answers, asked again when it went away, its answers counted in
//! the channel's kinds.
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use roost_protocol::hello;
use roost_protocol::ids::SandboxId;
use roost_protocol::report::{ArchiveFacts, ErrorKind, OperationError};
use roost_protocol::sandbox::{ContainerState, SandboxFacts, SandboxSpec, WorkspaceState};

use crate::archive::ArchiveStore;
use crate::machine::MachineFacts;
use crate::{Driver, EngineConfig, EngineKind, GuestLink, ImageState, ProvisionOptions};

/// How long the machine's facts may be old: a heartbeat and a status must not cost the engine more than this.
const FACTS_AGE: Duration = Duration::from_secs(5);

/// How long the engine may take before its facts count as unknown: a heartbeat must not wait for one that hangs.
const ASK_TIME: Duration = Duration::from_secs(3);

/// How long processor use is looked at for a status.
const CPU_SAMPLE: Duration = Duration::from_millis(250);

/// The engine, or the way to it.
#[derive(Clone)]
pub struct Engine {
    config: EngineConfig,
    /// The image whose state the node card shows.
    image: String,
    archives: ArchiveStore,
    connected: Arc<tokio::sync::Mutex<Option<Driver>>>,
    facts: Arc<Mutex<Option<(Instant, Facts)>>>,
}

/// What is asked of the engine for heartbeats and status.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub engine: Option<hello::Engine>,
    pub image: hello::ImageState,
    pub machine: MachineFacts,
}

impl Engine {
    pub fn new(config: EngineConfig, image: String, archives: ArchiveStore) -> Self {
        Self {
            config,
            image,
            archives,
            connected: Arc::default(),
            facts: Arc::default(),
        }
    }

    /// The driver, connected.
    ///
    /// # Errors
    /// That no engine answers, in words for the machine's owner.
    pub async fn driver(&self) -> Result<Driver, OperationError> {
        let mut connected = self.connected.lock().await;
        if let Some(driver) = &*connected {
            return Ok(driver.clone());
        }
        let driver = Driver::connect(self.config.clone()).await?;
        *connected = Some(driver.clone());
        Ok(driver)
    }

    /// An engine that was upgraded or replaced is met anew.
    async fn met<T>(&self, outcome: Result<T, crate::DriverError>) -> Result<T, OperationError> {
        match outcome {
            Ok(value) => Ok(value),
            Err(error) => {
                let error = OperationError::from(error);
                if matches!(error.kind, ErrorKind::EngineUnavailable) {
                    *self.connected.lock().await = None;
                }
                Err(error)
            }
        }
    }

    /// Measures the engine, and with `probe` the inside of a sandbox.
    pub fn verify(
        &self,
        probe: bool,
    ) -> BoxFuture<'_, Result<roost_protocol::verify::VerifyReport, OperationError>> {
        Box::pin(async move {
            let driver = self.driver().await?;
            self.met(driver.verify(&self.image, probe).await).await
        })
    }

    pub fn provision<'a>(
        &'a self,
        spec: &'a SandboxSpec,
        restore: Option<&'a str>,
        progress: &'a mut (dyn FnMut(&str) + Send),
    ) -> BoxFuture<'a, Result<(SandboxFacts, WorkspaceState), OperationError>> {
        Box::pin(async move {
            let driver = self.driver().await?;
            let restore = restore
                .map(|digest| self.archives.path(digest))
                .transpose()?;
            let options = ProvisionOptions {
                restore,
                ..ProvisionOptions::default()
            };
            self.met(driver.provision(spec, options, progress).await)
                .await
        })
    }

    /// Whether a sandbox is there and runs.
    pub async fn running(&self, sandbox: SandboxId) -> Result<bool, OperationError> {
        let sandboxes = self.list().await?;
        Ok(sandboxes
            .iter()
            .any(|facts| facts.sandbox == sandbox && facts.state == ContainerState::Running))
    }

    /// Stores the workspace of a running sandbox, which goes on.
    pub fn archive(
        &self,
        sandbox: SandboxId,
    ) -> BoxFuture<'_, Result<ArchiveFacts, OperationError>> {
        Box::pin(async move {
            let driver = self.driver().await?;
            self.met(driver.archive(sandbox, &self.archives).await)
                .await
        })
    }

    pub async fn remove(&self, sandbox: SandboxId) -> Result<(), OperationError> {
        let driver = self.driver().await?;
        self.met(driver.destroy(sandbox, None).await)
            .await
            .map(|_| ())
    }

    pub async fn attach(&self, sandbox: SandboxId) -> Result<GuestLink, OperationError> {
        let driver = self.driver().await?;
        self.met(driver.attach(sandbox).await).await
    }

    pub async fn list(&self) -> Result<Vec<SandboxFacts>, OperationError> {
        let driver = self.driver().await?;
        self.met(driver.list().await).await
    }

    pub async fn health(
        &self,
        sandbox: SandboxId,
    ) -> Result<roost_protocol::sandbox::SandboxHealth, OperationError> {
        let driver = self.driver().await?;
        self.met(driver.health(sandbox).await).await
    }

    /// Processor use of a sandbox over a moment, percent of one core; `None` when the engine does not say.
    pub async fn cpu_pct(&self, sandbox: SandboxId) -> Option<f64> {
        let driver = self.driver().await.ok()?;
        let (before, at) = (driver.processor_time(sandbox).await?, Instant::now());
        tokio::time::sleep(CPU_SAMPLE).await;
        let used = driver.processor_time(sandbox).await?.checked_sub(before)?;
        Some(used.as_secs_f64() / at.elapsed().as_secs_f64() * 100.0)
    }

    /// Facts for heartbeats, at most some seconds old.
    pub async fn facts(&self) -> Facts {
        let known = self
            .facts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some((at, facts)) = known
            && at.elapsed() < FACTS_AGE
        {
            return facts;
        }
        let facts = tokio::time::timeout(ASK_TIME, self.ask())
            .await
            .unwrap_or_default();
        *self.facts.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((Instant::now(), facts.clone()));
        facts
    }

    async fn ask(&self) -> Facts {
        let Ok(driver) = self.driver().await else {
            return Facts::default();
        };
        let Ok(machine) = self.met(driver.machine().await).await else {
            *self.connected.lock().await = None;
            return Facts::default();
        };
        let image = match driver.image_state(&self.image, None).await {
            Ok(ImageState::Ready { .. }) => hello::ImageState::Ready,
            Ok(ImageState::Missing) => hello::ImageState::Missing,
            Ok(ImageState::WrongDigest { .. } | ImageState::Unfit { .. }) => {
                hello::ImageState::WrongDigest
            }
            Err(_) => hello::ImageState::Unknown,
        };
        let facts = driver.engine();
        let name = match facts.kind {
            EngineKind::Docker => "docker",
            EngineKind::Podman => "podman",
        };
        let engine = hello::Engine {
            name: name.into(),
            version: facts.version.clone(),
            api: facts.api.clone(),
        };
        Facts {
            engine: Some(engine),
            image,
            machine,
        }
    }

    /// Where the engine keeps its data; the root folder when it does not say.
    pub async fn data(&self) -> PathBuf {
        self.facts()
            .await
            .machine
            .data
            .unwrap_or_else(|| "/".into())
    }
}
