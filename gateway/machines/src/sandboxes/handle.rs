//! The handle with which other domains use sandboxes, and the parts that the commands use.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::OwnerFacts;
use super::rates::Rates;
use super::snapshots::pace::ChunkPace;
use super::snapshots::{ChunkStore, Exchange};
use crate::fleet::local::{LocalBounds, LocalImages};
use crate::fleet::operations::OperationsHandle;
use crate::images::Catalogue;
use crate::sandboxes::CommandLimits;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::supervision::{Nudge, SupervisorHandle};
use roost_tenancy::change::ChangeContext;
use roost_tenancy::workspaces::Plans;

/// The most image names that are kept in memory.
const MOST_IMAGES: usize = 1_000;

/// Settings of the deployment.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The deployment's images, with the one for requests that name none.
    pub images: Catalogue,
    /// The name of this gateway among the gateways on one database.
    pub replica: String,
    /// How many commands may start.
    pub commands: CommandLimits,
    /// What this host lends, once its engine has answered.
    pub local: LocalBounds,
    /// What this host's engine has of the deployment's images.
    pub held: LocalImages,
}

/// The domain's handle; cheap to clone.
#[derive(Clone)]
pub struct SandboxesHandle {
    pub(super) db: Db,
    pub(super) clock: SharedClock,
    pub(super) ids: SharedIds,
    /// Held while the sandbox of an owner is replaced by one with earlier files.
    pub(super) replacing: Arc<tokio::sync::Mutex<()>>,
    pub(super) plans: Arc<Plans>,
    pub(super) operations: OperationsHandle,
    /// `roost/sandboxes`: the supervisor of the jobs that watch transitions.
    pub(super) jobs: SupervisorHandle,
    pub(super) settings: Arc<Settings>,
    pub(super) rates: Rates,
    pub(super) owners: Arc<dyn OwnerFacts>,
    pub(super) chunks: ChunkStore,
    pub(super) exchange: Exchange,
    pub(super) chunk_pace: ChunkPace,
    /// Has the draining machines looked at now.
    pub(super) drains: Nudge,
    /// Images without an escape probe; the gateway logs each of them once.
    without_probe: Arc<Mutex<HashSet<String>>>,
}

impl ChangeContext for SandboxesHandle {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}

/// The parts of the domain.
pub struct Parts {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub plans: Arc<Plans>,
    pub operations: OperationsHandle,
    /// `roost/sandboxes`: the supervisor of the jobs that watch transitions.
    pub jobs: SupervisorHandle,
    pub settings: Settings,
    /// Facts about owners from teams.
    pub owners: Arc<dyn OwnerFacts>,
    /// The gateway's store of chunks, as machines use it.
    pub exchange: Exchange,
}

impl SandboxesHandle {
    /// Wires the domain.
    pub fn new(parts: Parts) -> Self {
        Self {
            chunks: parts.exchange.chunks().clone(),
            exchange: parts.exchange,
            chunk_pace: ChunkPace::default(),
            drains: Nudge::default(),
            db: parts.db,
            clock: parts.clock,
            ids: parts.ids,
            replacing: Arc::default(),
            plans: parts.plans,
            operations: parts.operations,
            jobs: parts.jobs,
            rates: Rates::new(parts.settings.commands),
            settings: Arc::new(parts.settings),
            owners: parts.owners,
            without_probe: Arc::default(),
        }
    }

    /// Whether this is the first sandbox of an image that has no escape probe.
    pub(super) fn is_new_image(&self, image: &str) -> bool {
        // An insertion leaves the set consistent.
        let mut seen = self
            .without_probe
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        seen.len() < MOST_IMAGES && seen.insert(image.to_owned())
    }
}
