//! Giving a node a name.

use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::fleet::entity::node;
use crate::domains::fleet::{FleetError, FleetHandle, store};
use crate::events::{self, Event, ResourceKind};
use crate::ids::{NodeId, UserId};

/// Names a node.
///
/// # Errors
/// When there is none, or the store fails.
pub async fn rename(
    fleet: &FleetHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: NodeId,
    name: &str,
) -> Result<node::Model, FleetError> {
    let now = fleet.clock().now();
    let name = name.trim().to_owned();
    let mut tx = fleet.db().write().await?;
    let version = store::change(&tx, scope, id, [("name", name.clone().into())])
        .await?
        .ok_or(FleetError::NotFound)?;
    let details = serde_json::json!({ "name": name });
    audit::record(
        &tx,
        fleet.ids(),
        now,
        scope,
        user,
        "node.renamed",
        ("node", &id),
        details,
    )
    .await?;
    events::append(
        &mut tx,
        scope.workspace(),
        now,
        [Event::changed(ResourceKind::Node, id, version)],
    )
    .await?;
    tx.commit().await?;
    store::get(fleet.db().read(), scope, id)
        .await?
        .ok_or(FleetError::NotFound)
}
