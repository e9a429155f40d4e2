//! `/api/workspaces` and `/api/quota`.

use axum::Json;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::dto::{
    AnyWorkspace, NewLimitsOfPlan, NewWorkspace, PlanLimits, PlanList, Quota, Usage, Workspace,
    WorkspaceChange, WorkspaceDeletion, WorkspaceFilter, WorkspaceGoing,
};
use super::{
    Plan, QuotaKind, WorkspacesContext, commands, invitations, members, plan_store, quota, store,
};
use crate::auth::{
    Authenticated, MemberOrOperator, OperatorOnly, Role, Scoped, Verb, Within, WorkspaceScope, can,
};
use roost_platform::ids::WorkspaceId;
use roost_web::conditional::if_match;
use roost_web::error::{ApiError, ApiResult};
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<WorkspacesContext> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get, change, delete))
        .merge(members::routes::router())
        .merge(invitations::routes::router())
        .routes(routes!(read_quota))
        .routes(routes!(list_all))
        .routes(routes!(list_plans))
        .routes(routes!(set_limits))
}

/// The workspaces that the caller belongs to.
#[utoipa::path(get, path = "/api/workspaces", operation_id = "list_workspaces", tag = "workspaces",
    responses((status = 200, body = Page<Workspace>), (status = 401, body = Problem)))]
async fn list(
    State(state): State<WorkspacesContext>,
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

/// Creates a workspace; the caller becomes its Owner. The caller's plans limit how many workspaces they may own.
#[utoipa::path(post, path = "/api/workspaces", operation_id = "create_workspace", tag = "workspaces", request_body = NewWorkspace,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = Workspace), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 402, body = Problem)))]
async fn create(
    State(state): State<WorkspacesContext>,
    caller: Authenticated,
    id: CreationId<WorkspaceId>,
    Valid(new): Valid<NewWorkspace>,
) -> ApiResult<(StatusCode, Json<Workspace>)> {
    // An operator's workspace gets the default plan.
    let plan = match caller.operator {
        true => state.plans.default.clone(),
        false => state.new_plan.to_string(),
    };
    let new = commands::New {
        id: id.or_fresh(&state.ids),
        name: new.name.trim().to_owned(),
        plan,
        owner: caller.user.id,
    };
    let row = commands::create(&state, new).await?;
    Ok((StatusCode::CREATED, Json(Workspace::new(row, Role::Owner))))
}

/// One workspace that the caller belongs to.
#[utoipa::path(get, path = "/api/workspaces/{id}", operation_id = "get_workspace", tag = "workspaces",
    params(("id" = WorkspaceId, Path)),
    responses((status = 200, body = Workspace), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(state): State<WorkspacesContext>,
    caller: Authenticated,
    Path(id): Path<WorkspaceId>,
) -> ApiResult<Json<Workspace>> {
    let rows = store::of_user(state.db.read(), caller.user.id).await?;
    rows.into_iter()
        .find(|(_, row)| row.id == id)
        .map(|(member, row)| Json(Workspace::new(row, Role::from_stored(&member.role))))
        .ok_or_else(|| ApiError::not_found("workspace"))
}

/// Renames a workspace, sets its plan, or sets one of its settings: whether its agents may push their branches without a
/// decision, whether their commits may change workflow files, and whether its machines send saved files to the gateway. Only operators of the deployment set plans, also
/// those of workspaces that they do not belong to. A smaller plan deletes nothing: the gateway refuses what needs more than it allows.
#[utoipa::path(patch, path = "/api/workspaces/{id}", tag = "workspaces", operation_id = "change_workspace",
    request_body = WorkspaceChange,
    params(("id" = WorkspaceId, Path),
        ("If-Match" = Option<String>, Header, description = "the version that the change is based on")),
    responses((status = 200, body = Workspace), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem)))]
async fn change(
    State(state): State<WorkspacesContext>,
    caller: MemberOrOperator,
    headers: HeaderMap,
    Valid(change): Valid<WorkspaceChange>,
) -> ApiResult<Json<Workspace>> {
    let over = if_match(&headers)?;
    let settings = change.settings();
    if change.name.is_some() || !settings.is_empty() {
        caller.demand(Verb::ChangeWorkspace)?;
    }
    if change.plan.is_some() {
        caller.demand_operator()?;
    }
    let new = commands::Changed {
        name: change.name.map(|name| name.trim().to_owned()),
        plan: change.plan,
        settings,
    };
    let row = commands::change(&state, caller.scope(), caller.user_id(), over, new).await?;
    Ok(Json(Workspace::new(row, caller.role())))
}

/// Deletes a workspace with everything in it. Its members lose access at once. The deletion finishes even when the
/// gateway is killed. The audit log stays.
#[utoipa::path(delete, path = "/api/workspaces/{id}", tag = "workspaces", operation_id = "delete_workspace",
    params(("id" = WorkspaceId, Path), WorkspaceDeletion),
    responses((status = 202, body = WorkspaceGoing), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn delete(
    State(state): State<WorkspacesContext>,
    caller: Within<can::DeleteWorkspace>,
    Query(query): Query<WorkspaceDeletion>,
) -> ApiResult<(StatusCode, Json<WorkspaceGoing>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let saga = commands::delete(&state, scope, user, &query.confirm).await?;
    let body = WorkspaceGoing { saga_id: saga.id };
    Ok((StatusCode::ACCEPTED, Json(body)))
}

/// How much of its plan the workspace uses.
#[utoipa::path(get, path = "/api/quota", tag = "workspaces",
    responses((status = 200, body = Quota), (status = 401, body = Problem)))]
async fn read_quota(
    State(state): State<WorkspacesContext>,
    caller: Scoped<can::ReadWorkspace>,
) -> ApiResult<Json<Quota>> {
    let plan = store::plan(state.db.read(), caller.scope()).await?;
    let plans = plan_store::current(state.db.read(), &state.plans).await?;
    let usage = async |kind| {
        let used = quota::used(state.db.read(), caller.scope(), kind).await?;
        let limit = plans.limit(&plan, kind);
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

/// All workspaces of the deployment.
#[utoipa::path(get, path = "/api/ops/workspaces", operation_id = "list_all_workspaces", tag = "operators",
    params(WorkspaceFilter),
    responses((status = 200, body = Page<AnyWorkspace>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn list_all(
    State(state): State<WorkspacesContext>,
    _operator: OperatorOnly,
    Query(filter): Query<WorkspaceFilter>,
) -> ApiResult<Json<Page<AnyWorkspace>>> {
    let request = PageQuery {
        limit: filter.limit,
        cursor: filter.cursor,
    }
    .check()?;
    let rows = store::all(state.db.read(), filter.name.as_deref(), request).await?;
    Ok(Json(
        request.page(rows, |row| row.id.0).map(AnyWorkspace::from),
    ))
}

/// The plans of the deployment with their limits.
#[utoipa::path(get, path = "/api/ops/plans", operation_id = "list_plans", tag = "operators",
    responses((status = 200, body = PlanList), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn list_plans(
    State(state): State<WorkspacesContext>,
    _operator: OperatorOnly,
) -> ApiResult<Json<PlanList>> {
    let changed = plan_store::changed(state.db.read()).await?;
    Ok(Json(PlanList::new(&state.plans, &changed)))
}

/// Changes the limits of a plan, for all workspaces that have it. Smaller limits delete nothing: the gateway refuses what
/// needs more than they allow.
#[utoipa::path(put, path = "/api/ops/plans/{name}", operation_id = "set_limits_of_plan", tag = "operators",
    request_body = NewLimitsOfPlan,
    params(("name" = String, Path, description = "the name of a plan of the deployment"),
        ("If-Match" = Option<String>, Header, description = "the version that the change is based on")),
    responses((status = 200, body = PlanLimits), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem)))]
async fn set_limits(
    State(state): State<WorkspacesContext>,
    operator: OperatorOnly,
    Path(name): Path<String>,
    headers: HeaderMap,
    Valid(new): Valid<NewLimitsOfPlan>,
) -> ApiResult<Json<PlanLimits>> {
    let over = if_match(&headers)?;
    let (scope, plan) = (
        WorkspaceScope::of_row(operator.workspace()),
        Plan::from(new),
    );
    let by = operator.user.id;
    let version = commands::set_limits(&state, scope, by, &name, plan, over).await?;
    Ok(Json(PlanLimits::new(&name, plan, version)))
}
