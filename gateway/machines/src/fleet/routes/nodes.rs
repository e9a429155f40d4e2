//! Reading and changing nodes.

use axum::Json;
use axum::extract::State;
use http::{HeaderMap, StatusCode};

use super::FleetContext;
use crate::fleet::describe::DescribeRequest;
use crate::fleet::dto::DrainRequest;
use crate::fleet::dto::{Node, OperationLine, ToolInfo, Tools, VerifyReport};
use crate::fleet::entity::node;
use crate::fleet::operations;
use crate::fleet::{Drain, FleetError, commands, sanitize, store};
use roost_platform::ids::{NodeId, OperationId};
use roost_tenancy::auth::{Scoped, WorkspaceScope, can};
use roost_web::conditional::if_match;
use roost_web::error::ApiResult;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

async fn shown(state: &FleetContext, nodes: Vec<node::Model>) -> ApiResult<Vec<Node>> {
    let db = state.fleet.db();
    let now = state.fleet.clock().now();
    let rows = store::with_health(db.read(), db.backend(), nodes).await?;
    Ok(rows.into_iter().map(|row| Node::of(row, now)).collect())
}

async fn one(state: &FleetContext, node: node::Model) -> ApiResult<Json<Node>> {
    let shown = shown(state, vec![node]).await?.into_iter().next();
    Ok(Json(shown.ok_or(FleetError::NotFound)?))
}

async fn find(state: &FleetContext, scope: WorkspaceScope, id: NodeId) -> ApiResult<node::Model> {
    Ok(store::get(state.fleet.db().read(), scope, id)
        .await?
        .ok_or(FleetError::NotFound)?)
}

/// The nodes of the workspace with their latest health, oldest first.
#[utoipa::path(get, path = "/api/nodes", operation_id = "list_nodes", tag = "nodes", params(PageQuery),
    responses((status = 200, body = Page<Node>), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub(super) async fn list(
    State(state): State<FleetContext>,
    caller: Scoped<can::ReadNodes>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<Node>>> {
    let request = query.check()?;
    let rows = store::list(
        state.fleet.db().read(),
        caller.scope(),
        request.after,
        request.rows(),
    )
    .await?;
    let page = request.page(rows, |row| row.id.0);
    let items = shown(&state, page.items).await?;
    Ok(Json(Page {
        items,
        next_cursor: page.next_cursor,
    }))
}

/// One node.
#[utoipa::path(get, path = "/api/nodes/{id}", operation_id = "get_node", tag = "nodes", params(("id" = NodeId, Path)),
    responses((status = 200, body = Node), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub(super) async fn get(
    State(state): State<FleetContext>,
    caller: Scoped<can::ReadNodes>,
    Path(id): Path<NodeId>,
) -> ApiResult<Json<Node>> {
    let row = find(&state, caller.scope(), id).await?;
    one(&state, row).await
}

/// Changes a node's name or labels. An absent field stays as it is.
#[utoipa::path(patch, path = "/api/nodes/{id}", tag = "nodes",
    params(("id" = NodeId, Path),
        ("If-Match" = Option<String>, Header, description = "the version that the change is based on")),
    request_body = DescribeRequest,
    responses((status = 200, body = Node), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 412, body = Problem)))]
pub(super) async fn describe(
    State(state): State<FleetContext>,
    caller: Scoped<can::ManageNodes>,
    Path(id): Path<NodeId>,
    headers: HeaderMap,
    Valid(request): Valid<DescribeRequest>,
) -> ApiResult<Json<Node>> {
    let over = if_match(&headers)?;
    let (scope, user) = (caller.scope(), caller.user_id());
    let row = commands::describe(&state.fleet, scope, user, (id, over), request).await?;
    one(&state, row).await
}

/// Deletes a node. Its token becomes invalid at once. Its sandboxes are destroyed if the gateway reaches it, else they
/// are lost.
#[utoipa::path(delete, path = "/api/nodes/{id}", operation_id = "remove_node", tag = "nodes", params(("id" = NodeId, Path)),
    responses((status = 202), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(super) async fn remove(
    State(state): State<FleetContext>,
    caller: Scoped<can::ManageNodes>,
    Path(id): Path<NodeId>,
) -> ApiResult<StatusCode> {
    commands::remove(&state.fleet, caller.scope(), caller.user_id(), id).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Drains a node: after this answer it gets no new sandbox. `drained` becomes true once the machine itself reports that
/// no sandbox is left. With `move`, each sandbox is saved and ended there as soon as no command runs in it, and begins
/// elsewhere with its files when it is needed. Without a body the sandboxes stay. Another request changes the choice.
#[utoipa::path(post, path = "/api/nodes/{id}/drain", tag = "nodes", params(("id" = NodeId, Path)), request_body = DrainRequest,
    responses((status = 200, body = Node), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 415, body = Problem)))]
pub(super) async fn drain(
    State(state): State<FleetContext>,
    caller: Scoped<can::ManageNodes>,
    Path(id): Path<NodeId>,
    request: Option<Valid<DrainRequest>>,
) -> ApiResult<Json<Node>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let drain = request.map_or(Drain::Stay, |Valid(request)| request.drain());
    let row = commands::set_draining(&state.fleet, scope, user, id, drain).await?;
    one(&state, row).await
}

/// Ends draining.
#[utoipa::path(post, path = "/api/nodes/{id}/undrain", tag = "nodes", params(("id" = NodeId, Path)),
    responses((status = 200, body = Node), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub(super) async fn undrain(
    State(state): State<FleetContext>,
    caller: Scoped<can::ManageNodes>,
    Path(id): Path<NodeId>,
) -> ApiResult<Json<Node>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let row = commands::set_draining(&state.fleet, scope, user, id, Drain::Off).await?;
    one(&state, row).await
}

/// Runs the typed verification on a node. The machine measures itself, and reads facts from inside a probe sandbox.
#[utoipa::path(post, path = "/api/nodes/{id}/exec-test", tag = "nodes", params(("id" = NodeId, Path)),
    responses((status = 200, body = VerifyReport), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem), (status = 504, body = Problem)))]
pub(super) async fn exec_test(
    State(state): State<FleetContext>,
    caller: Scoped<can::ManageNodes>,
    Path(id): Path<NodeId>,
) -> ApiResult<Json<VerifyReport>> {
    let report = commands::verify(&state.fleet, caller.scope(), id).await?;
    Ok(Json(report.into()))
}

/// The tools of a node; `docker-compose` shows the version of `docker`.
#[utoipa::path(get, path = "/api/nodes/{id}/tools", tag = "nodes", params(("id" = NodeId, Path)),
    responses((status = 200, body = Tools), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub(super) async fn tools(
    State(state): State<FleetContext>,
    caller: Scoped<can::ReadNodes>,
    Path(id): Path<NodeId>,
) -> ApiResult<Json<Tools>> {
    find(&state, caller.scope(), id).await?;
    let rows = store::tools(state.fleet.db().read(), id).await?;
    let reported_at = rows.iter().map(|row| row.reported_at).max();
    let version = |tool: &str| {
        rows.iter()
            .find(|row| row.tool == tool)
            .map(|row| row.version.clone())
    };
    let info = |tool: &str, mirrors: Option<&str>| ToolInfo {
        version: version(mirrors.unwrap_or(tool)),
        latest: None,
        mirrors: mirrors.map(str::to_owned),
        tool: tool.to_owned(),
    };
    let mut items: Vec<ToolInfo> = sanitize::TOOLS
        .iter()
        .map(|tool| info(tool, None))
        .collect();
    items.insert(1, info("docker-compose", Some("docker")));
    // A tool that is not installed is not listed.
    items.retain(|item| item.version.is_some());
    Ok(Json(Tools { items, reported_at }))
}

/// The latest operations of a node, newest first.
#[utoipa::path(get, path = "/api/nodes/{id}/operations", tag = "nodes", params(("id" = NodeId, Path), PageQuery),
    responses((status = 200, body = Page<OperationLine>), (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub(super) async fn operations(
    State(state): State<FleetContext>,
    caller: Scoped<can::ReadNodes>,
    Path(id): Path<NodeId>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<OperationLine>>> {
    let request = query.check()?;
    find(&state, caller.scope(), id).await?;
    let before = request.after.map(OperationId);
    let db = state.fleet.db().read();
    let rows = operations::latest_on(db, caller.scope(), id, before, request.rows()).await?;
    let doers = operations::Doers::of(db, caller.scope(), &rows).await?;
    let page = request.page(rows, |row| row.id.0);
    Ok(Json(page.map(|row| OperationLine::new(row, &doers))))
}
