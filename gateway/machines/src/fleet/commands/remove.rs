//! Deleting a node: the commit makes its token invalid; then its actor destroys its sandboxes if it can reach the node.

use chrono::{DateTime, Utc};
use sea_orm::Value;

use crate::fleet::node::NodeMsg;
use crate::fleet::{FleetError, FleetHandle, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{NodeId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Deletes a node.
///
/// # Errors
/// When the node does not exist, or the store fails.
pub async fn remove(
    fleet: &FleetHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: NodeId,
) -> Result<(), FleetError> {
    let mut change = Change::begin(fleet, scope, user).await?;
    let dead: [(&'static str, Value); 3] = [
        ("deleted_at", change.now().into()),
        ("token_sha256", Value::String(None)),
        ("join_code_sha256", Value::String(None)),
    ];
    let version = store::change(&change, scope, id, dead)
        .await?
        .ok_or(FleetError::NotFound)?;
    fleet.waiting_work().wake(&mut change, id).await?;
    let details = serde_json::json!({});
    change.record("node.deleted", ("node", &id), details);
    change.event(Event::changed(ResourceKind::Node, id, version));
    change.commit().await?;
    if let Some(address) = fleet.find(id) {
        // An actor that is restarting reads the row when it is back.
        drop(address.cast(NodeMsg::Deleted));
    }
    Ok(())
}

/// Deletes every machine of a workspace.
///
/// # Errors
/// When the store fails. Nodes that were deleted stay deleted, and a repeated call continues.
pub async fn remove_all(
    fleet: &FleetHandle,
    scope: WorkspaceScope,
    user: UserId,
) -> Result<(), FleetError> {
    loop {
        let some = store::list(fleet.db().read(), scope, None, 100).await?;
        if some.is_empty() {
            return Ok(());
        }
        for node in some {
            match remove(fleet, scope, user, node.id).await {
                // The node left by itself meanwhile.
                Ok(()) | Err(FleetError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Removes machines that were paired and did not join, with a code that ended before this time. The rows of machines that
/// were removed before this time and never connected are deleted.
///
/// # Errors
/// When the store fails. A repeated call continues.
pub async fn remove_unjoined(fleet: &FleetHandle, before: DateTime<Utc>) -> Result<(), FleetError> {
    for node in store::unjoined(fleet.db().read(), before, 1_000).await? {
        let scope = WorkspaceScope::of_row(node.workspace_id);
        match remove(fleet, scope, UserId::SYSTEM, node.id).await {
            // A person removed it meanwhile.
            Ok(()) | Err(FleetError::NotFound) => {}
            Err(error) => return Err(error),
        }
    }
    let tx = fleet.db().write().await?;
    store::forget_never_seen(&tx, before).await?;
    tx.commit().await?;
    Ok(())
}

/// A machine removes itself (`roostd leave`) with its token.
///
/// # Errors
/// When the token is unknown, or the store fails.
pub async fn leave(fleet: &FleetHandle, token_sha256: &str) -> Result<(), FleetError> {
    let node = store::by_token(fleet.db().read(), token_sha256)
        .await?
        .ok_or(FleetError::NotFound)?;
    remove(
        fleet,
        WorkspaceScope::of_row(node.workspace_id),
        UserId::SYSTEM,
        node.id,
    )
    .await
}
