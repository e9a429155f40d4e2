//! `GET /api/runs/use`.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::context::RunUseContext;
use super::dto::{RunsUse, UseQuery};
use super::{model, read};
use roost_execution::runs::Times;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::Query;
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<RunUseContext> {
    OpenApiRouter::new().routes(routes!(runs_use))
}

/// Sums up what the workspace's runs used: runs, tokens, cost and time, by one thing that they name.
#[utoipa::path(get, path = "/api/runs/use", tag = "runs", operation_id = "sum_use_of_runs", params(UseQuery),
    responses((status = 200, body = RunsUse), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn runs_use(
    State(context): State<RunUseContext>,
    caller: Scoped<can::ReadRuns>,
    Query(query): Query<UseQuery>,
) -> ApiResult<Json<RunsUse>> {
    let (from, to) = model::times(query.from, query.to, context.clock.now())
        .map_err(|(field, why)| ApiError::validation(field, why))?;
    let times = Times {
        from_ms: from.timestamp_millis(),
        // The database has a clock of its own, so a run that was created just now may be later than `to`.
        until_ms: query.to.map_or(i64::MAX, |to| to.timestamp_millis()),
        team: query.team_id,
    };
    let (rows, others) = read::rows(&context, caller.scope(), query.by, times).await?;
    Ok(Json(RunsUse {
        by: query.by,
        from,
        to,
        rows,
        others: others.map(Into::into),
    }))
}
