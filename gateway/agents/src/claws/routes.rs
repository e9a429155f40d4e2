//! `/api/claws`.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::avatar::dto::Avatar;
use super::dto::{Claw, ClawChange, DeleteQuery, ListQuery, NewClaw, PurgeStarted};
use super::entity::claw;
use super::{ClawsContext, avatar, brain, commands, state_store, store};
use roost_platform::events::AgentState;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::{self, Scoped, UserBrief, Verb, WorkspaceScope, can};
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
    let db = state.db.read();
    let rows = store::list(db, caller.scope(), request, query.include_deleted).await?;
    let page = request.page(rows, |row| row.id.0);
    let items = shown(&state, caller.scope(), page.items).await?;
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
        Json(one(&state, caller.scope(), row).await?),
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
    let row = store::get(state.db.read(), caller.scope(), id)
        .await?
        .ok_or_else(|| ApiError::not_found("claw"))?;
    Ok(Json(one(&state, caller.scope(), row).await?))
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
    Ok(Json(one(&state, scope, row).await?))
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
    if !caller.role().may(Verb::PurgeClaws) {
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

async fn one(state: &ClawsContext, scope: WorkspaceScope, row: claw::Model) -> ApiResult<Claw> {
    let mut shown = shown(state, scope, vec![row]).await?;
    shown.pop().ok_or_else(|| ApiError::not_found("claw"))
}

/// Rows with their managers and sandboxes.
async fn shown(
    state: &ClawsContext,
    scope: WorkspaceScope,
    rows: Vec<claw::Model>,
) -> ApiResult<Vec<Claw>> {
    let managers = rows.iter().map(|row| row.managed_by);
    let ids: Vec<ClawId> = rows.iter().map(|row| row.id).collect();
    // None of them needs another.
    let (managers, mut sandboxes, avatars, states) = tokio::try_join!(
        auth::users_by_id(state.db.read(), managers),
        state.sandboxes.of(scope, &ids),
        avatar::store::hashes_of(state.db.read(), scope, &ids),
        state_store::of(state.db.read(), scope, ids.clone()),
    )?;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            // The foreign key guarantees the manager.
            let manager = managers.iter().find(|user| user.id == row.managed_by)?;
            let sandbox = sandboxes.remove(&row.id);
            let avatar = Avatar::new(row.id, avatars.get(&row.id).map(String::as_str));
            let manager = UserBrief::from(manager.clone());
            let status = states.get(&row.id).copied();
            let status = status.unwrap_or(AgentState::Offline);
            Some(Claw::new(row, status, manager, sandbox, avatar))
        })
        .collect())
}
