//! `/api/claws/{id}/avatar`.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::{self, Avatar, Which};
use super::{commands, drawn, picture, store};
use crate::claws::{ClawError, ClawsContext, store as claws};
use roost_platform::ids::ClawId;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::json::{Path, Query};
use roost_web::problem::Problem;

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
    let etag = format!("\"{version}\"");
    let known = request.get(header::IF_NONE_MATCH);
    let mut response = if known.is_some_and(|value| value.as_bytes() == etag.as_bytes()) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let (kind, body) = match uploaded {
            Some(row) => ("image/png", Body::from(row.png)),
            None => ("image/svg+xml", Body::from(drawn::svg(id))),
        };
        ([(header::CONTENT_TYPE, kind)], body).into_response()
    };
    // An address with this version always shows the same picture.
    let caching = if which.v.is_some_and(|asked| asked == version) {
        "private, max-age=31536000, immutable"
    } else {
        "private, no-cache"
    };
    let headers = response.headers_mut();
    // A browser that opens the picture directly must not run or load anything from it, nor give it an origin.
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
        ),
        (header::CONTENT_DISPOSITION, "inline; filename=\"avatar\""),
        (header::CACHE_CONTROL, caching),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(
        "cross-origin-resource-policy",
        HeaderValue::from_static("same-origin"),
    );
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    Ok(response)
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
    let format = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(picture::format_of)
        .ok_or_else(|| {
            ApiError::new(Code::UnsupportedMediaType).detail(
                "Send the picture itself with `Content-Type: image/png`, `image/jpeg` or `image/webp`. \
                 SVG is refused: it can contain scripts.",
            )
        })?;
    let file = Bytes::from_request(request, &())
        .await
        .map_err(|rejection| match rejection.into_response().status() {
            StatusCode::PAYLOAD_TOO_LARGE => {
                ApiError::new(Code::PayloadTooLarge).detail("A picture may have at most 1 MiB.")
            }
            _ => ApiError::validation("", "the picture did not arrive whole"),
        })?;
    let remade = state.pictures.remake(format, file.to_vec()).await;
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
