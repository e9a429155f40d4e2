//! `/api/nodes/{id}/history` and `/api/nodes/history`.

use axum::Json;
use axum::extract::State;

use super::FleetState;
use crate::domains::auth::{Scoped, can};
use crate::domains::fleet::history::dto::{
    FleetHistory, FleetHistoryQuery, HistoryQuery, NodeHistory,
};
use crate::domains::fleet::history::model::{Grid, minute_of};
use crate::domains::fleet::history::store;
use crate::domains::fleet::{FleetError, store as nodes};
use crate::error::ApiResult;
use crate::http::json::{Path, Query};
use crate::http::problem::Problem;
use crate::ids::NodeId;

/// What a node reported over the last hours, as averages; kept for 24 hours. The running minute is not in it.
#[utoipa::path(get, path = "/api/nodes/{id}/history", tag = "nodes", params(("id" = NodeId, Path), HistoryQuery),
    responses((status = 200, body = NodeHistory), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
pub(super) async fn of_node(
    State(state): State<FleetState>,
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

/// One figure of all nodes over the last hours, sixty points each. A node that did not report it is not listed.
#[utoipa::path(get, path = "/api/nodes/history", tag = "nodes", params(FleetHistoryQuery),
    responses((status = 200, body = FleetHistory), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub(super) async fn of_fleet(
    State(state): State<FleetState>,
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
