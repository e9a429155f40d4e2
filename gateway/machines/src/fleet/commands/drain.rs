//! Draining and undraining: the wish is stored first, so that it survives every disconnect, then sent to the machine.

use crate::fleet::entity::node;
use crate::fleet::node::{NodeMsg, wish};
use crate::fleet::{Drain, FleetError, FleetHandle, store};
use roost_platform::events::{Event, NodeActivity, ResourceKind};
use roost_platform::ids::{NodeId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Drains a node, or ends its draining. Once this returns, the gateway places nothing new on a draining node (P7).
///
/// # Errors
/// When the node does not exist, its actor does not answer, or the store fails.
pub async fn set_draining(
    fleet: &FleetHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: NodeId,
    drain: Drain,
) -> Result<node::Model, FleetError> {
    let mut change = Change::begin(fleet, scope, user).await?;
    let (row, changed) = store::set_draining(&change, scope, id, (drain, change.now()))
        .await?
        .ok_or(FleetError::NotFound)?;
    if changed && drain == Drain::Off {
        fleet.waiting_work().wake(&mut change, id).await?;
    }
    if changed {
        let (action, label) = match drain {
            Drain::Off => ("node.undrained", "undrained"),
            Drain::Stay | Drain::Move => ("node.drained", "draining"),
        };
        let details = match drain {
            Drain::Move => serde_json::json!({ "move": true }),
            Drain::Off | Drain::Stay => serde_json::json!({}),
        };
        change.record(action, ("node", &id), details);
        let news = [
            Event::changed(ResourceKind::Node, id, row.version),
            NodeActivity::on_machine(Some(id), label, 0.6),
        ];
        change.events(news);
    }
    change.commit().await?;
    let address = fleet.ensure(&row).await?;
    let wish = wish(&row);
    address
        .call(super::super::handle::ANSWER_WITHIN, |reply| {
            NodeMsg::DrainSet(wish, reply)
        })
        .await?;
    Ok(row)
}
