//! `GET /{id}/snapshots` of an owner: its snapshots.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::sandboxes::routes::owned::Owned;
use crate::sandboxes::snapshots::{Snapshot, store};
use crate::sandboxes::{SandboxesHandle, owner};
use roost_platform::ids::SandboxOwnerId;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::Query;
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new().routes(routes!(list))
}

/// The snapshots of the agent's or the team's files, newest first.
#[utoipa::path(get, path = "/{id}/snapshots", operation_id = "list_snapshots", tag = "sandboxes",
    params(("id" = SandboxOwnerId, Path), PageQuery),
    responses((status = 200, body = Page<Snapshot>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn list(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadSandboxes>,
    Owned(owner): Owned,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<Snapshot>>> {
    let (db, scope, page) = (sandboxes.db.read(), caller.scope(), query.check()?);
    if owner::name(&sandboxes, scope, owner).await?.is_none() {
        return Err(ApiError::not_found("claw"));
    }
    let rows = store::page(db, scope, owner.id(), page).await?;
    Ok(Json(page.page(rows, |row| row.id.0).map(Snapshot::from)))
}
