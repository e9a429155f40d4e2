//! The driver: a cheap clone with all verbs. Each verb has its own file; this file only connects and holds the shared
//! state.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use bollard::Docker;
use roost_protocol::ids::SandboxId;

use crate::engine::{self, EngineConfig, EngineFacts};
use crate::error::DriverError;
use crate::link::GuestLink;
use crate::names;
use crate::total::Enforcement;

/// Hardened sandboxes on one container engine. Cheap to clone; all clones share their links to guests.
#[derive(Clone)]
pub struct Driver {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) docker: Docker,
    pub(crate) engine: EngineFacts,
    links: Mutex<HashMap<SandboxId, Arc<Slot>>>,
    /// Held while sandboxes are counted and one is created, so that a race cannot exceed the owner's caps.
    pub(crate) admission: tokio::sync::Mutex<()>,
    /// Whether the kernel enforces the total of all sandboxes, by the last check.
    pub(crate) total: Mutex<Enforcement>,
}

/// The only link to a sandbox. The first caller that finds it empty opens it while the others wait.
type Slot = tokio::sync::Mutex<Option<GuestLink>>;

impl Driver {
    /// Connects to the engine, negotiates an API version and reads its facts.
    ///
    /// # Errors
    /// [`DriverError`] that names what to install, start or change.
    pub async fn connect(config: EngineConfig) -> Result<Self, DriverError> {
        let (docker, engine) = engine::connect(&config).await?;
        Ok(Self {
            inner: Arc::new(Inner {
                docker,
                engine,
                links: Mutex::default(),
                admission: tokio::sync::Mutex::new(()),
                total: Mutex::new(Enforcement::No {
                    why: "it was not set yet".to_owned(),
                }),
            }),
        })
    }

    /// The engine's facts.
    pub fn engine(&self) -> &EngineFacts {
        &self.inner.engine
    }

    /// The link to a sandbox's guest: the open one, or a new one. The driver keeps it open, so that the next command
    /// needs no attach.
    ///
    /// # Errors
    /// [`DriverError::NoSandbox`], [`DriverError::GuestSilent`], or the engine's error.
    pub async fn attach(&self, sandbox: SandboxId) -> Result<GuestLink, DriverError> {
        let slot = self.slot(sandbox);
        let mut held = slot.lock().await;
        if let Some(link) = held.as_ref().filter(|link| !link.is_closed()) {
            return Ok(link.clone());
        }
        let link = GuestLink::open(
            self.inner.docker.clone(),
            sandbox,
            names::container(sandbox),
        )
        .await;
        match link {
            Ok(link) => {
                *held = Some(link.clone());
                Ok(link)
            }
            Err(error) => {
                drop(held);
                self.detach(sandbox);
                Err(error)
            }
        }
    }

    /// Closes the link to a sandbox; readers of its events end.
    pub(crate) fn detach(&self, sandbox: SandboxId) {
        let slot = lock(&self.inner.links).remove(&sandbox);
        if let Some(slot) = slot
            && let Ok(mut held) = slot.try_lock()
            && let Some(link) = held.take()
        {
            link.close();
        }
    }

    fn slot(&self, sandbox: SandboxId) -> Arc<Slot> {
        Arc::clone(lock(&self.inner.links).entry(sandbox).or_default())
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // No line that can panic leaves these values incomplete.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Seconds since the epoch. Labels carry it for people; decisions use the engine's own times.
pub(crate) fn now_s() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
        })
}
