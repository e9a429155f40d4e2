//! What sagas ask of machines and their sandboxes.

use std::sync::Arc;

use crate::domains::claws::purge::{DeleteNodes, DestroySandbox};
use crate::domains::fleet::{self, FleetHandle};
use crate::domains::sandboxes::{self, SandboxesHandle};

/// What the saga of an agent's end asks of its sandbox.
pub(super) fn destroy_sandbox(sandboxes: SandboxesHandle) -> DestroySandbox {
    Arc::new(move |scope, claw| {
        let sandboxes = sandboxes.clone();
        Box::pin(async move {
            let gone = sandboxes::commands::destroy_for_good(&sandboxes, scope, claw).await;
            gone.map_err(|error| error.to_string())
        })
    })
}

/// What the saga of a workspace's end asks of its machines.
pub(super) fn delete_nodes(fleet: FleetHandle) -> DeleteNodes {
    Arc::new(move |scope, user| {
        let fleet = fleet.clone();
        Box::pin(async move {
            let gone = fleet::commands::remove_all(&fleet, scope, user).await;
            gone.map_err(|error| error.to_string())
        })
    })
}
