//! `/api/uploads`.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use http::StatusCode;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::{Upload, UploadBounds, UploadQuery};
use super::{UploadsContext, commands};
use roost_platform::ids::UploadId;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::ApiResult;
use roost_web::json::{Mistakes, Query};
use roost_web::problem::Problem;
use roost_web::refused_body;

/// The routes.
pub fn router() -> OpenApiRouter<UploadsContext> {
    OpenApiRouter::new()
        .routes(routes!(create))
        .layer(axum::middleware::from_fn(refused_body::read_rest))
        .routes(routes!(limits))
}

/// The limits of uploads.
#[utoipa::path(get, path = "/api/uploads/limits", operation_id = "upload_limits", tag = "runs",
    responses((status = 200, body = UploadBounds), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn limits(
    State(state): State<UploadsContext>,
    _caller: Scoped<can::StartRuns>,
) -> Json<UploadBounds> {
    Json(state.limits.into())
}

/// Takes files in that a run begins with: a tar, tar.gz or zip archive. They become a repository with one commit. An upload
/// that no run works on is deleted after a day, and one with runs together with their outputs.
#[utoipa::path(post, path = "/api/uploads", operation_id = "create_upload", tag = "runs", params(UploadQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, body = Upload), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 409, body = Problem), (status = 413, body = Problem),
        (status = 503, body = Problem)))]
async fn create(
    State(state): State<UploadsContext>,
    caller: Scoped<can::StartRuns>,
    Query(query): Query<UploadQuery>,
    body: Body,
) -> ApiResult<(StatusCode, Json<Upload>)> {
    let mut mistakes = Mistakes::default();
    mistakes.name("/name", &query.name, 100);
    mistakes.done()?;
    let (scope, user) = (caller.scope(), caller.user_id());
    let id = UploadId(state.ids.next());
    let name = query.name.trim().to_owned();
    let row = commands::create(&state, scope, user, id, name, body).await?;
    Ok((StatusCode::CREATED, Json(row.into())))
}
