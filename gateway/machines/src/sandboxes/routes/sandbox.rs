//! `/{id}/sandbox` of an owner: create, show, end.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::owned::Owned;
use crate::sandboxes::commands::{self, Destroyed, Provisioned};
use crate::sandboxes::dto::{NewSandbox, Sandbox};
use crate::sandboxes::{SandboxError, SandboxesHandle, reading, store};
use roost_platform::ids::{SandboxId, SandboxOwnerId};
use roost_tenancy::auth::{Scoped, Verb, can};
use roost_web::error::ApiResult;
use roost_web::idempotency::CreationId;
use roost_web::json::Valid;
use roost_web::problem::Problem;

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new().routes(routes!(provision, show, destroy))
}

/// Gives the agent or the team a sandbox and answers when it runs: 201 for a new one, 200 for the present one.
#[utoipa::path(post, path = "/{id}/sandbox", tag = "sandboxes", request_body = NewSandbox,
    params(("id" = SandboxOwnerId, Path), ("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = Sandbox), (status = 200, body = Sandbox), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 402, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 429, body = Problem),
        (status = 503, body = Problem), (status = 504, body = Problem)))]
async fn provision(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Owned(owner): Owned,
    id: CreationId<SandboxId>,
    Valid(wanted): Valid<NewSandbox>,
) -> ApiResult<(StatusCode, Json<Sandbox>)> {
    if wanted.node_id.is_some() {
        caller.demand(Verb::SetPlacement)?;
    }
    let scope = caller.scope();
    let id = id.or_fresh(&sandboxes.ids);
    let (status, row) =
        match commands::provision_asked(&sandboxes, scope, caller.user_id(), owner, id, wanted)
            .await?
        {
            Provisioned::Made(row) => (StatusCode::CREATED, row),
            Provisioned::Present(row) => (StatusCode::OK, row),
        };
    Ok((
        status,
        Json(reading::shown(&sandboxes.db, scope, row).await?),
    ))
}

/// The sandbox of the agent or the team.
#[utoipa::path(get, path = "/{id}/sandbox", tag = "sandboxes", params(("id" = SandboxOwnerId, Path)),
    responses((status = 200, body = Sandbox), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn show(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadSandboxes>,
    Owned(owner): Owned,
) -> ApiResult<Json<Sandbox>> {
    let scope = caller.scope();
    let row = store::current(sandboxes.db.read(), scope, owner.id()).await?;
    let row = row.ok_or_else(|| roost_web::error::ApiError::not_found("sandbox"))?;
    Ok(Json(reading::shown(&sandboxes.db, scope, row).await?))
}

/// Stores the workspace and ends the sandbox: 204 when it is gone, 202 when its machine is away and gets the request
/// later.
#[utoipa::path(delete, path = "/{id}/sandbox", tag = "sandboxes", params(("id" = SandboxOwnerId, Path)),
    responses((status = 204), (status = 202), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn destroy(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Owned(owner): Owned,
) -> ApiResult<StatusCode> {
    match commands::destroy(&sandboxes, caller.scope(), caller.user_id(), owner).await {
        Ok(Destroyed::Gone) => Ok(StatusCode::NO_CONTENT),
        Ok(Destroyed::UnderWay) => Ok(StatusCode::ACCEPTED),
        Err(SandboxError::NoSandbox(_)) => Err(roost_web::error::ApiError::not_found("sandbox")),
        Err(error) => Err(error.into()),
    }
}
