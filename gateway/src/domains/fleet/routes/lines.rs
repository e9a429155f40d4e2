//! `GET /api/nodes/lines`: long lists.

use axum::Json;
use axum::extract::State;

use super::FleetState;
use crate::domains::auth::{Scoped, can};
use crate::domains::fleet::line::{Line, LinesQuery, Wanted};
use crate::domains::fleet::store;
use crate::error::ApiResult;
use crate::http::json::Query;
use crate::http::pagination::Page;
use crate::http::problem::Problem;

/// The nodes of the workspace as short lines, a thousand a page, oldest first; or those of some ids.
#[utoipa::path(get, path = "/api/nodes/lines", tag = "nodes", params(LinesQuery),
    responses((status = 200, body = Page<Line>), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub(super) async fn lines(
    State(state): State<FleetState>,
    caller: Scoped<can::ReadNodes>,
    Query(query): Query<LinesQuery>,
) -> ApiResult<Json<Page<Line>>> {
    let db = state.fleet.db();
    let scope = caller.scope();
    let page = match query.check()? {
        Wanted::Page(request) => {
            let rows = store::list(db.read(), scope, request.after, request.rows()).await?;
            request.page(rows, |row| row.id.0)
        }
        Wanted::These(ids) => Page {
            items: store::some(db.read(), scope, &ids).await?,
            next_cursor: None,
        },
    };
    let now = state.fleet.clock().now();
    let rows = store::with_health(db.read(), db.backend(), page.items).await?;
    Ok(Json(Page {
        items: rows.into_iter().map(|row| Line::of(row, now)).collect(),
        next_cursor: page.next_cursor,
    }))
}
