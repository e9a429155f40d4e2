//! `/api/nodes/{id}/history` and `/api/nodes/history`.

use axum::Json;
use axum::extract::State;

use super::FleetContext;
use crate::fleet::history::dto::{FleetHistory, FleetHistoryQuery, HistoryQuery, NodeHistory};
use crate::fleet::history::model::{Grid, minute_of};
use crate::fleet::history::store;
use crate::fleet::{FleetError, store as nodes};
use roost_platform::ids::NodeId;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::ApiResult;
use roost_web::json::{Path, Query};
use roost_web::problem::Problem;

/// A node's reports of the last hours, as averages; they are kept for 24 hours. The running minute is not included.
#[utoipa::path(get, path = "/api/nodes/{id}/history", tag = "nodes", params(("id" = NodeId, Path), HistoryQuery),
    responses((status = 200, body = NodeHistory), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
pub(super) async fn of_node(
    State(state): State<FleetContext>,
    caller: Scoped<can::ReadNodes>,
    Path(id): Path<NodeId>,
    Query(query): Query<HistoryQuery>,
) -> ApiResult<Json<NodeHistory>> {
    let db = state.fleet.db().read();
    let node = nodes::get(db, caller.scope(), id).await?;
    let node = node.ok_or(FleetError::NotFound)?;
    let grid = Grid::ending(
        minute_of(state.fleet.clock().now()),
        query.span,
        query.span.fine(),
    );
    let minutes = store::of_node(db, node.id, grid).await?;
    Ok(Json(NodeHistory::of(&minutes, grid)))
}

/// One metric of all nodes over the last hours, sixty points each. A node that did not report it is not listed.
#[utoipa::path(get, path = "/api/nodes/history", tag = "nodes", params(FleetHistoryQuery),
    responses((status = 200, body = FleetHistory), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub(super) async fn of_fleet(
    State(state): State<FleetContext>,
    caller: Scoped<can::ReadNodes>,
    Query(query): Query<FleetHistoryQuery>,
) -> ApiResult<Json<FleetHistory>> {
    let db = state.fleet.db();
    let grid = Grid::ending(
        minute_of(state.fleet.clock().now()),
        query.span,
        query.span.coarse(),
    );
    let expression = query.metric.expression();
    let points = store::of_fleet(db.read(), db.backend(), caller.scope(), expression, grid).await?;
    Ok(Json(FleetHistory::of(query.metric, points, grid)))
}
