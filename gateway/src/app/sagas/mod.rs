//! The steps of sagas. They are here, and not in a domain, because each uses several domains.

mod claw;
mod team;
mod workspace;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use roost_connections::doors::AskingRuns;
use roost_execution::runs::RunsHandle;
use roost_machines::fleet::FleetHandle;
use roost_machines::sandboxes::SandboxesHandle;
use roost_platform::ids::SharedIds;
use roost_platform::sagas::{Kind, SagaHandler};

/// The handler of each kind of saga.
pub(super) fn handlers(
    ids: &SharedIds,
    supplies: PathBuf,
    fleet: FleetHandle,
    sandboxes: SandboxesHandle,
    runs: RunsHandle,
    asking_runs: Arc<dyn AskingRuns>,
) -> HashMap<Kind, Arc<dyn SagaHandler>> {
    let claw: Arc<dyn SagaHandler> = Arc::new(claw::ClawEnd {
        sandboxes: sandboxes.clone(),
        runs,
        asking_runs,
    });
    let team = Arc::new(team::TeamEnd { ids: ids.clone() });
    let removal: Arc<dyn SagaHandler> = Arc::new(team::OwnerRemoval { sandboxes });
    let ids = ids.clone();
    let workspace = Arc::new(workspace::WorkspaceEnd {
        ids,
        fleet,
        supplies,
    });
    HashMap::from([
        (Kind::ClawRetire, claw.clone()),
        (Kind::ClawPurge, claw),
        (Kind::WorkspacePurge, workspace),
        (Kind::TeamTeardown, team),
        (Kind::TeamRemoval, removal.clone()),
        (Kind::MissionRemoval, removal),
    ])
}
