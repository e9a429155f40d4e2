//! Draining and undraining: stored first, so that it survives every disconnect, then told to the machine.

use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::fleet::actor::{NodeMsg, wish};
use crate::domains::fleet::entity::node;
use crate::domains::fleet::{FleetError, FleetHandle, store};
use crate::events::{self, Event, NodeActivity, ResourceKind};
use crate::ids::{NodeId, UserId};

/// Drains (`true`) or undrains a node. When this answers, nothing new is placed on a draining node (P7).
///
/// # Errors
/// When there is none, its actor does not answer, or the store fails.
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
