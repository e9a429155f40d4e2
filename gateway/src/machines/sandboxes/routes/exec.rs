//! `/api/claws/{id}/sandbox/exec…`: commands, their output as a stream that can be resumed, stdin, size, cancel.

use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures::StreamExt;
use http::{HeaderMap, StatusCode, header};
use roost_protocol::operation::TtySize;
use roost_protocol::output::StreamName;
use roost_protocol::report::{Ended, Outcome};
use roost_protocol::text;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::machines::operations::{Heard, OperationState, OperationsError, Part, Standing};
use crate::machines::sandboxes::commands;
use crate::machines::sandboxes::dto::{
    ExecEvents, ExecExit, ExecGap, ExecOutput, ExecState, ExecTaken, ExecWhole, NewExec,
    OffsetQuery, Size, StdinQuery, StdinTaken, WaitQuery,
};
use crate::machines::sandboxes::{SandboxError, SandboxesHandle, Starter};
use crate::platform::ids::{ClawId, OperationId};
use crate::tenancy::auth::{Scoped, WorkspaceScope, can};
use crate::web::error::ApiResult;
use crate::web::idempotency::CreationId;
use crate::web::json::{Path, Query, Valid};
use crate::web::problem::Problem;

/// The most output in the answer to `?wait=true`, bytes.
const WHOLE_BYTES: usize = 1024 * 1024;
/// How long the machine may take to accept stdin.
const STDIN_WITHIN: Duration = Duration::from_secs(30);
/// The interval of the comments that keep proxies from closing an idle stream.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new()
        .routes(routes!(start))
        .routes(routes!(follow, cancel))
        .routes(routes!(stdin))
        .routes(routes!(resize))
}

/// Runs a command: 202 with its operation. With `?wait=true`: 200 with its result and output.
#[utoipa::path(post, path = "/api/claws/{id}/sandbox/exec", tag = "sandboxes", request_body = NewExec,
    params(("id" = ClawId, Path), WaitQuery, ("Idempotency-Key" = Option<String>, Header, description = "the same key starts the command once")),
    responses((status = 202, body = ExecTaken), (status = 200, body = ExecWhole), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 429, body = Problem), (status = 503, body = Problem),
        (status = 504, body = Problem)))]
async fn start(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Path(agent): Path<ClawId>,
    Query(query): Query<WaitQuery>,
    id: CreationId<OperationId>,
    Valid(wanted): Valid<NewExec>,
) -> ApiResult<Response> {
    let id = id.or_fresh(&sandboxes.ids);
    let keep_stdin = !query.wait && wanted.stdin.is_none();
    let (scope, starter) = (caller.scope(), Starter::Person(caller.user_id()));
    let id = commands::exec(&sandboxes, scope, agent, id, wanted, keep_stdin, starter).await?;
    if query.wait {
        return Ok(Json(whole(&sandboxes, id).await?).into_response());
    }
    Ok((StatusCode::ACCEPTED, Json(ExecTaken { operation_id: id })).into_response())
}

async fn whole(sandboxes: &SandboxesHandle, id: OperationId) -> Result<ExecWhole, SandboxError> {
    let mut output = sandboxes.operations.subscribe(id, 0).await?;
    let (mut stdout, mut stderr, mut truncated) = (Vec::new(), Vec::new(), false);
    let mut end = None;
    while let Some(heard) = output.next().await {
        match heard {
            Heard::Part(Part::Gap { .. }) => truncated = true,
            Heard::Part(Part::Data { stream, data, .. }) => {
                let room = WHOLE_BYTES.saturating_sub(stdout.len() + stderr.len());
                truncated |= data.len() > room;
                let kept = &data[..data.len().min(room)];
                match stream {
                    StreamName::Stdout => stdout.extend_from_slice(kept),
                    StreamName::Stderr => stderr.extend_from_slice(kept),
                }
            }
            Heard::Ended(ended) => end = Some(ended),
        }
    }
    let ended = end.ok_or(SandboxError::TooSlow)?;
    Ok(ExecWhole {
        operation_id: id,
        state: OperationState::from(ended.state).as_str(),
        code: code(&ended),
        stdout_base64: STANDARD.encode(stdout),
        stderr_base64: STANDARD.encode(stderr),
        truncated: truncated || ended.output_dropped > 0,
        duration_ms: ended.duration_ms,
        detail: detail(&ended),
    })
}

fn code(ended: &Ended) -> Option<i32> {
    match ended.outcome {
        Outcome::Exited { code } => Some(code),
        _ => None,
    }
}

fn detail(ended: &Ended) -> Option<String> {
    match &ended.outcome {
        Outcome::Error { error } => Some(text::clean(
            &error.detail,
            roost_protocol::limits::MAX_DETAIL_TEXT,
        )),
        _ => None,
    }
}

/// Output and end of a command, as server-sent events: `output {stream, offset, data_base64}`, `gap {from, to}`,
/// `exit {code, state, …}`. With `Accept: application/json` it answers once, with the present state.
#[utoipa::path(get, path = "/api/claws/{id}/sandbox/exec/{operation_id}", tag = "sandboxes",
    params(("id" = ClawId, Path), ("operation_id" = OperationId, Path), OffsetQuery),
    responses((status = 200, content((ExecState = "application/json"), (ExecEvents = "text/event-stream"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem), (status = 503, body = Problem)))]
async fn follow(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadSandboxes>,
    Path((agent, id)): Path<(ClawId, OperationId)>,
    Query(query): Query<OffsetQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let standing = commands::of_agent(&sandboxes, caller.scope(), agent, id).await?;
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if accept.contains("application/json") {
        return Ok(Json(state_of(standing)).into_response());
    }
    let output = sandboxes
        .operations
        .subscribe(id, query.offset)
        .await
        .map_err(SandboxError::from)?;
    let events = output
        .into_stream()
        .map(|heard| Ok::<_, Infallible>(event(heard)));
    let mut response = Sse::new(events)
        .keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
        .into_response();
    let quiet = [("x-accel-buffering", "no"), ("cache-control", "no-store")];
    for (name, value) in quiet {
        response
            .headers_mut()
            .insert(name, http::HeaderValue::from_static(value));
    }
    Ok(response)
}

fn event(heard: Heard) -> Event {
    let (name, data) = match heard {
        Heard::Part(Part::Data {
            stream,
            offset,
            data,
        }) => {
            let output = ExecOutput {
                stream: match stream {
                    StreamName::Stdout => "stdout",
                    StreamName::Stderr => "stderr",
                },
                offset,
                data_base64: STANDARD.encode(&data),
            };
            ("output", serde_json::to_string(&output))
        }
        Heard::Part(Part::Gap { from, to }) => {
            ("gap", serde_json::to_string(&ExecGap { from, to }))
        }
        Heard::Ended(ended) => {
            let exit = ExecExit {
                code: code(&ended),
                state: OperationState::from(ended.state).as_str(),
                detail: detail(&ended),
                truncated: ended.output_dropped > 0,
                duration_ms: ended.duration_ms,
            };
            ("exit", serde_json::to_string(&exit))
        }
    };
    Event::default()
        .event(name)
        .data(data.expect("structs of texts and numbers encode"))
}

fn state_of(standing: Standing) -> ExecState {
    let row = standing.row;
    let argv = row
        .request
        .get("argv")
        .and_then(|argv| serde_json::from_value(argv.clone()).ok())
        .unwrap_or_default();
    let ended = row.ended();
    ExecState {
        operation_id: row.id,
        state: standing.state.as_str(),
        code: ended.as_ref().and_then(code),
        offset: standing.offset,
        argv,
        detail: row.detail,
        started_at: row.started_at,
        finished_at: row.finished_at,
    }
}

/// Requests that a command stops: its whole process tree is killed. Its end has the state `cancelled`.
#[utoipa::path(delete, path = "/api/claws/{id}/sandbox/exec/{operation_id}", tag = "sandboxes",
    params(("id" = ClawId, Path), ("operation_id" = OperationId, Path)),
    responses((status = 202), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn cancel(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Path((agent, id)): Path<(ClawId, OperationId)>,
) -> ApiResult<StatusCode> {
    owned(&sandboxes, caller.scope(), agent, id).await?;
    sandboxes
        .operations
        .cancel(id)
        .await
        .map_err(SandboxError::from)?;
    Ok(StatusCode::ACCEPTED)
}

/// Sends bytes to a command's stdin.
#[utoipa::path(post, path = "/api/claws/{id}/sandbox/exec/{operation_id}/stdin", tag = "sandboxes",
    params(("id" = ClawId, Path), ("operation_id" = OperationId, Path), StdinQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = StdinTaken), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem), (status = 504, body = Problem)))]
async fn stdin(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Path((agent, id)): Path<(ClawId, OperationId)>,
    Query(query): Query<StdinQuery>,
    body: Bytes,
) -> ApiResult<Json<StdinTaken>> {
    owned(&sandboxes, caller.scope(), agent, id).await?;
    let last = query.eof && body.is_empty();
    let taken = sandboxes
        .operations
        .stdin(id, query.offset, body, query.eof, STDIN_WITHIN)
        .await;
    let offset = match taken {
        // The end of its input ended the command first, or the command had already ended: in both cases stdin is closed.
        Err(OperationsError::Over(_)) if last => query.offset,
        taken => taken.map_err(SandboxError::from)?,
    };
    Ok(Json(StdinTaken { offset }))
}

/// Sends a command's terminal its new size.
#[utoipa::path(post, path = "/api/claws/{id}/sandbox/exec/{operation_id}/resize", tag = "sandboxes", request_body = Size,
    params(("id" = ClawId, Path), ("operation_id" = OperationId, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn resize(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Path((agent, id)): Path<(ClawId, OperationId)>,
    Valid(size): Valid<Size>,
) -> ApiResult<StatusCode> {
    owned(&sandboxes, caller.scope(), agent, id).await?;
    let size = TtySize {
        rows: size.rows,
        cols: size.cols,
    };
    sandboxes
        .operations
        .resize(id, size)
        .await
        .map_err(SandboxError::from)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn owned(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
    id: OperationId,
) -> Result<(), SandboxError> {
    commands::of_agent(sandboxes, scope, agent, id)
        .await
        .map(drop)
}
