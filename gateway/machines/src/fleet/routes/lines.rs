//! `GET /api/nodes/lines`: long lists.

use axum::Json;
use axum::extract::State;

use super::FleetContext;
use crate::fleet::line::{Line, LinesQuery, Wanted};
use crate::fleet::store;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::ApiResult;
use roost_web::json::Query;
use roost_web::pagination::Page;
use roost_web::problem::Problem;

/// The nodes of the workspace as short lines, oldest first, a thousand on each page; or only the nodes with the given
/// ids.
#[utoipa::path(get, path = "/api/nodes/lines", tag = "nodes", params(LinesQuery),
    responses((status = 200, body = Page<Line>), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub(super) async fn lines(
    State(state): State<FleetContext>,
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
