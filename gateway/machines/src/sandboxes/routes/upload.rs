//! `/{id}/sandbox/files` of an owner: files of a person go into a sandbox.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::owned::Owned;
use crate::sandboxes::SandboxesHandle;
use crate::sandboxes::commands::{self, Put};
use crate::sandboxes::dto::{PutFiles, PutQuery};
use roost_platform::ids::SandboxOwnerId;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::ApiResult;
use roost_web::json::Query;
use roost_web::problem::Problem;
use roost_web::refused_body;

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new()
        .routes(routes!(put))
        .layer(axum::middleware::from_fn(refused_body::read_rest))
}

/// Unpacks a tar archive of at most 512 MiB into a folder of the sandbox's workspace. Files that exist stay, except with
/// `replace`. The snapshot after it has the files.
#[utoipa::path(post, path = "/{id}/sandbox/files", tag = "sandboxes", operation_id = "put_files",
    params(("id" = SandboxOwnerId, Path), PutQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = PutFiles), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 413, body = Problem), (status = 429, body = Problem), (status = 503, body = Problem),
        (status = 504, body = Problem)))]
async fn put(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Owned(owner): Owned,
    Query(query): Query<PutQuery>,
    body: Body,
) -> ApiResult<Json<PutFiles>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let put = Put {
        folder: query.folder.unwrap_or_default(),
        replace: query.replace,
    };
    let done = commands::upload(&sandboxes, scope, user, owner, put, body).await?;
    Ok(Json(PutFiles {
        operation_id: done.id,
        folder: done.folder,
        bytes: done.bytes,
    }))
}
