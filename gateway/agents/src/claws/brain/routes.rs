//! `/api/claws/{id}/brain`.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, header};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::dto::{self, Brain, BrainText, BrainVersion};
use super::entity::brain;
use super::{Cause, Write, store};
use crate::claws::{ClawsContext, store as claws};
use roost_platform::ids::{ClawId, UserId};
use roost_tenancy::auth::{self, Scoped, UserBrief, WorkspaceScope, can};
use roost_web::conditional::if_match;
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<ClawsContext> {
    OpenApiRouter::new()
        .routes(routes!(get, put))
        .routes(routes!(history))
        .routes(routes!(earlier))
        .routes(routes!(restore))
}

/// The present brain of an agent.
#[utoipa::path(get, path = "/api/claws/{id}/brain", operation_id = "brain", tag = "claws", params(("id" = ClawId, Path)),
    responses((status = 200, body = Brain, headers(("ETag", description = "the version, for `If-Match`"))),
        (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(state): State<ClawsContext>,
    caller: Scoped<can::ReadClaws>,
    Path(id): Path<ClawId>,
) -> ApiResult<Response> {
    must_be(&state, caller.scope(), id).await?;
    let row = store::newest(state.db.read(), caller.scope(), id).await?;
    answer(&state, row).await
}

/// Writes the brain. With `If-Match: <version>` only if it still has that version (0: nothing was written yet).
#[utoipa::path(put, path = "/api/claws/{id}/brain", operation_id = "write_brain", tag = "claws", request_body = BrainText,
    params(("id" = ClawId, Path), ("If-Match" = Option<String>, Header, description = "the version that the text was made from")),
    responses((status = 200, body = Brain), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem)))]
async fn put(
    State(state): State<ClawsContext>,
    caller: Scoped<can::WriteClaws>,
    Path(id): Path<ClawId>,
    headers: HeaderMap,
    Valid(text): Valid<BrainText>,
) -> ApiResult<Response> {
    let edit = Write {
        agent_md: text.agent_md,
        cause: Cause::Edit,
        restored_from: None,
        if_version: if_match(&headers)?,
    };
    let row = super::write(&state, caller.scope(), caller.user_id(), id, edit).await?;
    answer(&state, row).await
}

/// The versions of the brain, newest first.
#[utoipa::path(get, path = "/api/claws/{id}/brain/history", operation_id = "brain_history", tag = "claws",
    params(("id" = ClawId, Path), PageQuery),
    responses((status = 200, body = Page<BrainVersion>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn history(
    State(state): State<ClawsContext>,
    caller: Scoped<can::ReadClaws>,
    Path(id): Path<ClawId>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<BrainVersion>>> {
    let request = query.check()?;
    must_be(&state, caller.scope(), id).await?;
    let rows = store::history(state.db.read(), caller.scope(), id, request).await?;
    let page = request.page(rows, |row| {
        Uuid::from_u64_pair(0, row.version.unsigned_abs())
    });
    let people = people(&state, page.items.iter().map(|row| row.author)).await?;
    Ok(Json(page.map(|row| {
        let author = people.get(&row.author).cloned();
        BrainVersion::new(row, author)
    })))
}

/// One version of the brain.
#[utoipa::path(get, path = "/api/claws/{id}/brain/history/{version}", operation_id = "brain_version", tag = "claws",
    params(("id" = ClawId, Path), ("version" = i64, Path)),
    responses((status = 200, body = Brain), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn earlier(
    State(state): State<ClawsContext>,
    caller: Scoped<can::ReadClaws>,
    Path((id, version)): Path<(ClawId, i64)>,
) -> ApiResult<Response> {
    let row = store::version(state.db.read(), caller.scope(), id, version)
        .await?
        .ok_or_else(|| ApiError::not_found("version of the brain"))?;
    answer(&state, Some(row)).await
}

/// Restores an earlier version, as a new one. With `If-Match` only over that version.
#[utoipa::path(post, path = "/api/claws/{id}/brain/history/{version}/restore", operation_id = "restore_brain", tag = "claws",
    params(("id" = ClawId, Path), ("version" = i64, Path),
        ("If-Match" = Option<String>, Header, description = "the version that is the newest now")),
    responses((status = 200, body = Brain), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem)))]
async fn restore(
    State(state): State<ClawsContext>,
    caller: Scoped<can::WriteClaws>,
    Path((id, version)): Path<(ClawId, i64)>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let (scope, user, over) = (caller.scope(), caller.user_id(), if_match(&headers)?);
    let row = super::write::restore(&state, scope, user, id, version, over).await?;
    answer(&state, row).await
}

async fn must_be(state: &ClawsContext, scope: WorkspaceScope, id: ClawId) -> ApiResult<()> {
    let claw = claws::get(state.db.read(), scope, id).await?;
    claw.map(drop).ok_or_else(|| ApiError::not_found("claw"))
}

async fn people(
    state: &ClawsContext,
    ids: impl Iterator<Item = UserId>,
) -> ApiResult<HashMap<UserId, UserBrief>> {
    let people = auth::users_by_id(state.db.read(), ids).await?;
    Ok(people
        .into_iter()
        .map(|user| (user.id, user.into()))
        .collect())
}

async fn answer(state: &ClawsContext, row: Option<brain::Model>) -> ApiResult<Response> {
    let mut people = people(state, dto::author(row.as_ref()).into_iter()).await?;
    let author = row.as_ref().and_then(|row| people.remove(&row.author));
    let brain = Brain::new(row, author);
    let etag = format!("\"{}\"", brain.about.version);
    let mut response = Json(brain).into_response();
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        response.headers_mut().insert(header::ETAG, etag);
    }
    Ok(response)
}
