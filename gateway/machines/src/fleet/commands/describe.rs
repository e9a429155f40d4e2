//! Giving a node a name or labels.

use crate::fleet::describe::DescribeRequest;
use crate::fleet::entity::node;
use crate::fleet::{FleetError, FleetHandle, store};
use roost_platform::events::{self, Event, ResourceKind};
use roost_platform::ids::{NodeId, UserId};
use roost_tenancy::audit;
use roost_tenancy::auth::WorkspaceScope;

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
    let now = fleet.clock().now();
    let mut tx = fleet.db().write().await?;
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
    let version = store::change(&tx, scope, id, columns)
        .await?
        .ok_or(FleetError::NotFound)?;
    for (action, details) in news {
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
    }
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
