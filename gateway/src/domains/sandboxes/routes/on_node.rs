//! `GET /api/nodes/{id}/sandboxes`: what a machine holds, by the registry.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::domains::auth::{Scoped, can};
use crate::domains::claws::entity::claw;
use crate::domains::fleet;
use crate::domains::sandboxes::dto::LimitsDto;
use crate::domains::sandboxes::{SandboxesHandle, model, store};
use crate::error::{ApiError, ApiResult};
use crate::http::json::Path;
use crate::http::problem::Problem;
use crate::ids::{ClawId, NodeId, SandboxId};

/// States of what is, or should be, on the machine.
const PRESENT: [model::State; 5] = [
    model::State::Provisioning,
    model::State::Running,
    model::State::Stopped,
    model::State::Lost,
    model::State::Destroying,
];

/// A sandbox as its machine's page shows it.
#[derive(Debug, Serialize, ToSchema)]
pub struct SandboxOnNode {
    pub id: SandboxId,
    pub agent_id: ClawId,
    pub agent_name: String,
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
    let node = fleet::store::get(db, scope, id).await?;
    let node_name = node.ok_or_else(|| ApiError::not_found("node"))?.called();
    let rows = store::on_machine(db, &id.to_string(), &PRESENT).await?;
    let agents = claw::Entity::find()
        .filter(claw::Column::WorkspaceId.eq(scope.workspace()))
        .filter(claw::Column::Id.is_in(rows.iter().map(|row| row.agent_id)))
        .all(db)
        .await?;
    let names: HashMap<ClawId, String> = agents
        .into_iter()
        .map(|agent| (agent.id, agent.name))
        .collect();
    let items = rows
        .into_iter()
        .filter(|row| row.workspace_id == scope.workspace())
        .map(|row| SandboxOnNode {
            agent_name: names.get(&row.agent_id).cloned().unwrap_or_default(),
            state: model::State::parse(&row.state).unwrap_or(model::State::Lost),
            limits: serde_json::from_value(row.limits).unwrap_or_default(),
            node_name: node_name.clone(),
            id: row.id,
            agent_id: row.agent_id,
            node_id: row.node_id,
            container: row.container,
            created_at: row.created_at,
        })
        .collect();
    Ok(Json(SandboxesOnNode { items }))
}
