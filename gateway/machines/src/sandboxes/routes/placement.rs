//! `/api/fleet/placement`: where new sandboxes go.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::sandboxes::dto::{Placement, PlacementTarget, SetPlacement};
use crate::sandboxes::model::Setting;
use crate::sandboxes::{SandboxesHandle, commands, placement_store};
use roost_tenancy::auth::{Scoped, WorkspaceScope, can};
use roost_web::error::ApiResult;
use roost_web::json::Valid;
use roost_web::problem::Problem;

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new().routes(routes!(get, put, clear))
}

/// The setting; `local` by default.
#[utoipa::path(get, path = "/api/fleet/placement", operation_id = "get_placement", tag = "placement",
    responses((status = 200, body = Placement), (status = 401, body = Problem)))]
async fn get(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadWorkspace>,
) -> ApiResult<Json<Placement>> {
    read(&sandboxes, caller.scope()).await
}

/// Chooses the gateway's own host or a node. Agents that have a sandbox keep its machine. The owner of a machine can read
/// everything that runs on it.
#[utoipa::path(put, path = "/api/fleet/placement", tag = "placement", request_body = SetPlacement,
    responses((status = 200, body = Placement), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn put(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::SetPlacement>,
    Valid(wanted): Valid<SetPlacement>,
) -> ApiResult<Json<Placement>> {
    commands::set_placement(&sandboxes, caller.scope(), caller.user_id(), wanted.node_id).await?;
    read(&sandboxes, caller.scope()).await
}

/// Restores the default, `local`.
#[utoipa::path(delete, path = "/api/fleet/placement", tag = "placement",
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn clear(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::SetPlacement>,
) -> ApiResult<StatusCode> {
    commands::clear_placement(&sandboxes, caller.scope(), caller.user_id()).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read(sandboxes: &SandboxesHandle, scope: WorkspaceScope) -> ApiResult<Json<Placement>> {
    let (setting, _) = placement_store::placement(sandboxes.db.read(), scope).await?;
    Ok(Json(match setting {
        Setting::Local => Placement {
            target: PlacementTarget::Local,
            node_id: None,
        },
        Setting::Node(node) => Placement {
            target: PlacementTarget::Node,
            node_id: Some(node),
        },
    }))
}
