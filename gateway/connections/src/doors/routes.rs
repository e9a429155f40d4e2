//! `/api/doors`.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::catalogue::CATALOGUE;
use super::dto::{Catalogue, Door, DoorsQuery, NewDoor, Resolution, Which};
use super::entity::Model;
use super::{Asked, DoorsContext, commands, store};
use roost_platform::ids::{DoorId, UserId};
use roost_tenancy::auth::{self, Scoped, UserBrief, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<DoorsContext> {
    OpenApiRouter::new()
        .routes(routes!(list, ask))
        .routes(routes!(catalogue))
        .routes(routes!(get))
        .routes(routes!(resolve))
}

/// The doors of the workspace, newest first.
#[utoipa::path(get, path = "/api/doors", tag = "doors", operation_id = "list_doors", params(DoorsQuery),
    responses((status = 200, body = Page<Door>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(doors): State<DoorsContext>,
    caller: Scoped<can::ReadDoors>,
    Query(query): Query<DoorsQuery>,
) -> ApiResult<Json<Page<Door>>> {
    let paging = PageQuery {
        limit: query.limit,
        cursor: query.cursor,
    };
    let request = paging.check()?;
    let pending = query.state == Which::Pending;
    let db = doors.db.read();
    let rows = store::list(db, caller.scope(), query.agent_id, pending, request).await?;
    let page = request.page(rows, |row| row.id.0);
    Ok(Json(Page {
        items: shown(db, page.items).await?,
        next_cursor: page.next_cursor,
    }))
}

/// Requests an action on behalf of an agent. Nothing is sent before a person has approved.
#[utoipa::path(post, path = "/api/doors", tag = "doors", operation_id = "ask_door", request_body = NewDoor,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = Door), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 429, body = Problem)))]
async fn ask(
    State(doors): State<DoorsContext>,
    caller: Scoped<can::AskDoors>,
    id: CreationId<DoorId>,
    Valid(new): Valid<NewDoor>,
) -> ApiResult<(StatusCode, Json<Door>)> {
    let id = id.or_fresh(&doors.ids);
    let asked = Asked {
        agent: new.agent_id,
        action: new.action,
        params: new.params,
        place: None,
    };
    let row = commands::ask(&doors, caller.scope(), caller.user_id(), id, asked).await?;
    Ok((StatusCode::CREATED, Json(one(doors.db.read(), row).await?)))
}

/// The actions that agents may request.
#[utoipa::path(get, path = "/api/doors/catalogue", tag = "doors", operation_id = "door_catalogue",
    responses((status = 200, body = Catalogue), (status = 401, body = Problem)))]
async fn catalogue(_: Scoped<can::ReadDoors>) -> Json<Catalogue> {
    Json(Catalogue {
        items: CATALOGUE.iter().map(Into::into).collect(),
    })
}

/// One door.
#[utoipa::path(get, path = "/api/doors/{id}", tag = "doors", operation_id = "get_door", params(("id" = DoorId, Path)),
    responses((status = 200, body = Door), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(doors): State<DoorsContext>,
    caller: Scoped<can::ReadDoors>,
    Path(id): Path<DoorId>,
) -> ApiResult<Json<Door>> {
    let db = doors.db.read();
    let row = store::get(db, caller.scope(), id)
        .await?
        .ok_or_else(|| ApiError::not_found("door"))?;
    Ok(Json(one(db, row).await?))
}

/// Approves or denies. Of several concurrent decisions only the first counts; the other answers have the present state.
#[utoipa::path(post, path = "/api/doors/{id}/resolve", tag = "doors", operation_id = "resolve_door",
    request_body = Resolution, params(("id" = DoorId, Path)),
    responses((status = 200, body = Door), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn resolve(
    State(doors): State<DoorsContext>,
    caller: Scoped<can::ResolveDoors>,
    Path(id): Path<DoorId>,
    Valid(resolution): Valid<Resolution>,
) -> ApiResult<Json<Door>> {
    let (scope, by) = (caller.scope(), caller.caller());
    let row = commands::resolve(&doors, scope, by, id, resolution).await?;
    Ok(Json(one(doors.db.read(), row).await?))
}

async fn one(db: &sea_orm::DatabaseConnection, row: Model) -> ApiResult<Door> {
    let mut all = shown(db, vec![row]).await?;
    all.pop().ok_or_else(|| ApiError::not_found("door"))
}

async fn shown(db: &sea_orm::DatabaseConnection, rows: Vec<Model>) -> ApiResult<Vec<Door>> {
    let mut people: Vec<UserId> = rows.iter().map(|row| row.requested_by).collect();
    people.extend(rows.iter().filter_map(|row| row.decided_by));
    let users = auth::users_by_id(db, people).await?;
    let brief = |id| {
        let user = users.iter().find(|user| user.id == id);
        user.cloned().map(UserBrief::from)
    };
    Ok(rows
        .into_iter()
        .map(|row| {
            let (asked, decided) = (brief(row.requested_by), row.decided_by.and_then(brief));
            Door::new(row, asked, decided)
        })
        .collect())
}
