//! `/api/workspaces` and `/api/quota`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRef, State};
use http::StatusCode;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::{
    NewWorkspace, Quota, Usage, Workspace, WorkspaceChange, WorkspaceDeletion, WorkspaceGoing,
};
use super::{Plans, QuotaKind, commands, invitations, members, quota, store};
use crate::clock::SharedClock;
use crate::db::Db;
use crate::domains::auth::{Authenticated, OpenStreams, Role, Scoped, Within, can};
use crate::error::{ApiError, ApiResult};
use crate::http::idempotency::CreationId;
use crate::http::json::{Path, Query, Valid};
use crate::http::pagination::Page;
use crate::http::problem::Problem;
use crate::ids::{SharedIds, WorkspaceId};
use crate::supervision::Nudge;

/// What the routes need.
#[derive(Clone)]
pub struct WorkspacesState {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub plans: Arc<Plans>,
    pub streams: OpenStreams,
    pub sagas: Nudge,
    /// Where people open links, without a slash at its end; absent: where they asked.
    pub public_url: Option<Arc<str>>,
}

impl FromRef<WorkspacesState> for Db {
    fn from_ref(state: &WorkspacesState) -> Self {
        state.db.clone()
    }
}

/// The routes.
pub fn router() -> OpenApiRouter<WorkspacesState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get, change, delete))
        .merge(members::routes::router())
        .merge(invitations::routes::router())
        .routes(routes!(read_quota))
}

/// The workspaces that the caller belongs to.
#[utoipa::path(get, path = "/api/workspaces", tag = "workspaces",
    responses((status = 200, body = Page<Workspace>), (status = 401, body = Problem)))]
async fn list(
    State(state): State<WorkspacesState>,
    caller: Authenticated,
) -> ApiResult<Json<Page<Workspace>>> {
    let rows = store::of_user(state.db.read(), caller.user.id).await?;
    let items = rows
        .into_iter()
        .map(|(member, row)| Workspace::new(row, Role::from_stored(&member.role)))
        .collect();
    Ok(Json(Page {
        items,
        next_cursor: None,
    }))
}

/// Makes a workspace; the caller owns it.
#[utoipa::path(post, path = "/api/workspaces", tag = "workspaces", request_body = NewWorkspace,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = Workspace), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn create(
    State(state): State<WorkspacesState>,
    caller: Authenticated,
    id: CreationId<WorkspaceId>,
    Valid(new): Valid<NewWorkspace>,
) -> ApiResult<(StatusCode, Json<Workspace>)> {
    let (id, owner) = (id.or_fresh(&state.ids), caller.user.id);
    let name = new.name.trim().to_owned();
    let row = commands::create(
        &state.db,
        &state.clock,
        &state.ids,
        &state.plans,
        owner,
        id,
        name,
    )
    .await?;
    Ok((StatusCode::CREATED, Json(Workspace::new(row, Role::Owner))))
}

/// One workspace that the caller belongs to.
#[utoipa::path(get, path = "/api/workspaces/{id}", tag = "workspaces",
    params(("id" = WorkspaceId, Path)),
    responses((status = 200, body = Workspace), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(state): State<WorkspacesState>,
    caller: Authenticated,
    Path(id): Path<WorkspaceId>,
) -> ApiResult<Json<Workspace>> {
    let rows = store::of_user(state.db.read(), caller.user.id).await?;
    rows.into_iter()
        .find(|(_, row)| row.id == id)
        .map(|(member, row)| Json(Workspace::new(row, Role::from_stored(&member.role))))
        .ok_or_else(|| ApiError::not_found("workspace"))
}

/// Names a workspace anew.
#[utoipa::path(patch, path = "/api/workspaces/{id}", tag = "workspaces", operation_id = "change_workspace",
    request_body = WorkspaceChange, params(("id" = WorkspaceId, Path)),
    responses((status = 200, body = Workspace), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn change(
    State(state): State<WorkspacesState>,
    caller: Within<can::ChangeWorkspace>,
    Valid(change): Valid<WorkspaceChange>,
) -> ApiResult<Json<Workspace>> {
    let name = change.name.trim().to_owned();
    let row = commands::rename(&state, caller.scope(), caller.user_id(), name).await?;
    Ok(Json(Workspace::new(row, caller.role())))
}

/// Deletes a workspace with all that it has: its people lose it at once, and it finishes even when the gateway is killed.
/// The audit log stays.
#[utoipa::path(delete, path = "/api/workspaces/{id}", tag = "workspaces", operation_id = "delete_workspace",
    params(("id" = WorkspaceId, Path), WorkspaceDeletion),
    responses((status = 202, body = WorkspaceGoing), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn delete(
    State(state): State<WorkspacesState>,
    caller: Within<can::DeleteWorkspace>,
    Query(query): Query<WorkspaceDeletion>,
) -> ApiResult<(StatusCode, Json<WorkspaceGoing>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let saga = commands::delete(&state, scope, user, &query.confirm).await?;
    let body = WorkspaceGoing { saga_id: saga.id };
    Ok((StatusCode::ACCEPTED, Json(body)))
}

/// What the workspace has taken of its plan.
#[utoipa::path(get, path = "/api/quota", tag = "workspaces",
    responses((status = 200, body = Quota), (status = 401, body = Problem)))]
async fn read_quota(
    State(state): State<WorkspacesState>,
    caller: Scoped<can::ReadWorkspace>,
) -> ApiResult<Json<Quota>> {
    let plan = store::plan(state.db.read(), caller.scope()).await?;
    let usage = async |kind| {
        let used = quota::used(state.db.read(), caller.scope(), kind).await?;
        let limit = state.plans.limit(&plan, kind);
        Ok::<_, sea_orm::DbErr>(Usage { used, limit })
    };
    let agents = usage(QuotaKind::Agents).await?;
    let live_containers = usage(QuotaKind::LiveContainers).await?;
    Ok(Json(Quota {
        plan,
        agents,
        live_containers,
    }))
}
