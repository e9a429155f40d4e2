//! `/{id}/sandbox/exec…` of an owner: commands, their output as a stream that can be resumed, stdin, size, cancel.

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

use super::owned::{InSandbox, Owned};
use crate::fleet::operations::{OperationState, OperationStatus, OutputItem, Part};
use crate::sandboxes::commands::{self, WholeOutput};
use crate::sandboxes::dto::{
    ExecEvents, ExecExit, ExecGap, ExecOutput, ExecState, ExecTaken, ExecWhole, NewExec,
    OffsetQuery, Size, StdinQuery, StdinTaken, WaitQuery,
};
use crate::sandboxes::{SandboxesHandle, Starter};
use roost_platform::ids::{OperationId, SandboxOwnerId};
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::ApiResult;
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::problem::Problem;

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
#[utoipa::path(post, path = "/{id}/sandbox/exec", tag = "sandboxes", request_body = NewExec,
    params(("id" = SandboxOwnerId, Path), WaitQuery, ("Idempotency-Key" = Option<String>, Header, description = "the same key starts the command once")),
    responses((status = 202, body = ExecTaken), (status = 200, body = ExecWhole), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 429, body = Problem), (status = 503, body = Problem),
        (status = 504, body = Problem)))]
async fn start(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Owned(owner): Owned,
    Query(query): Query<WaitQuery>,
    id: CreationId<OperationId>,
    Valid(wanted): Valid<NewExec>,
) -> ApiResult<Response> {
    let id = id.or_fresh(&sandboxes.ids);
    let (scope, starter) = (caller.scope(), Starter::Person(caller.user_id()));
    if query.wait {
        let done = commands::exec_whole(&sandboxes, scope, owner, id, wanted, starter).await?;
        return Ok(Json(whole(done.0, done.1)).into_response());
    }
    let keep_stdin = wanted.stdin.is_none();
    let id = commands::exec(&sandboxes, scope, owner, id, wanted, keep_stdin, starter).await?;
    Ok((StatusCode::ACCEPTED, Json(ExecTaken { operation_id: id })).into_response())
}

/// The answer to `?wait=true`.
fn whole(id: OperationId, output: WholeOutput) -> ExecWhole {
    let ended = output.ended;
    ExecWhole {
        operation_id: id,
        state: OperationState::from(ended.state).as_str(),
        code: code(&ended),
        stdout_base64: STANDARD.encode(output.stdout),
        stderr_base64: STANDARD.encode(output.stderr),
        truncated: output.truncated,
        duration_ms: ended.duration_ms,
        detail: detail(&ended),
    }
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
#[utoipa::path(get, path = "/{id}/sandbox/exec/{operation_id}", tag = "sandboxes",
    params(("id" = SandboxOwnerId, Path), ("operation_id" = OperationId, Path), OffsetQuery),
    responses((status = 200, content((ExecState = "application/json"), (ExecEvents = "text/event-stream"))),
        (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem), (status = 503, body = Problem)))]
async fn follow(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadSandboxes>,
    Owned(owner): Owned,
    Path(InSandbox { operation_id: id }): Path<InSandbox>,
    Query(query): Query<OffsetQuery>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let scope = caller.scope();
    if accept.contains("application/json") {
        let status = commands::of_owner(&sandboxes, scope, owner, id).await?;
        return Ok(Json(state_of(status)).into_response());
    }
    let output = commands::output(&sandboxes, scope, owner, id, query.offset).await?;
    let events = output
        .into_stream()
        .map(|item| Ok::<_, Infallible>(event(item)));
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

fn event(item: OutputItem) -> Event {
    let (name, data) = match item {
        OutputItem::Part(Part::Data {
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
        OutputItem::Part(Part::Gap { from, to }) => {
            ("gap", serde_json::to_string(&ExecGap { from, to }))
        }
        OutputItem::Ended(ended) => {
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

fn state_of(status: OperationStatus) -> ExecState {
    let row = status.row;
    let argv = row
        .request
        .get("argv")
        .and_then(|argv| serde_json::from_value(argv.clone()).ok())
        .unwrap_or_default();
    let ended = row.ended();
    ExecState {
        operation_id: row.id,
        state: status.state.as_str(),
        code: ended.as_ref().and_then(code),
        offset: status.offset,
        argv,
        detail: row.detail,
        started_at: row.started_at,
        finished_at: row.finished_at,
    }
}

/// Requests that a command stops: its whole process tree is killed. Its end has the state `cancelled`.
#[utoipa::path(delete, path = "/{id}/sandbox/exec/{operation_id}", tag = "sandboxes",
    params(("id" = SandboxOwnerId, Path), ("operation_id" = OperationId, Path)),
    responses((status = 202), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn cancel(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Owned(owner): Owned,
    Path(InSandbox { operation_id: id }): Path<InSandbox>,
) -> ApiResult<StatusCode> {
    commands::cancel(&sandboxes, caller.scope(), owner, id).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Sends bytes to a command's stdin.
#[utoipa::path(post, path = "/{id}/sandbox/exec/{operation_id}/stdin", tag = "sandboxes",
    params(("id" = SandboxOwnerId, Path), ("operation_id" = OperationId, Path), StdinQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = StdinTaken), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem), (status = 504, body = Problem)))]
async fn stdin(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Owned(owner): Owned,
    Path(InSandbox { operation_id: id }): Path<InSandbox>,
    Query(query): Query<StdinQuery>,
    body: Bytes,
) -> ApiResult<Json<StdinTaken>> {
    let (scope, offset) = (caller.scope(), query.offset);
    let offset = commands::stdin(&sandboxes, scope, owner, id, offset, body, query.eof).await?;
    Ok(Json(StdinTaken { offset }))
}

/// Sends a command's terminal its new size.
#[utoipa::path(post, path = "/{id}/sandbox/exec/{operation_id}/resize", tag = "sandboxes", request_body = Size,
    params(("id" = SandboxOwnerId, Path), ("operation_id" = OperationId, Path)),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn resize(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::UseSandboxes>,
    Owned(owner): Owned,
    Path(InSandbox { operation_id: id }): Path<InSandbox>,
    Valid(size): Valid<Size>,
) -> ApiResult<StatusCode> {
    let size = TtySize {
        rows: size.rows,
        cols: size.cols,
    };
    commands::resize(&sandboxes, caller.scope(), owner, id, size).await?;
    Ok(StatusCode::NO_CONTENT)
}
