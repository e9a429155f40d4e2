//! `/api/workspaces/{id}/members`.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::commands::{self, By};
use super::dto::{Member, NewRole};
use super::store;
use crate::auth::{self, UserBrief, Within, can};
use crate::workspaces::WorkspacesContext;
use roost_platform::ids::{UserId, WorkspaceId};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<WorkspacesContext> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(change, remove))
}

/// The members of the workspace.
#[utoipa::path(get, path = "/api/workspaces/{id}/members", tag = "workspaces", operation_id = "list_members",
    params(("id" = WorkspaceId, Path), PageQuery),
    responses((status = 200, body = Page<Member>), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn list(
    State(state): State<WorkspacesContext>,
    caller: Within<can::ReadMembers>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<Member>>> {
    let request = query.check()?;
    let rows = store::list(state.db.read(), caller.scope(), request).await?;
    let page = request.page(rows, |row| row.user_id.0);
    let ids = page.items.iter().map(|row| row.user_id);
    let users = auth::users_by_id(state.db.read(), ids).await?;
    let shown = page.items.iter().filter_map(|row| {
        // The foreign key guarantees the user.
        let user = users.iter().find(|user| user.id == row.user_id)?;
        let you = row.user_id == caller.user_id();
        Some(Member::new(row, UserBrief::from(user.clone()), you))
    });
    Ok(Json(Page {
        items: shown.collect(),
        next_cursor: page.next_cursor,
    }))
}

/// Gives a member another role. A caller cannot give or take a role above their own. The last Owner stays Owner.
#[utoipa::path(patch, path = "/api/workspaces/{id}/members/{user_id}", tag = "workspaces", operation_id = "change_role",
    request_body = NewRole, params(("id" = WorkspaceId, Path), ("user_id" = UserId, Path)),
    responses((status = 200, body = Member), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn change(
    State(state): State<WorkspacesContext>,
    caller: Within<can::ManageMembers>,
    Path(place): Path<(WorkspaceId, UserId)>,
    Valid(body): Valid<NewRole>,
) -> ApiResult<Json<Member>> {
    caller.not_by_program()?;
    let (_, user) = place;
    let by = By {
        user: caller.user_id(),
        role: caller.role(),
    };
    let row = commands::change_role(&state, caller.scope(), by, user, body.role).await?;
    let known = auth::user_by_id(state.db.read(), user)
        .await?
        .ok_or_else(|| ApiError::not_found("member"))?;
    Ok(Json(Member::new(&row, known.into(), user == by.user)))
}

/// Removes a member (for Admins and Owners), or leaves the workspace (for every member except the last Owner).
#[utoipa::path(delete, path = "/api/workspaces/{id}/members/{user_id}", tag = "workspaces", operation_id = "remove_member",
    params(("id" = WorkspaceId, Path), ("user_id" = UserId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn remove(
    State(state): State<WorkspacesContext>,
    caller: Within<can::ReadMembers>,
    Path(place): Path<(WorkspaceId, UserId)>,
) -> ApiResult<StatusCode> {
    let (_, user) = place;
    let by = By {
        user: caller.user_id(),
        role: caller.role(),
    };
    commands::remove(&state, caller.scope(), by, user).await?;
    Ok(StatusCode::NO_CONTENT)
}
