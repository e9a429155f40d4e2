//! Wiring of the parts that call other services for workspaces.

use std::sync::Arc;

use super::Shared;
use super::links::StepsOfDoors;
use roost_connections::checkouts::CheckoutsContext;
use roost_connections::doors::DoorsContext;
use roost_connections::mesh::{Devices, MeshContext};
use roost_connections::repos::ReposContext;
use roost_connections::supplies::SuppliesContext;
use roost_connections::uploads::{UploadsContext, Work};
use roost_execution::models::ModelsContext;
use roost_machines::sandboxes::SandboxesHandle;
use roost_platform::broker::Credentials;
use roost_platform::supervision::Nudge;

/// Repositories of code hosts.
pub(super) fn repos(shared: &Shared<'_>) -> ReposContext {
    ReposContext {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        broker: shared.broker.clone(),
        outbound: shared.outbound.clone(),
        syncs: Nudge::default(),
        mirrors: shared.mirror_nudge.clone(),
        credentials: credentials(shared),
    }
}

/// Repositories of runs.
pub(super) fn checkouts(shared: &Shared<'_>, sandboxes: SandboxesHandle) -> CheckoutsContext {
    CheckoutsContext {
        db: shared.db.for_work(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        broker: shared.broker.clone(),
        sandboxes,
        supplies: SuppliesContext {
            settings: shared.config.supplies.clone(),
            outbound: shared.outbound.clone(),
            clock: shared.clock.clone(),
            folder: shared.config.data_dir.join(super::private::SUPPLIES),
        },
        mirrors: shared.mirror_nudge.clone(),
    }
}

/// Uploaded files.
pub(super) fn uploads(shared: &Shared<'_>) -> UploadsContext {
    UploadsContext {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        broker: shared.broker.clone(),
        credentials: credentials(shared),
        folder: shared.config.data_dir.join(super::private::UPLOADS),
        limits: shared.config.uploads,
        work: Work::default(),
    }
}

/// Doors.
pub(super) fn doors(shared: &Shared<'_>, checkouts: CheckoutsContext) -> DoorsContext {
    DoorsContext {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        apps: shared.apps.clone(),
        checkouts,
        approvals: shared.door_nudge.clone(),
        runs: Arc::new(StepsOfDoors(shared.wakes.clone())),
    }
}

/// Mesh networks.
pub(super) fn mesh(shared: &Shared<'_>) -> MeshContext {
    MeshContext {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        broker: shared.broker.clone(),
        outbound: shared.outbound.clone(),
        devices: Devices::default(),
        credentials: credentials(shared),
    }
}

/// Models.
pub(super) fn models(shared: &Shared<'_>) -> ModelsContext {
    ModelsContext {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        broker: shared.broker.clone(),
        outbound: shared.outbound.clone(),
        credentials: credentials(shared),
    }
}

/// The credentials of the rows of all these parts.
pub(super) fn credentials(shared: &Shared<'_>) -> Credentials {
    Credentials {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        broker: shared.broker.clone(),
        sweeper: shared.credential_nudge.clone(),
    }
}
