//! `POST /api/nodes/join` and `/leave`: called by machines, without a session.

use axum::Json;
use axum::extract::State;
use http::{HeaderMap, StatusCode};

use super::{FleetContext, base_url};
use crate::fleet::dto::{JoinRequest, Joined};
use crate::fleet::machine_token::bearer_sha256;
use crate::fleet::{FleetError, commands};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::workspaces;
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::json::Valid;
use roost_web::problem::Problem;

/// Redeems a join code. The same code and token hash get the same answer; another hash is refused.
#[utoipa::path(post, path = "/api/nodes/join", tag = "nodes", request_body = JoinRequest, security(()),
    responses((status = 200, body = Joined), (status = 400, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
pub(super) async fn join(
    State(state): State<FleetContext>,
    headers: HeaderMap,
    Valid(request): Valid<JoinRequest>,
) -> ApiResult<Json<Joined>> {
    let node = commands::join(&state.fleet, &request).await?;
    let scope = WorkspaceScope::of_row(node.workspace_id);
    let workspace = workspaces::find(state.fleet.db().read(), scope).await?;
    let base = base_url(&state, &headers);
    // http becomes ws, https becomes wss.
    let channel_url = format!(
        "ws{}/api/nodes/agent",
        base.strip_prefix("http").unwrap_or(&base)
    );
    Ok(Json(Joined {
        node_id: node.id,
        workspace_name: workspace
            .map(|workspace| workspace.name)
            .unwrap_or_default(),
        channel_url,
    }))
}

/// A machine removes itself with its token.
#[utoipa::path(post, path = "/api/nodes/leave", tag = "nodes", security(()),
    responses((status = 202), (status = 401, body = Problem)))]
pub(super) async fn leave(
    State(state): State<FleetContext>,
    headers: HeaderMap,
) -> ApiResult<StatusCode> {
    let token = bearer_sha256(&headers).ok_or_else(|| ApiError::new(Code::Unauthenticated))?;
    match commands::leave(&state.fleet, &token).await {
        Err(FleetError::NotFound) => Err(ApiError::new(Code::Unauthenticated)),
        left => Ok(left.map(|()| StatusCode::ACCEPTED)?),
    }
}
