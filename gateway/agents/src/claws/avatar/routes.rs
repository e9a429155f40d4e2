//! `/api/claws/{id}/avatar`.

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::{self, Avatar, Which};
use super::{commands, drawn, store};
use crate::claws::{ClawError, ClawsContext, store as claws};
use roost_platform::ids::ClawId;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::{Path, Query};
use roost_web::picture::{self, Bounds};
use roost_web::problem::Problem;

/// A picture of a good camera is accepted.
const PICTURE: Bounds = Bounds {
    most_side: 8_192,
    side: 256,
};
const MOST_BYTES: usize = 1 << 20;

/// The routes.
pub fn router() -> OpenApiRouter<ClawsContext> {
    OpenApiRouter::new().routes(routes!(show, upload, remove))
}

/// The picture of an agent: the uploaded one as PNG, else the drawn one as SVG.
#[utoipa::path(get, path = "/api/claws/{id}/avatar", operation_id = "avatar", tag = "claws",
    params(("id" = ClawId, Path), Which),
    responses((status = 200, description = "the picture", body = Vec<u8>, content_type = "image/png"), (status = 304),
        (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn show(
    State(state): State<ClawsContext>,
    caller: Scoped<can::ReadClaws>,
    Path(id): Path<ClawId>,
    Query(which): Query<Which>,
    request: HeaderMap,
) -> ApiResult<Response> {
    claws::get(state.db.read(), caller.scope(), id)
        .await?
        .ok_or_else(|| ApiError::not_found("claw"))?;
    let uploaded = store::get(state.db.read(), caller.scope(), id).await?;
    let version = dto::version(uploaded.as_ref().map(|row| row.sha256.as_str())).to_owned();
    let picture = || match uploaded {
        Some(row) => ("image/png", Body::from(row.png)),
        None => ("image/svg+xml", Body::from(drawn::svg(id))),
    };
    let asked = which.v.as_deref();
    Ok(picture::answer(&request, asked, &version, picture))
}

/// Uploads a picture of an agent: PNG, JPEG or WebP, at most 1 MiB. It is re-encoded as a PNG of 256 × 256 pixels.
#[utoipa::path(put, path = "/api/claws/{id}/avatar", operation_id = "upload_avatar", tag = "claws",
    params(("id" = ClawId, Path)),
    request_body(content((Vec<u8> = "image/png"), (Vec<u8> = "image/jpeg"), (Vec<u8> = "image/webp"))),
    responses((status = 200, body = Avatar), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 413, body = Problem),
        (status = 415, body = Problem)))]
async fn upload(
    State(state): State<ClawsContext>,
    caller: Scoped<can::WriteClaws>,
    Path(id): Path<ClawId>,
    request: Request,
) -> ApiResult<Json<Avatar>> {
    // Checked before the work, so that a request for an unknown agent does not cost the decoding of a picture.
    claws::get(state.db.read(), caller.scope(), id)
        .await?
        .filter(|row| row.deleted_at.is_none())
        .ok_or_else(|| ApiError::not_found("claw"))?;
    let (format, file) = picture::received(request, MOST_BYTES).await?;
    let remade = state.pictures.remake(format, file, PICTURE).await;
    let png = remade.map_err(ClawError::Picture)?;
    let sha256 = commands::upload(&state, caller.scope(), caller.user_id(), id, png).await?;
    Ok(Json(Avatar::new(id, Some(&sha256))))
}

/// Removes the uploaded picture; the drawn one is shown again.
#[utoipa::path(delete, path = "/api/claws/{id}/avatar", operation_id = "remove_avatar", tag = "claws",
    params(("id" = ClawId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn remove(
    State(state): State<ClawsContext>,
    caller: Scoped<can::WriteClaws>,
    Path(id): Path<ClawId>,
) -> ApiResult<StatusCode> {
    commands::remove(&state, caller.scope(), caller.user_id(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}
