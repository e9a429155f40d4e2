//! Wiring of what runs on machines: operations, the fleet, the engine on this host.

use super::{Shared, StartupError};
use crate::db::DbError;
use crate::domains::fleet::routes::FleetState;
use crate::domains::fleet::{self, FleetParts, FleetSettings};
use crate::operations::local::LocalSettings;
use crate::operations::{self, OperationsHandle};
use crate::supervision::AnyChild;

/// The parts of the tree, and what the routes need.
pub(super) struct Machines {
    pub(super) branch: AnyChild,
    pub(super) local_engine: Option<AnyChild>,
    pub(super) state: FleetState,
}

/// Makes them.
pub(super) async fn machines(shared: &Shared<'_>) -> Result<Machines, StartupError> {
    let config = shared.config;
    let released = fleet::release_dead_holders(shared.db).await;
    released.map_err(DbError::statement(
        "cannot release the connections of a former run",
    ))?;
    let operations = OperationsHandle::new(shared.db.clone(), shared.clock.clone());
    let parts = FleetParts {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        operations: operations.clone(),
        replica: shared.ids.next().to_string(),
        settings: FleetSettings {
            public_url: config.public_url.clone(),
            dist_dir: config.dist_dir.clone(),
            heartbeat_s: u32::try_from(config.heartbeat.as_secs()).unwrap_or(u32::MAX),
        },
    };
    let (branch, fleet) = fleet::branch(parts, shared.hub.clone());
    let settings = LocalSettings {
        state_dir: config.data_dir.join("local-engine"),
        engine: config.sandboxes.engine.clone(),
        image: config.sandboxes.image.clone(),
    };
    let local = || operations::local::child(operations.clone(), shared.ids.clone(), settings);
    Ok(Machines {
        branch,
        local_engine: config.sandboxes.local.then(local),
        state: FleetState {
            fleet,
            hub: shared.hub.clone(),
            behind_tls: config.is_behind_tls(),
        },
    })
}
