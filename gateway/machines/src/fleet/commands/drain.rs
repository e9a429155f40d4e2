//! Draining and undraining: the wish is stored first, so that it survives every disconnect, then sent to the machine.

use crate::fleet::entity::node;
use crate::fleet::node::{NodeMsg, wish};
use crate::fleet::{FleetError, FleetHandle, store};
use roost_platform::events::{self, Event, NodeActivity, ResourceKind};
use roost_platform::ids::{NodeId, UserId};
use roost_tenancy::audit;
use roost_tenancy::auth::WorkspaceScope;

/// Drains (`true`) or undrains a node. Once this returns, the gateway places nothing new on a draining node (P7).
///
/// # Errors
/// When the node does not exist, its actor does not answer, or the store fails.
pub async fn set_draining(
    fleet: &FleetHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: NodeId,
    on: bool,
) -> Result<node::Model, FleetError> {
    let now = fleet.clock().now();
    let mut tx = fleet.db().write().await?;
    let (row, changed) = store::set_draining(&tx, scope, id, on)
        .await?
        .ok_or(FleetError::NotFound)?;
    if changed {
        let (action, label) = if on {
            ("node.drained", "draining")
        } else {
            ("node.undrained", "undrained")
        };
        let details = serde_json::json!({});
        audit::record(
            &tx,
            fleet.ids(),
            now,
            scope,
            user,
            action,
            ("node", &id),
            details,
        )
        .await?;
        let news = [
            Event::changed(ResourceKind::Node, id, row.version),
            NodeActivity::on_machine(Some(id), label, 0.6),
        ];
        events::append(&mut tx, scope.workspace(), now, news).await?;
    }
    tx.commit().await?;
    let address = fleet.ensure(&row).await?;
    let wish = wish(&row);
    address
        .call(super::super::handle::ANSWER_WITHIN, |reply| {
            NodeMsg::DrainSet(wish, reply)
        })
        .await?;
    Ok(row)
}
