//! The executor's view of the engine: connects when it answers, reconnects after a loss, and maps its errors to the
//! channel's kinds.
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use roost_protocol::caps::Bounds;
use roost_protocol::hello;
use roost_protocol::ids::SandboxId;
use roost_protocol::report::{ArchiveFacts, ErrorKind, OperationError};
use roost_protocol::sandbox::{ContainerState, SandboxFacts, SandboxSpec, WorkspaceState};
use roost_protocol::snapshot::Stored;

use super::policy::OwnerPolicy;
use super::wanted::WantedImage;
use crate::archive::ArchiveStore;
use crate::driver::lock;
use crate::machine::MachineFacts;
use crate::origin::ImageOffer;
use crate::{
    Allowance, Driver, DriverError, Enforcement, EngineConfig, EngineKind, GuestLink, ImageState,
    ProvisionOptions, Restore, SnapshotStore,
};

/// How old the machine's facts may be. Heartbeats and status requests query the engine no more often than this.
const FACTS_AGE: Duration = Duration::from_secs(5);

/// How long the engine may take before its facts count as unknown. A heartbeat must not wait for an engine that hangs.
const ASK_TIME: Duration = Duration::from_secs(3);

/// How long processor use is sampled for a status.
const CPU_SAMPLE: Duration = Duration::from_millis(250);

/// A connection to the engine, or the settings to make one.
#[derive(Clone)]
pub struct Engine {
    config: EngineConfig,
    policy: OwnerPolicy,
    /// The image whose state the node reports.
    wanted: WantedImage,
    /// The images of the gateway's catalogue.
    catalogue: Arc<Mutex<Vec<hello::WantedImage>>>,
    pub archives: ArchiveStore,
    pub snapshots: SnapshotStore,
    allowance: Arc<Mutex<Option<Allowance>>>,
    connected: Arc<tokio::sync::Mutex<Option<Driver>>>,
    facts: Arc<Mutex<Option<(Instant, Facts)>>>,
}

/// Facts of the engine for heartbeats and status.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub engine: Option<hello::Engine>,
    pub image: hello::ImageState,
    /// The image that `image` describes.
    pub image_reference: Option<String>,
    pub image_id: Option<String>,
    pub image_unfit: Option<String>,
    /// What the engine has of the catalogue's images.
    pub images: Vec<hello::HeldImage>,
    pub bounds: Option<Bounds>,
    pub machine: MachineFacts,
}

impl Engine {
    pub fn new(
        config: EngineConfig,
        policy: OwnerPolicy,
        wanted: WantedImage,
        (archives, snapshots): (ArchiveStore, SnapshotStore),
    ) -> Self {
        Self {
            config,
            policy,
            wanted,
            catalogue: Arc::default(),
            archives,
            snapshots,
            allowance: Arc::default(),
            connected: Arc::default(),
            facts: Arc::default(),
        }
    }

    /// The connected driver.
    ///
    /// # Errors
    /// When no engine answers, in words for the machine's owner.
    pub async fn driver(&self) -> Result<Driver, OperationError> {
        let mut connected = self.connected.lock().await;
        if let Some(driver) = &*connected {
            return Ok(driver.clone());
        }
        let driver = Driver::connect(self.config.clone()).await?;
        let allowance = self.policy.allowance(driver.host());
        *lock(&self.allowance) = Some(allowance);
        let _ = driver.enforce_total(&allowance).await;
        *connected = Some(driver.clone());
        Ok(driver)
    }

    /// The owner's allowance on this machine; `None` until an engine has reported what the machine has.
    pub fn allowance(&self) -> Option<Allowance> {
        *lock(&self.allowance)
    }

    /// Changes the image whose state is reported.
    pub fn want_image(&self, reference: &str) {
        if self.wanted.set(reference) {
            // The cached facts are about another image.
            *lock(&self.facts) = None;
        }
    }

    /// Sets the catalogue's images. Invalid references are ignored.
    pub fn want_images(&self, mut images: Vec<hello::WantedImage>) {
        images.retain(|image| roost_protocol::text::image_reference(&image.reference).is_ok());
        images.truncate(roost_protocol::limits::MAX_IMAGES);
        let before = std::mem::replace(&mut *lock(&self.catalogue), images.clone());
        if before != images {
            *lock(&self.facts) = None;
        }
    }

    /// The images of the gateway's catalogue.
    pub fn catalogue(&self) -> Vec<hello::WantedImage> {
        lock(&self.catalogue).clone()
    }

    /// The next facts are asked for anew.
    pub fn forget_facts(&self) {
        *lock(&self.facts) = None;
    }

    /// Gives the engine an image that the gateway packed.
    ///
    /// # Errors
    /// When the engine does not answer, or when the archive is not what the gateway offered.
    pub async fn unpack_image(
        &self,
        archive: &Path,
        offer: &ImageOffer,
    ) -> Result<(), OperationError> {
        let driver = self.driver().await?;
        let loaded = driver.unpack_image(archive, &offer.id, &offer.reference);
        self.met(loaded.await).await
    }

    /// What the engine has of the catalogue's images.
    async fn held(&self, driver: &Driver) -> Vec<hello::HeldImage> {
        let wanted = lock(&self.catalogue).clone();
        let mut held = Vec::with_capacity(wanted.len());
        for hello::WantedImage { reference, digest } in wanted {
            let mut image = hello::HeldImage {
                reference,
                state: hello::ImageState::Unknown,
                id: None,
                bytes: None,
                unfit: None,
                fetch: None,
            };
            match driver
                .image_state(&image.reference, digest.as_deref())
                .await
            {
                Ok(ImageState::Ready { id, bytes }) => {
                    image.state = hello::ImageState::Ready;
                    (image.id, image.bytes) = (Some(id), Some(bytes));
                }
                Ok(ImageState::Missing) => image.state = hello::ImageState::Missing,
                Ok(ImageState::WrongDigest { id }) => {
                    image.state = hello::ImageState::WrongDigest;
                    image.id = Some(id);
                }
                Ok(ImageState::Unfit { reason }) => {
                    image.state = hello::ImageState::WrongDigest;
                    image.unfit = Some(reason);
                }
                Err(_) => {}
            }
            held.push(image);
        }
        held
    }

    /// Maps the outcome. After a lost connection, the next call connects again: the engine may have been upgraded or
    /// replaced.
    async fn met<T>(&self, outcome: Result<T, DriverError>) -> Result<T, OperationError> {
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

    /// Measures the engine, and with `probe` also the inside of a sandbox.
    pub fn verify(
        &self,
        probe: bool,
    ) -> BoxFuture<'_, Result<roost_protocol::verify::VerifyReport, OperationError>> {
        Box::pin(async move {
            let driver = self.driver().await?;
            let allowance = self.policy.allowance(driver.host());
            let _ = driver.enforce_total(&allowance).await;
            self.met(driver.verify(&self.wanted.get(), probe).await)
                .await
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
            let restore = restore.map(|digest| self.stored(digest)).transpose()?;
            let options = ProvisionOptions {
                restore,
                allowance: Some(self.policy.allowance(driver.host())),
            };
            self.met(driver.provision(spec, options, progress).await)
                .await
        })
    }

    /// Whether a sandbox exists and runs.
    pub async fn running(&self, sandbox: SandboxId) -> Result<bool, OperationError> {
        let sandboxes = self.list().await?;
        Ok(sandboxes
            .iter()
            .any(|facts| facts.sandbox == sandbox && facts.state == ContainerState::Running))
    }

    /// The stored workspace that a digest names. One that is not here counts as a snapshot.
    fn stored(&self, digest: &str) -> Result<Restore, OperationError> {
        let path = self.archives.path(digest)?;
        if path.exists() && !self.snapshots.has(digest) {
            return Ok(Restore::Archive(path));
        }
        Ok(Restore::Snapshot {
            store: self.snapshots.clone(),
            digest: digest.to_owned(),
        })
    }

    /// Takes a snapshot of a running sandbox. The flag says whether its workspace has changed since the last one.
    pub fn snapshot(
        &self,
        sandbox: SandboxId,
    ) -> BoxFuture<'_, Result<(Stored, bool), OperationError>> {
        Box::pin(async move {
            let driver = self.driver().await?;
            self.met(driver.snapshot(sandbox, &self.snapshots).await)
                .await
        })
    }

    /// Stores the workspace of a running sandbox. The sandbox keeps running. A guest of an older version gives an
    /// archive, and no snapshot.
    pub fn store(
        &self,
        sandbox: SandboxId,
    ) -> BoxFuture<'_, Result<(ArchiveFacts, Option<Stored>), OperationError>> {
        Box::pin(async move {
            let driver = self.driver().await?;
            match driver.snapshot(sandbox, &self.snapshots).await {
                Err(DriverError::GuestOld(_)) => {
                    let archive = driver.archive(sandbox, &self.archives).await;
                    Ok((self.met(archive).await?, None))
                }
                taken => {
                    let (stored, _) = self.met(taken).await?;
                    let facts = ArchiveFacts {
                        digest: stored.digest.clone(),
                        bytes: stored.bytes,
                    };
                    Ok((facts, Some(stored)))
                }
            }
        })
    }

    pub async fn remove(&self, sandbox: SandboxId) -> Result<(), OperationError> {
        let driver = self.driver().await?;
        self.met(driver.destroy(sandbox, None).await).await?;
        self.snapshots.sandbox_gone(sandbox);
        Ok(())
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

    /// Processor use of a sandbox over a short sample, percent of one core; `None` when the engine does not report it.
    pub async fn cpu_pct(&self, sandbox: SandboxId) -> Option<f64> {
        let driver = self.driver().await.ok()?;
        let (before, at) = (driver.processor_time(sandbox).await?, Instant::now());
        tokio::time::sleep(CPU_SAMPLE).await;
        let used = driver.processor_time(sandbox).await?.checked_sub(before)?;
        Some(used.as_secs_f64() / at.elapsed().as_secs_f64() * 100.0)
    }

    /// Facts for heartbeats, at most a few seconds old.
    pub async fn facts(&self) -> Facts {
        let known = lock(&self.facts).clone();
        if let Some((at, facts)) = known
            && at.elapsed() < FACTS_AGE
        {
            return facts;
        }
        let facts = tokio::time::timeout(ASK_TIME, self.ask())
            .await
            .unwrap_or_default();
        *lock(&self.facts) = Some((Instant::now(), facts.clone()));
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
        let reference = self.wanted.get();
        let (mut image_id, mut image_unfit) = (None, None);
        let image = match driver.image_state(&reference, None).await {
            Ok(ImageState::Ready { id, .. }) => {
                image_id = Some(id);
                hello::ImageState::Ready
            }
            Ok(ImageState::Missing) => hello::ImageState::Missing,
            Ok(ImageState::WrongDigest { id }) => {
                image_id = Some(id);
                hello::ImageState::WrongDigest
            }
            Ok(ImageState::Unfit { reason }) => {
                image_unfit = Some(reason);
                hello::ImageState::WrongDigest
            }
            Err(_) => hello::ImageState::Unknown,
        };
        let images = self.held(&driver).await;
        let caps = self.policy.allowance(driver.host()).caps;
        let bounds = Bounds {
            each: caps.each,
            all: caps.all,
            not_enforced: match driver.total() {
                Enforcement::Yes => None,
                Enforcement::No { why } => Some(why),
            },
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
            image_reference: Some(reference),
            image_id,
            image_unfit,
            images,
            bounds: Some(bounds),
            machine,
        }
    }

    /// Cleans up at the end of the executor what only running sandboxes need. Does nothing if no engine was ever
    /// connected.
    pub async fn leave(&self) {
        let driver = self.connected.lock().await.clone();
        if let Some(driver) = driver {
            driver.forget_parent().await;
        }
    }

    /// Folder of the engine's data; the root folder when the engine does not report it.
    pub async fn data(&self) -> PathBuf {
        self.facts()
            .await
            .machine
            .data
            .unwrap_or_else(|| "/".into())
    }
}
