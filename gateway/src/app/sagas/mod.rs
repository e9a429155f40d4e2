//! What the steps of sagas do. It is here, and not in a domain, because each reaches into several.

mod claw;
mod team;
mod workspace;

use std::collections::HashMap;
use std::sync::Arc;

use crate::domains::fleet::FleetHandle;
use crate::domains::sandboxes::SandboxesHandle;
use crate::ids::SharedIds;
use crate::sagas::{Carrier, Kind};

/// Who carries which kind.
pub(super) fn carriers(
    ids: &SharedIds,
    fleet: FleetHandle,
    sandboxes: SandboxesHandle,
) -> HashMap<Kind, Arc<dyn Carrier>> {
    let claw: Arc<dyn Carrier> = Arc::new(claw::ClawEnd { sandboxes });
    let team = Arc::new(team::TeamEnd { ids: ids.clone() });
    let ids = ids.clone();
    let workspace = Arc::new(workspace::WorkspaceEnd { ids, fleet });
    HashMap::from([
        (Kind::ClawRetire, claw.clone()),
        (Kind::ClawPurge, claw),
        (Kind::WorkspacePurge, workspace),
        (Kind::TeamTeardown, team),
    ])
}
