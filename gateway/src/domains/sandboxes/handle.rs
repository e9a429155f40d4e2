//! What other domains see of sandboxes, and what the commands work with.

use std::sync::Arc;

use crate::clock::SharedClock;
use crate::db::Db;
use crate::domains::workspaces::Plans;
use crate::ids::SharedIds;
use crate::operations::OperationsHandle;
use crate::supervision::SupervisorHandle;

/// What the deployment decides.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Image of agents when a request names none.
    pub image: String,
    /// This gateway's name among those that share the database.
    pub replica: String,
}

/// The domain's handle; cheap to clone.
#[derive(Clone)]
pub struct SandboxesHandle {
    pub(super) db: Db,
    pub(super) clock: SharedClock,
    pub(super) ids: SharedIds,
    pub(super) plans: Arc<Plans>,
    pub(super) operations: OperationsHandle,
    /// `roost/sandboxes`: the jobs that watch transitions live here.
    pub(super) jobs: SupervisorHandle,
    pub(super) settings: Arc<Settings>,
}

impl SandboxesHandle {
    /// Wires the domain.
    pub fn new(
        db: Db,
        clock: SharedClock,
        ids: SharedIds,
        plans: Arc<Plans>,
        operations: OperationsHandle,
        jobs: SupervisorHandle,
        settings: Settings,
    ) -> Self {
        Self {
            db,
            clock,
            ids,
            plans,
            operations,
            jobs,
            settings: Arc::new(settings),
        }
    }
}
