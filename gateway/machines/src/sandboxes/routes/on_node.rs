//! `GET /api/nodes/{id}/sandboxes`: the sandboxes of a machine, from the registry.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::fleet;
use crate::sandboxes::dto::LimitsDto;
use crate::sandboxes::entity::container;
use crate::sandboxes::{OwnerKind, SandboxesHandle, model, owner, store};
use roost_platform::ids::{NodeId, SandboxId, SandboxOwnerId};
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::Path;
use roost_web::problem::Problem;

/// States of sandboxes that are, or should be, on the machine.
const PRESENT: [model::State; 5] = [
    model::State::Provisioning,
    model::State::Running,
    model::State::Stopped,
    model::State::Lost,
    model::State::Destroying,
];

/// A sandbox in the view of its machine.
#[derive(Debug, Serialize, ToSchema)]
pub struct SandboxOnNode {
    pub id: SandboxId,
    pub owner_kind: OwnerKind,
    pub owner_id: SandboxOwnerId,
    pub owner_name: String,
    pub node_id: String,
    pub node_name: String,
    pub state: model::State,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    pub limits: LimitsDto,
    pub created_at: DateTime<Utc>,
}

/// The sandboxes of a node.
#[derive(Debug, Serialize, ToSchema)]
pub struct SandboxesOnNode {
    pub items: Vec<SandboxOnNode>,
}

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new().routes(routes!(on_node))
}

/// The sandboxes that are, or should be, on a node, oldest first.
#[utoipa::path(get, path = "/api/nodes/{id}/sandboxes", tag = "nodes", params(("id" = NodeId, Path)),
    responses((status = 200, body = SandboxesOnNode), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn on_node(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadNodes>,
    Path(id): Path<NodeId>,
) -> ApiResult<Json<SandboxesOnNode>> {
    let (db, scope) = (sandboxes.db.read(), caller.scope());
    let node = fleet::find(db, scope, id).await?;
    let node_name = node.ok_or_else(|| ApiError::not_found("node"))?.called();
    let rows = store::on_machine(db, &id.to_string(), &PRESENT).await?;
    let names = owner::names(&sandboxes, scope, rows.iter().map(container::Model::owner)).await?;
    let items = rows
        .into_iter()
        .filter(|row| row.workspace_id == scope.workspace())
        .map(|row| SandboxOnNode {
            owner_name: names.get(&row.owner()).cloned().unwrap_or_default(),
            state: model::State::parse(&row.state).unwrap_or(model::State::Lost),
            limits: serde_json::from_value(row.limits).unwrap_or_default(),
            node_name: node_name.clone(),
            id: row.id,
            owner_kind: row.owner_kind,
            owner_id: row.owner_id,
            node_id: row.node_id,
            container: row.container,
            created_at: row.created_at,
        })
        .collect();
    Ok(Json(SandboxesOnNode { items }))
}
