//! One look at the draining machines of this gateway: starts what follows, and records which machines are empty. A worker
//! of the branch `sandboxes` repeats it. It keeps nothing in memory, so it continues after a restart.

use std::time::Duration;

use super::model::Next;
use super::{facts, work};
use crate::fleet::{self, Draining, FleetHandle};
use crate::sandboxes::{SandboxError, SandboxesHandle};
use roost_platform::supervision::Failure;

/// How often it looks without a nudge.
pub const EVERY: Duration = Duration::from_secs(2);

/// Looks at each draining machine.
///
/// # Errors
/// When the database fails.
pub async fn round(sandboxes: &SandboxesHandle, fleet: &FleetHandle) -> Result<(), Failure> {
    let replica = &sandboxes.settings.replica;
    for machine in fleet::draining_on(sandboxes.db.read(), replica).await? {
        let is_empty = look(sandboxes, &machine).await?;
        if machine.moves && is_empty != machine.emptied_at.is_some() {
            fleet::set_emptied(fleet, &machine, is_empty).await?;
        }
    }
    Ok(())
}

/// Starts what follows for the sandboxes of a machine. Returns whether nothing is left there.
async fn look(sandboxes: &SandboxesHandle, machine: &Draining) -> Result<bool, SandboxError> {
    let now = sandboxes.clock.now();
    let progress = facts::of(sandboxes.db.read(), machine, now).await?;
    for seen in &progress.sandboxes {
        match seen.next {
            Next::Save => work::save(sandboxes, &seen.row, machine.turn).await?,
            Next::End => work::end(sandboxes, machine, &seen.row).await?,
            Next::Wait(_) | Next::Stay => {}
        }
    }
    Ok(progress.left.is_nothing())
}
