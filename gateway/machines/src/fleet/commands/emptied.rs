//! A draining machine has become empty, or is not empty any more.

use crate::fleet::{Draining, FleetError, FleetHandle, drain_store};
use roost_platform::events::{Event, NodeActivity, ResourceKind};
use roost_platform::ids::UserId;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Records it, with the event for people. Steps that wait for the machine continue elsewhere. Nothing happens when the
/// wish about draining has changed meanwhile.
///
/// # Errors
/// When the store fails.
pub async fn set_emptied(
    fleet: &FleetHandle,
    machine: &Draining,
    empty: bool,
) -> Result<(), FleetError> {
    let scope = WorkspaceScope::of_row(machine.workspace);
    let mut change = Change::begin(fleet, scope, UserId::SYSTEM).await?;
    let at = empty.then(|| change.now());
    let Some(version) = drain_store::set_emptied(&change, machine, at).await? else {
        return Ok(());
    };
    let node = machine.node;
    if empty {
        fleet.waiting_work().wake(&mut change, node).await?;
        change.record("node.emptied", ("node", &node), serde_json::json!({}));
        change.event(NodeActivity::on_machine(Some(node), "empty", 0.6));
    }
    change.event(Event::changed(ResourceKind::Node, node, version));
    change.commit().await?;
    Ok(())
}
