//! Giving a node a name or labels.

use crate::fleet::describe::DescribeRequest;
use crate::fleet::entity::node;
use crate::fleet::{FleetError, FleetHandle, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{NodeId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Names a node, labels it, or both. `over` is the version that the person saw; each report of the machine is a version
/// too, so a caller whose fields are unchanged repeats its request.
///
/// # Errors
/// When the node does not exist or has another version, or the store fails.
pub async fn describe(
    fleet: &FleetHandle,
    scope: WorkspaceScope,
    user: UserId,
    (id, over): (NodeId, Option<i64>),
    request: DescribeRequest,
) -> Result<node::Model, FleetError> {
    let mut change = Change::begin(fleet, scope, user).await?;
    let mut columns: Vec<(&'static str, sea_orm::Value)> = Vec::new();
    let mut news = Vec::new();
    if let Some(name) = request.name {
        let name = name.trim().to_owned();
        columns.push(("name", name.clone().into()));
        news.push(("node.renamed", serde_json::json!({ "name": name })));
    }
    if let Some(mut labels) = request.labels {
        labels.sort();
        labels.dedup();
        columns.push(("labels", serde_json::json!(labels).into()));
        news.push(("node.labelled", serde_json::json!({ "labels": labels })));
    }
    let version = store::change(&change, scope, id, columns)
        .await?
        .ok_or(FleetError::NotFound)?;
    // The row is locked by now. Without a commit the change is undone.
    let current = version - 1;
    if over.is_some_and(|seen| seen != current) {
        return Err(FleetError::VersionMismatch { current });
    }
    for (action, details) in news {
        change.record(action, ("node", &id), details);
    }
    change.event(Event::changed(ResourceKind::Node, id, version));
    change.commit().await?;
    store::get(fleet.db().read(), scope, id)
        .await?
        .ok_or(FleetError::NotFound)
}
