//! Wiring of what runs on machines: operations, the fleet, the engine on this host.

use std::sync::Arc;

use tokio::sync::broadcast;

use super::{Shared, StartupError};
use crate::db::DbError;
use crate::domains::fleet::routes::FleetState;
use crate::domains::fleet::{self, FleetParts, FleetSettings};
use crate::domains::sandboxes::{self, SandboxesHandle};
use crate::operations::local::{LocalExecutor, LocalSettings};
use crate::operations::{self, OperationsHandle};
use crate::supervision::{AnyChild, SupervisorSpec};

/// Facts of the local engine that their listener may be behind.
const LOCAL_FACTS: usize = 1024;

/// The parts of the tree, and what the routes need.
pub(super) struct Machines {
    pub(super) branch: AnyChild,
    pub(super) sandboxes_branch: SupervisorSpec,
    pub(super) sandboxes: SandboxesHandle,
    /// What ends the engine on this host, where it is on.
    pub(super) local_executor: Option<LocalExecutor>,
    pub(super) state: FleetState,
    pub(super) operations: OperationsHandle,
}

/// Makes them.
pub(super) async fn machines(shared: &Shared<'_>) -> Result<Machines, StartupError> {
    let config = shared.config;
    let released = fleet::release_dead_holders(shared.db).await;
    released.map_err(DbError::statement(
        "cannot release the connections of a former run",
    ))?;
    let operations = OperationsHandle::new(
        shared.db.clone(),
        shared.clock.clone(),
        shared.events.clone(),
    );
    let replica = shared.ids.next().to_string();
    let parts = FleetParts {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        operations: operations.clone(),
        replica: replica.clone(),
        settings: FleetSettings {
            public_url: config.public_url.clone(),
            dist_dir: config.dist_dir.clone(),
            heartbeat_s: u32::try_from(config.heartbeat.as_secs()).unwrap_or(u32::MAX),
        },
    };
    let (branch, fleet) = fleet::branch(parts, shared.hub.clone());
    let (local_facts, _) = broadcast::channel(LOCAL_FACTS);
    let settings = LocalSettings {
        state_dir: config.data_dir.join("local-engine"),
        engine: config.sandboxes.engine.clone(),
        image: config.sandboxes.image.clone(),
        facts: local_facts.clone(),
    };
    let local = || operations::local::child(operations.clone(), shared.ids.clone(), settings);
    let (local_engine, local_executor) = config.sandboxes.local.then(local).unzip();
    let (transitions, jobs) = sandboxes::transitions();
    let handle = SandboxesHandle::new(
        shared.db.clone(),
        shared.clock.clone(),
        shared.ids.clone(),
        Arc::new(config.plans.clone()),
        operations.clone(),
        jobs,
        sandboxes::Settings {
            image: config.sandboxes.image.clone(),
            replica,
        },
    );
    let sandboxes_branch =
        sandboxes::branch(&handle, transitions, local_engine, &fleet, &local_facts);
    Ok(Machines {
        branch,
        sandboxes_branch,
        sandboxes: handle,
        local_executor,
        state: FleetState {
            fleet,
            hub: shared.hub.clone(),
            live: shared.live.clone(),
            behind_tls: config.is_behind_tls(),
        },
        operations: operations.clone(),
    })
}
