//! `GET /api/nodes/{id}/drain-progress`: how far a node is with draining.

use axum::Json;
use axum::extract::State;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::DrainProgress;
use super::facts;
use crate::fleet;
use crate::sandboxes::{SandboxesHandle, owner};
use roost_platform::ids::NodeId;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::Path;
use roost_web::problem::Problem;

pub(in crate::sandboxes) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new().routes(routes!(progress))
}

/// How far a node is with draining: what is left there, and what each sandbox waits for.
#[utoipa::path(get, path = "/api/nodes/{id}/drain-progress", operation_id = "drain_progress", tag = "nodes",
    params(("id" = NodeId, Path)),
    responses((status = 200, body = DrainProgress), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn progress(
    State(handle): State<SandboxesHandle>,
    caller: Scoped<can::ReadNodes>,
    Path(id): Path<NodeId>,
) -> ApiResult<Json<DrainProgress>> {
    let (db, scope) = (handle.db.read(), caller.scope());
    let machine = fleet::draining_of(db, scope, id).await?;
    let Some(machine) = machine.ok_or_else(|| ApiError::not_found("node"))? else {
        return Ok(Json(DrainProgress::off()));
    };
    let progress = facts::of(db, &machine, handle.clock.now()).await?;
    let sandboxes = progress.sandboxes.iter().map(|seen| seen.row.owner());
    let files = progress.unsaved.iter().map(|files| files.owner);
    let names = owner::names(&handle, scope, sandboxes.chain(files)).await?;
    Ok(Json(DrainProgress::of(&machine, progress, &names)))
}
