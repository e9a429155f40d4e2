//! `/api/runs/{id}/repo`.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::{ArchiveQuery, DiffQuery, PushRun, RunDiff, RunPushed, RunRepository};
use super::{CheckoutsContext, commands, gzip, model};
use roost_platform::ids::RunId;
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::ApiResult;
use roost_web::json::{Path, Query, Valid};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<CheckoutsContext> {
    OpenApiRouter::new()
        .routes(routes!(get))
        .routes(routes!(diff))
        .routes(routes!(archive))
        .routes(routes!(push))
}

/// The repository that a run works on, and the commits that came out of its sandboxes. A run that another run started
/// works on the repository of the first run.
#[utoipa::path(get, path = "/api/runs/{id}/repo", operation_id = "get_run_repo", tag = "runs", params(("id" = RunId, Path)),
    responses((status = 200, body = RunRepository), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(state): State<CheckoutsContext>,
    caller: Scoped<can::ReadRuns>,
    Path(run): Path<RunId>,
) -> ApiResult<Json<RunRepository>> {
    let read = commands::read(&state, caller.scope(), run).await?;
    Ok(Json(read.into()))
}

/// The difference between the commit that the run began at and the newest commit of a branch.
#[utoipa::path(get, path = "/api/runs/{id}/repo/diff", operation_id = "get_run_diff", tag = "runs",
    params(("id" = RunId, Path), DiffQuery),
    responses((status = 200, body = RunDiff), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn diff(
    State(state): State<CheckoutsContext>,
    caller: Scoped<can::ReadRuns>,
    Path(run): Path<RunId>,
    Query(query): Query<DiffQuery>,
) -> ApiResult<Json<RunDiff>> {
    let of = (query.branch.as_deref(), query.commit.as_deref());
    let diff = commands::diff(&state, caller.scope(), run, of).await?;
    Ok(Json(diff.into()))
}

/// Pushes a branch of the run to its code host: the newest commit under the branch's own name, never over other commits,
/// and never to the default branch. A repeated push changes nothing.
#[utoipa::path(post, path = "/api/runs/{id}/repo/push", operation_id = "push_run", tag = "runs", request_body = PushRun,
    params(("id" = RunId, Path)),
    responses((status = 200, body = RunPushed), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 503, body = Problem)))]
async fn push(
    State(state): State<CheckoutsContext>,
    caller: Scoped<can::PushRuns>,
    Path(run): Path<RunId>,
    Valid(asked): Valid<PushRun>,
) -> ApiResult<Json<RunPushed>> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let what = (asked.branch, asked.commit);
    let pushed = commands::push(&state, scope, user, run, what).await?;
    Ok(Json(pushed.into()))
}

/// The files of a run's newest commit as tar.gz. This is how work on uploaded files gets out, which have no code host.
#[utoipa::path(get, path = "/api/runs/{id}/repo/archive", operation_id = "get_run_archive", tag = "runs",
    params(("id" = RunId, Path), ArchiveQuery),
    responses((status = 200, content_type = "application/gzip", body = Vec<u8>), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 503, body = Problem)))]
async fn archive(
    State(state): State<CheckoutsContext>,
    caller: Scoped<can::ReadRuns>,
    Path(run): Path<RunId>,
    Query(query): Query<ArchiveQuery>,
) -> ApiResult<Response> {
    let (scope, user) = (caller.scope(), caller.user_id());
    let files = commands::archive(&state, scope, user, run, query.branch.as_deref()).await?;
    let short = files.commit.get(..12).unwrap_or_default();
    let name = format!(
        "attachment; filename=\"{}-{short}.tar.gz\"",
        model::folder(&files.full_name)
    );
    let headers = [
        (header::CONTENT_TYPE, "application/gzip".to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, Body::from_stream(gzip::pieces(files))).into_response())
}
