//! `/api/topology-runs`.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use sea_orm::DatabaseConnection;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::comparison::NewComparison;
use super::dto::{
    self, Checkpoint, Run, RunCall, RunCalls, RunStep, RunSummary, StepCallsQuery, result_of,
};
use super::dto_fork::ForkFrom;
use super::dto_lists::RunsQuery;
use super::entity::{call, run};
use super::{
    RunError, RunsHandle, commands, comparison, listed_store, retention, step_files, store,
    tree_store,
};
use crate::topology::{self, Graph, StepRef};
use roost_connections::checkouts;
use roost_platform::ids::{RunId, UserId};
use roost_tenancy::auth::{self, Scoped, UserBrief, WorkspaceScope, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<RunsHandle> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(compare))
        .routes(routes!(get))
        .routes(routes!(calls))
        .routes(routes!(step_calls))
        .routes(routes!(cancel))
        .routes(routes!(fork))
        .merge(super::routes_live::router())
}

/// Lists the workspace's runs. The newest is first when the request names no order.
#[utoipa::path(get, path = "/api/topology-runs", tag = "runs", operation_id = "list_runs", params(RunsQuery),
    responses((status = 200, body = Page<RunSummary>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::ReadRuns>,
    Query(query): Query<RunsQuery>,
) -> ApiResult<Json<Page<RunSummary>>> {
    let template = query.template_id;
    let (mut wanted, request) = query.check()?;
    let db = runs.inner.db.read();
    if let Some(template) = template {
        let subjects = &runs.inner.subjects;
        wanted.teams = Some(subjects.of_template(db, caller.scope(), template).await?);
    }
    let rows = listed_store::list(db, caller.scope(), &wanted, request).await?;
    let page = request.page(rows, |row| row.id.0);
    Ok(Json(Page {
        items: summaries(db, page.items).await?,
        next_cursor: page.next_cursor,
    }))
}

/// Compares teams: runs one input through several teams side by side, and lets an agent judge their answers.
/// The response is the run of the comparison. Each candidate is a child of that run.
#[utoipa::path(post, path = "/api/topology-runs/compare", tag = "runs", operation_id = "compare_teams",
    request_body = NewComparison,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 202, body = RunSummary), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn compare(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::StartRuns>,
    id: CreationId<RunId>,
    Valid(new_comparison): Valid<NewComparison>,
) -> ApiResult<(StatusCode, Json<RunSummary>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let id = id.or_fresh(&runs.inner.ids);
    let row = commands::compare(&runs, scope, user, id, new_comparison).await?;
    Ok((StatusCode::ACCEPTED, Json(summary(&runs, row).await?)))
}

/// Shows one run with its topology, its steps and their outputs.
#[utoipa::path(get, path = "/api/topology-runs/{id}", tag = "runs", operation_id = "get_run", params(("id" = RunId, Path)),
    responses((status = 200, body = Run), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::ReadRuns>,
    Path(id): Path<RunId>,
) -> ApiResult<Json<Run>> {
    let db = runs.inner.db.read();
    let row = store::get(db, caller.scope(), id)
        .await?
        .ok_or(RunError::NotFound)?;
    Ok(Json(whole(db, row).await?))
}

/// Shows what happened inside the steps: model turns and tool results, with times and costs.
#[utoipa::path(get, path = "/api/topology-runs/{id}/calls", tag = "runs", operation_id = "get_run_calls",
    params(("id" = RunId, Path)),
    responses((status = 200, body = RunCalls), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn calls(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::ReadRuns>,
    Path(id): Path<RunId>,
) -> ApiResult<Json<RunCalls>> {
    let db = runs.inner.db.read();
    store::get(db, caller.scope(), id)
        .await?
        .ok_or(RunError::NotFound)?;
    let (items, left_out) = store::calls(db, id).await?;
    let items = items.into_iter().map(Into::into).collect();
    Ok(Json(RunCalls { items, left_out }))
}

/// Shows the journal of one step, oldest first: what its model thought and said, its calls and their results.
#[utoipa::path(get, path = "/api/topology-runs/{id}/steps/{step}/calls", tag = "runs", operation_id = "list_step_calls",
    params(("id" = RunId, Path), ("step" = String, Path, description = "the step's key"), StepCallsQuery),
    responses((status = 200, body = Page<RunCall>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn step_calls(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::ReadRuns>,
    Path((id, key)): Path<(RunId, String)>,
    Query(query): Query<StepCallsQuery>,
) -> ApiResult<Json<Page<RunCall>>> {
    let paging = PageQuery {
        limit: query.limit,
        cursor: query.cursor,
    };
    let request = paging.check()?;
    let db = runs.inner.db.read();
    store::get(db, caller.scope(), id)
        .await?
        .ok_or(RunError::NotFound)?;
    let step = StepRef {
        key,
        lap: query.lap.unwrap_or(1),
        shard: query.shard.unwrap_or(0),
    };
    // The cursor of a page is an id. An entry has an index, which is written as one.
    let after = request.after.map_or(-1, |after| {
        i32::try_from(after.as_u128()).unwrap_or(i32::MAX)
    });
    let rows = store::calls_after(db, id, &step, after, request.rows()).await?;
    let index = |row: &call::Model| Uuid::from_u128(row.idx.unsigned_abs().into());
    Ok(Json(request.page(rows, index).map(RunCall::from)))
}

/// Cancels a run with all its descendants. A run that is over stays unchanged.
#[utoipa::path(post, path = "/api/topology-runs/{id}/cancel", tag = "runs", operation_id = "cancel_run",
    params(("id" = RunId, Path)),
    responses((status = 200, body = RunSummary), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn cancel(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::StartRuns>,
    Path(id): Path<RunId>,
) -> ApiResult<Json<RunSummary>> {
    let row = commands::cancel(&runs, caller.scope(), caller.user_id(), id).await?;
    Ok(Json(summary(&runs, row).await?))
}

/// Starts a new run of the same topology and input. It keeps the outputs of the steps before the given step.
#[utoipa::path(post, path = "/api/topology-runs/{id}/fork", tag = "runs", operation_id = "fork_run", request_body = ForkFrom,
    params(("id" = RunId, Path),
        ("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 202, body = RunSummary), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn fork(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::StartRuns>,
    Path(from): Path<RunId>,
    id: CreationId<RunId>,
    Valid(wanted): Valid<ForkFrom>,
) -> ApiResult<(StatusCode, Json<RunSummary>)> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let id = id.or_fresh(&runs.inner.ids);
    let row = commands::fork(&runs, scope, user, id, from, &wanted).await?;
    Ok((StatusCode::ACCEPTED, Json(summary(&runs, row).await?)))
}

/// One run, as lists show it.
///
/// # Errors
/// When the database fails.
pub async fn summary(runs: &RunsHandle, row: run::Model) -> ApiResult<RunSummary> {
    let row = run::Listed::from(&row);
    let mut all = summaries(runs.inner.db.read(), vec![row]).await?;
    all.pop().ok_or_else(|| ApiError::not_found("run"))
}

async fn summaries(db: &DatabaseConnection, rows: Vec<run::Listed>) -> ApiResult<Vec<RunSummary>> {
    let people = rows
        .iter()
        .flat_map(|row| [Some(row.created_by), row.paused_by]);
    let people = people.flatten().collect::<Vec<_>>();
    let users = auth::users_by_id(db, people).await?;
    let brief = |id| {
        users
            .iter()
            .find(|user| user.id == id)
            .cloned()
            .map(UserBrief::from)
    };
    Ok(rows
        .into_iter()
        .map(|row| {
            let created_by = brief(row.created_by);
            let paused_by = row.paused_by.and_then(brief);
            RunSummary::of(row, created_by, paused_by)
        })
        .collect::<Result<_, _>>()?)
}

async fn whole(db: &DatabaseConnection, row: run::Model) -> ApiResult<Run> {
    let steps = store::steps(db, row.id).await?;
    let children = store::children(db, row.id).await?;
    let summary = summaries(db, vec![run::Listed::from(&row)]).await?.pop();
    let mut summary = summary.ok_or_else(|| ApiError::not_found("run"))?;
    if summary.waiting_on.is_none()
        && let Some((text, since)) = dto::waited_for(&steps)
    {
        (summary.waiting_on, summary.waiting_since) = (Some(text), Some(since));
    }
    let graph: Graph = serde_json::from_str(&row.graph).map_err(ApiError::internal)?;
    let scope = WorkspaceScope::of_row(row.workspace_id);
    let is_bound = checkouts::is_bound(db, scope, row.root_run_id).await?;
    let stoppers = steps.iter().filter_map(|step| step.stopped_by);
    let stoppers = auth::users_by_id(db, stoppers.collect::<Vec<_>>()).await?;
    let stoppers: HashMap<UserId, UserBrief> = stoppers
        .into_iter()
        .map(|user| (user.id, user.into()))
        .collect();
    let mut files = step_files::of_run(db, &row, &steps).await?;
    let outputs_forgotten = retention::outputs_are_deleted(&steps);
    let turns = match outputs_forgotten {
        true => None,
        false => Some(tree_store::turns_below(db, &row).await?),
    };
    Ok(Run {
        turns,
        repo_run_id: is_bound.then_some(row.root_run_id),
        summary,
        result: result_of(&row),
        comparison: comparison::of_run(db, &row, &steps).await?,
        layout: topology::layout(&graph),
        graph,
        graph_sha256: row.graph_sha256,
        input: row.input,
        checkpoint: Checkpoint::of(&steps),
        outputs_forgotten,
        steps: steps
            .into_iter()
            .map(|step| {
                let by = step.stopped_by.and_then(|by| stoppers.get(&by).cloned());
                RunStep::new(step, &children, &mut files, by)
            })
            .collect(),
        start_files: files.starts,
        last_event_id: row.last_event_id,
        multiplexer_workspace_id: row.mux_workspace_id,
        multiplexer_tab_id: row.mux_tab_id,
        multiplexer_pane_id: row.mux_pane_id,
    })
}
