//! `/api/claws`.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::dto::{Claw, ClawChange, DeleteQuery, ListQuery, NewClaw, PurgeStarted};
use super::view_store::{self, View};
use super::{ClawsContext, avatar, brain, commands};
use roost_platform::ids::ClawId;
use roost_tenancy::auth::{Scoped, Verb, WorkspaceScope, can};
use roost_web::conditional::if_match;
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<ClawsContext> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get, change, delete))
        .merge(brain::routes::router())
        .merge(avatar::routes::router())
}

/// The agents of the workspace, oldest first.
#[utoipa::path(get, path = "/api/claws", operation_id = "list_claws", tag = "claws", params(ListQuery),
    responses((status = 200, body = Page<Claw>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(state): State<ClawsContext>,
    caller: Scoped<can::ReadClaws>,
    Query(query): Query<ListQuery>,
) -> ApiResult<Json<Page<Claw>>> {
    let paging = PageQuery {
        limit: query.limit,
        cursor: query.cursor,
    };
    let request = paging.check()?;
    let (scope, deleted) = (caller.scope(), query.include_deleted);
    let rows = view_store::page(&state.db, scope, request, deleted).await?;
    let page = request.page(rows, |row| row.claw.id.0);
    let items = shown(&state, scope, page.items).await?;
    Ok(Json(Page {
        items,
        next_cursor: page.next_cursor,
    }))
}

/// Creates an agent, managed by the caller.
#[utoipa::path(post, path = "/api/claws", operation_id = "create_claw", tag = "claws", request_body = NewClaw,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = Claw), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 402, body = Problem), (status = 403, body = Problem)))]
async fn create(
    State(state): State<ClawsContext>,
    caller: Scoped<can::WriteClaws>,
    id: CreationId<ClawId>,
    Valid(new): Valid<NewClaw>,
) -> ApiResult<(StatusCode, Json<Claw>)> {
    let id = id.or_fresh(&state.ids);
    let row = commands::create(&state, caller.scope(), caller.user_id(), id, new).await?;
    Ok((
        StatusCode::CREATED,
        Json(one(&state, caller.scope(), row.id).await?),
    ))
}

/// One agent.
#[utoipa::path(get, path = "/api/claws/{id}", operation_id = "get_claw", tag = "claws", params(("id" = ClawId, Path)),
    responses((status = 200, body = Claw), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(state): State<ClawsContext>,
    caller: Scoped<can::ReadClaws>,
    Path(id): Path<ClawId>,
) -> ApiResult<Json<Claw>> {
    Ok(Json(one(&state, caller.scope(), id).await?))
}

/// Changes an agent. With `If-Match: <version>` only if it still has that version.
#[utoipa::path(patch, path = "/api/claws/{id}", operation_id = "change_claw", tag = "claws", request_body = ClawChange,
    params(("id" = ClawId, Path), ("If-Match" = Option<String>, Header, description = "the version that the change is made from")),
    responses((status = 200, body = Claw), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem)))]
async fn change(
    State(state): State<ClawsContext>,
    caller: Scoped<can::WriteClaws>,
    Path(id): Path<ClawId>,
    headers: HeaderMap,
    Valid(change): Valid<ClawChange>,
) -> ApiResult<Json<Claw>> {
    let version = if_match(&headers)?;
    let (scope, user) = (caller.scope(), caller.user_id());
    let row = commands::change(&state, scope, user, id, version, change).await?;
    Ok(Json(one(&state, scope, row.id).await?))
}

/// Deletes an agent: softly (204), or with `purge=true` permanently (202; it finishes even when the gateway is
/// killed).
#[utoipa::path(delete, path = "/api/claws/{id}", tag = "claws", params(("id" = ClawId, Path), DeleteQuery),
    responses((status = 204), (status = 202, body = PurgeStarted), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn delete(
    State(state): State<ClawsContext>,
    caller: Scoped<can::WriteClaws>,
    Path(id): Path<ClawId>,
    Query(query): Query<DeleteQuery>,
) -> ApiResult<Response> {
    let (scope, user) = (caller.scope(), caller.user_id());
    if !query.purge {
        commands::delete(&state, scope, user, id).await?;
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    if !caller.may(Verb::PurgeClaws) {
        return Err(ApiError::new(Code::Forbidden)
            .detail("Purging needs the role admin or a stronger one."));
    }
    let saga = commands::purge(&state, scope, user, id).await?;
    let body = PurgeStarted {
        saga_id: saga.id,
        state: saga.state,
    };
    Ok((StatusCode::ACCEPTED, Json(body)).into_response())
}

/// An agent with its manager and its sandbox. The two statements run at the same time.
async fn one(state: &ClawsContext, scope: WorkspaceScope, id: ClawId) -> ApiResult<Claw> {
    let ids = [id];
    let (view, mut sandboxes) = tokio::try_join!(
        view_store::one(&state.db, scope, id),
        state.sandboxes.of(scope, &ids),
    )?;
    let view = view.ok_or_else(|| ApiError::not_found("claw"))?;
    Ok(Claw::new(view, sandboxes.remove(&id)))
}

/// Agents with their sandboxes.
async fn shown(
    state: &ClawsContext,
    scope: WorkspaceScope,
    views: Vec<View>,
) -> ApiResult<Vec<Claw>> {
    let ids: Vec<ClawId> = views.iter().map(|view| view.claw.id).collect();
    let mut sandboxes = state.sandboxes.of(scope, &ids).await?;
    let claw = |view: View| {
        let sandbox = sandboxes.remove(&view.claw.id);
        Claw::new(view, sandbox)
    };
    Ok(views.into_iter().map(claw).collect())
}
