//! Wiring of what asks other services for workspaces.

use super::Shared;
use crate::domains::mesh::Devices;
use crate::domains::mesh::routes::MeshState;
use crate::domains::models::routes::ModelsState;
use crate::domains::repos::routes::ReposState;
use crate::supervision::Nudge;

/// Repositories of code hosts.
pub(super) fn repos(shared: &Shared<'_>) -> ReposState {
    ReposState {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        broker: shared.broker.clone(),
        outbound: shared.outbound.clone(),
        syncs: Nudge::default(),
        mirrors: Nudge::default(),
        credentials: shared.credential_nudge.clone(),
    }
}

/// Mesh networks.
pub(super) fn mesh(shared: &Shared<'_>) -> MeshState {
    MeshState {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        broker: shared.broker.clone(),
        outbound: shared.outbound.clone(),
        devices: Devices::default(),
        credentials: shared.credential_nudge.clone(),
    }
}

/// Models.
pub(super) fn models(shared: &Shared<'_>) -> ModelsState {
    ModelsState {
        db: shared.db.clone(),
        clock: shared.clock.clone(),
        ids: shared.ids.clone(),
        broker: shared.broker.clone(),
        outbound: shared.outbound.clone(),
        credentials: shared.credential_nudge.clone(),
    }
}
