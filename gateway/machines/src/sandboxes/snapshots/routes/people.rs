//! `GET /api/claws/{id}/snapshots`: the snapshots of an agent's workspace.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::sandboxes::SandboxesHandle;
use crate::sandboxes::snapshots::{Snapshot, store};
use roost_agents::claws;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::{Path, Query};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new().routes(routes!(list))
}

/// The snapshots of an agent's workspace, newest first.
#[utoipa::path(get, path = "/api/claws/{id}/snapshots", operation_id = "list_snapshots", tag = "sandboxes",
    params(("id" = ClawId, Path), PageQuery),
    responses((status = 200, body = Page<Snapshot>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn list(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadSandboxes>,
    Path(agent): Path<ClawId>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<Snapshot>>> {
    let (db, scope, page) = (sandboxes.db.read(), caller.scope(), query.check()?);
    if claws::find(db, scope, agent).await?.is_none() {
        return Err(ApiError::not_found("claw"));
    }
    let rows = store::page(db, scope, agent, page).await?;
    Ok(Json(page.page(rows, |row| row.id.0).map(Snapshot::from)))
}
