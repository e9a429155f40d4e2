//! `/api/routines`.

use axum::Json;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::commands::{self, Made};
use super::dto::{
    JournalQuery, NewRoutine, Routine, RoutineChange, RoutineFiring, RoutinePreview,
    RoutinePreviewRequest,
};
use super::{RoutinesContext, read, store};
use roost_platform::ids::{FiringId, RoutineId};
use roost_tenancy::auth::{Scoped, can};
use roost_web::conditional::if_match;
use roost_web::error::ApiResult;
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<RoutinesContext> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(journal))
        .routes(routes!(preview))
        .routes(routes!(get, update, delete))
        .routes(routes!(fire))
}

/// Lists the workspace's routines, newest first, with their next due times.
#[utoipa::path(get, path = "/api/routines", tag = "routines", operation_id = "list_routines", params(PageQuery),
    responses((status = 200, body = Page<Routine>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(state): State<RoutinesContext>,
    caller: Scoped<can::ReadRoutines>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<Routine>>> {
    let (db, scope) = (state.db.read(), caller.scope());
    let request = query.check()?;
    let rows = store::list(db, scope, request).await?;
    let page = request.page(rows, |row| row.id.0);
    let items = read::shown(db, scope, state.clock.now(), page.items).await?;
    let next_cursor = page.next_cursor;
    Ok(Json(Page { items, next_cursor }))
}

/// Makes a routine. Its recipe is tried in a transaction that is taken back, so what is missing is said now.
#[utoipa::path(post, path = "/api/routines", tag = "routines", operation_id = "create_routine", request_body = NewRoutine,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = Routine), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 402, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 412, body = Problem)))]
async fn create(
    State(state): State<RoutinesContext>,
    caller: Scoped<can::ManageRoutines>,
    id: CreationId<RoutineId>,
    Valid(new): Valid<NewRoutine>,
) -> ApiResult<(StatusCode, Json<Routine>)> {
    let (scope, who) = (caller.scope(), (caller.user_id(), caller.role()));
    let made = Made {
        id: id.or_fresh(&state.ids),
        name: new.name,
        schedule: new.schedule,
        recipe: new.recipe,
        missed: new.missed,
        overlap: new.overlap,
        enabled: new.enabled,
        mission_id: None,
    };
    let row = commands::create(&state, scope, who, made).await?;
    let shown = read::one(state.db.read(), scope, state.clock.now(), row.id).await?;
    Ok((StatusCode::CREATED, Json(shown)))
}

/// Shows the next due times of a schedule, before a routine is made.
#[utoipa::path(post, path = "/api/routines/preview", tag = "routines", operation_id = "preview_routine",
    request_body = RoutinePreviewRequest,
    responses((status = 200, body = RoutinePreview), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn preview(
    State(state): State<RoutinesContext>,
    _caller: Scoped<can::ReadRoutines>,
    Valid(asked): Valid<RoutinePreviewRequest>,
) -> ApiResult<Json<RoutinePreview>> {
    let most = asked.count.map_or(5, |count| count as usize);
    let shown = read::preview(&asked.schedule, state.clock.now(), most)?;
    Ok(Json(shown))
}

/// Lists the journal of the workspace's routines, newest first: what each due time started, or why it started nothing.
#[utoipa::path(get, path = "/api/routines/runs", tag = "routines", operation_id = "list_routine_runs", params(JournalQuery),
    responses((status = 200, body = Page<RoutineFiring>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn journal(
    State(state): State<RoutinesContext>,
    caller: Scoped<can::ReadRoutines>,
    Query(query): Query<JournalQuery>,
) -> ApiResult<Json<Page<RoutineFiring>>> {
    let (db, scope) = (state.db.read(), caller.scope());
    let page = PageQuery {
        limit: query.limit,
        cursor: query.cursor,
    };
    let request = page.check()?;
    let wanted = (query.routine_id, query.state);
    let rows = store::journal(db, scope, wanted, request).await?;
    let page = request.page(rows, |row| row.id.0);
    Ok(Json(Page {
        items: read::lines(db, scope, page.items).await?,
        next_cursor: page.next_cursor,
    }))
}

/// Shows one routine.
#[utoipa::path(get, path = "/api/routines/{id}", tag = "routines", operation_id = "get_routine",
    params(("id" = RoutineId, Path)),
    responses((status = 200, body = Routine), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(state): State<RoutinesContext>,
    caller: Scoped<can::ReadRoutines>,
    Path(id): Path<RoutineId>,
) -> ApiResult<Json<Routine>> {
    let now = state.clock.now();
    let shown = read::one(state.db.read(), caller.scope(), now, id).await?;
    Ok(Json(shown))
}

/// Changes, pauses or resumes a routine. With `If-Match: <version>` only if it still has that version.
#[utoipa::path(patch, path = "/api/routines/{id}", tag = "routines", operation_id = "change_routine",
    request_body = RoutineChange,
    params(("id" = RoutineId, Path), ("If-Match" = Option<String>, Header, description = "the version that the change is made from")),
    responses((status = 200, body = Routine), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 402, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 412, body = Problem)))]
async fn update(
    State(state): State<RoutinesContext>,
    caller: Scoped<can::ManageRoutines>,
    Path(id): Path<RoutineId>,
    headers: HeaderMap,
    Valid(change): Valid<RoutineChange>,
) -> ApiResult<Json<Routine>> {
    let version = if_match(&headers)?;
    let (scope, who) = (caller.scope(), (caller.user_id(), caller.role()));
    commands::update(&state, scope, who, (id, version), change).await?;
    let shown = read::one(state.db.read(), scope, state.clock.now(), id).await?;
    Ok(Json(shown))
}

/// Deletes a routine with its journal. What it started goes on.
#[utoipa::path(delete, path = "/api/routines/{id}", tag = "routines", operation_id = "delete_routine",
    params(("id" = RoutineId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn delete(
    State(state): State<RoutinesContext>,
    caller: Scoped<can::ManageRoutines>,
    Path(id): Path<RoutineId>,
) -> ApiResult<StatusCode> {
    commands::delete(&state, caller.scope(), caller.user_id(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Fires a routine now, also when it is paused. It acts for the person who fires it.
#[utoipa::path(post, path = "/api/routines/{id}/run", tag = "routines", operation_id = "fire_routine",
    params(("id" = RoutineId, Path),
        ("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 202, body = RoutineFiring), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 402, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 412, body = Problem)))]
async fn fire(
    State(state): State<RoutinesContext>,
    caller: Scoped<can::ManageRoutines>,
    Path(id): Path<RoutineId>,
    firing: CreationId<FiringId>,
) -> ApiResult<(StatusCode, Json<RoutineFiring>)> {
    let (scope, who) = (caller.scope(), (caller.user_id(), caller.role()));
    let firing = firing.or_fresh(&state.ids);
    let fired = commands::fire(&state, scope, who, id, firing).await?;
    Ok((StatusCode::ACCEPTED, Json(read::line(fired, None))))
}
