//! `/api/topology-runs/{id}`: what people do with a run at work, besides its cancellation.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::dto::RunSummary;
use super::dto_live::{NewRunMessage, RunMessage, StepPartQuery};
use super::entity::message;
use super::routes::summary;
use super::{RunError, RunsHandle, commands, message_store, store};
use crate::topology::StepRef;
use roost_platform::ids::{RunId, RunMessageId};
use roost_tenancy::auth::{self, Scoped, UserBrief, can};
use roost_web::error::ApiResult;
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<RunsHandle> {
    OpenApiRouter::new()
        .routes(routes!(messages, say))
        .routes(routes!(pause))
        .routes(routes!(resume))
        .routes(routes!(stop_step))
}

/// Lists what people said to the run, oldest first, and which of its steps heard it. A run has at most 200 messages.
#[utoipa::path(get, path = "/api/topology-runs/{id}/messages", tag = "runs", operation_id = "list_run_messages",
    params(("id" = RunId, Path)),
    responses((status = 200, body = Vec<RunMessage>), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn messages(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::ReadRuns>,
    Path(id): Path<RunId>,
) -> ApiResult<Json<Vec<RunMessage>>> {
    let (db, scope) = (runs.inner.db.read(), caller.scope());
    store::get(db, scope, id).await?.ok_or(RunError::NotFound)?;
    let rows = message_store::of_run(db, scope, id).await?;
    Ok(Json(shown(&runs, id, rows).await?))
}

/// Says something to the run. Each of its agents hears it before its next turn, and so does each agent that begins later.
#[utoipa::path(post, path = "/api/topology-runs/{id}/messages", tag = "runs", operation_id = "say_to_run",
    request_body = NewRunMessage,
    params(("id" = RunId, Path),
        ("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = RunMessage), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn say(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::StartRuns>,
    Path(run): Path<RunId>,
    id: CreationId<RunMessageId>,
    Valid(new): Valid<NewRunMessage>,
) -> ApiResult<(StatusCode, Json<RunMessage>)> {
    let id = id.or_fresh(&runs.inner.ids);
    let caller = (caller.scope(), caller.user_id());
    let row = commands::say(&runs, caller, id, run, new).await?;
    let said = shown(&runs, run, vec![row]).await?.pop();
    Ok((StatusCode::CREATED, Json(said.ok_or(RunError::NotFound)?)))
}

/// Pauses a run with all runs that it started. Each step stops before its next turn or call.
#[utoipa::path(post, path = "/api/topology-runs/{id}/pause", tag = "runs", operation_id = "pause_run",
    params(("id" = RunId, Path)),
    responses((status = 200, body = RunSummary), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn pause(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::StartRuns>,
    Path(id): Path<RunId>,
) -> ApiResult<Json<RunSummary>> {
    let row = commands::pause(&runs, caller.scope(), caller.user_id(), id).await?;
    Ok(Json(summary(&runs, row).await?))
}

/// Resumes a paused run with all runs that it started. Each step continues where it stopped.
#[utoipa::path(post, path = "/api/topology-runs/{id}/resume", tag = "runs", operation_id = "resume_run",
    params(("id" = RunId, Path)),
    responses((status = 200, body = RunSummary), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn resume(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::StartRuns>,
    Path(id): Path<RunId>,
) -> ApiResult<Json<RunSummary>> {
    let row = commands::resume(&runs, caller.scope(), caller.user_id(), id).await?;
    Ok(Json(summary(&runs, row).await?))
}

/// Stops one agent of a run: its step ends as cancelled, its command in the sandbox is stopped, and the runs that it started are
/// cancelled. The other agents go on. A step that has ended stays unchanged.
#[utoipa::path(post, path = "/api/topology-runs/{id}/steps/{step}/stop", tag = "runs", operation_id = "stop_run_step",
    params(("id" = RunId, Path), ("step" = String, Path, description = "the step's key"), StepPartQuery),
    responses((status = 200, body = RunSummary), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn stop_step(
    State(runs): State<RunsHandle>,
    caller: Scoped<can::StartRuns>,
    Path((id, key)): Path<(RunId, String)>,
    Query(query): Query<StepPartQuery>,
) -> ApiResult<Json<RunSummary>> {
    let at = StepRef {
        key,
        lap: query.lap.unwrap_or(1),
        shard: query.shard.unwrap_or(0),
    };
    let row = commands::stop(&runs, caller.scope(), caller.user_id(), (id, &at)).await?;
    Ok(Json(summary(&runs, row).await?))
}

async fn shown(
    runs: &RunsHandle,
    run: RunId,
    rows: Vec<message::Model>,
) -> ApiResult<Vec<RunMessage>> {
    let db = runs.inner.db.read();
    let notes = message_store::notes(db, run).await?;
    let people = rows.iter().map(|row| row.user_id).collect::<Vec<_>>();
    let people = auth::users_by_id(db, people).await?;
    let by = |row: &message::Model| {
        let person = people.iter().find(|person| person.id == row.user_id);
        person.cloned().map(UserBrief::from)
    };
    Ok(rows
        .into_iter()
        .map(|row| {
            let by = by(&row);
            RunMessage::new(row, by, &notes)
        })
        .collect())
}
