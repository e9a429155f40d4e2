//! Giving a node a name or labels.

use crate::fleet::describe::DescribeRequest;
use crate::fleet::entity::node;
use crate::fleet::{FleetError, FleetHandle, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{NodeId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Names a node, labels it, or both.
///
/// # Errors
/// When the node does not exist, or the store fails.
pub async fn describe(
    fleet: &FleetHandle,
    scope: WorkspaceScope,
    user: UserId,
    id: NodeId,
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
    for (action, details) in news {
        change.record(action, ("node", &id), details);
    }
    change.event(Event::changed(ResourceKind::Node, id, version));
    change.commit().await?;
    store::get(fleet.db().read(), scope, id)
        .await?
        .ok_or(FleetError::NotFound)
}
