//! `/api/auth/device*`: signing a terminal in by a code that a person confirms on the page.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use secrecy::ExposeSecret;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{AuthContext, needs_password, origin};
use crate::auth::Authenticated;
use crate::auth::dto::device::{
    DeviceCode, DeviceSecret, NewDevice, TerminalCode, WaitingTerminal,
};
use crate::auth::dto::{SignedIn, WorkspaceBrief};
use crate::auth::hosted::terminal::{self, PollResult, WITHIN_MINUTES};
use roost_web::error::ApiResult;
use roost_web::idempotency::Secret;
use roost_web::json::Valid;
use roost_web::problem::Problem;

/// Seconds that a terminal waits between two requests.
const INTERVAL_S: u32 = 2;

/// The routes.
pub(super) fn router() -> OpenApiRouter<AuthContext> {
    OpenApiRouter::new()
        .routes(routes!(begin))
        .routes(routes!(ask))
        .routes(routes!(look))
        .routes(routes!(confirm))
}

/// Starts the sign-in of a terminal. A person confirms its code on the page `/device`.
#[utoipa::path(post, path = "/api/auth/device", tag = "auth", operation_id = "begin_terminal_sign_in", request_body = NewDevice,
    responses((status = 200, body = DeviceCode), (status = 400, body = Problem), (status = 429, body = Problem)))]
async fn begin(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Valid(body): Valid<NewDevice>,
) -> ApiResult<Secret<DeviceCode>> {
    let from = origin(&state, peer, &headers);
    let waiting = terminal::wait(&state, &body.device, &from).await?;
    Ok(Secret(DeviceCode {
        device_code: waiting.device.reveal().to_owned(),
        code: terminal::shown(&waiting.code),
        page: format!("/device#{}", terminal::shown(&waiting.code)),
        expires_in: WITHIN_MINUTES * 60,
        interval: INTERVAL_S,
    }))
}

/// The terminal asks for its session: 202 until a person confirms the code, then the session once.
#[utoipa::path(post, path = "/api/auth/device/token", tag = "auth", operation_id = "end_terminal_sign_in", request_body = DeviceSecret,
    responses((status = 200, body = SignedIn), (status = 202), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 429, body = Problem)))]
async fn ask(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Valid(body): Valid<DeviceSecret>,
) -> ApiResult<Response> {
    let from = origin(&state, peer, &headers);
    let asked = terminal::poll(&state, body.device_code.expose_secret(), &from).await?;
    let done = match asked {
        PollResult::Pending => return Ok(StatusCode::ACCEPTED.into_response()),
        PollResult::Done(done) => done,
    };
    let body = SignedIn {
        token: done.token.reveal().to_owned(),
        must_set_password: needs_password(&done.user),
        user: done.user.into(),
        workspace: WorkspaceBrief {
            id: done.session.workspace_id,
            name: done.workspace_name,
        },
        role: done.role,
        expires_at: done.session.expires_at,
    };
    Ok(Secret(body).into_response())
}

/// The terminal that shows a code.
#[utoipa::path(post, path = "/api/auth/device/look", tag = "auth", operation_id = "look_at_terminal", request_body = TerminalCode,
    responses((status = 200, body = WaitingTerminal), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 429, body = Problem)))]
async fn look(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    caller: Authenticated,
    headers: HeaderMap,
    Valid(body): Valid<TerminalCode>,
) -> ApiResult<Json<WaitingTerminal>> {
    let from = origin(&state, peer, &headers);
    let row = terminal::look(&state, &caller, &body.code, &from).await?;
    Ok(Json(WaitingTerminal {
        device: row.device,
        from_address: row.from_address,
        expires_at: row.expires_at,
    }))
}

/// Signs in the terminal that shows this code, as the caller and in the workspace of the request.
#[utoipa::path(post, path = "/api/auth/device/confirm", tag = "auth", operation_id = "confirm_terminal", request_body = TerminalCode,
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 429, body = Problem)))]
async fn confirm(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    caller: Authenticated,
    headers: HeaderMap,
    Valid(body): Valid<TerminalCode>,
) -> ApiResult<StatusCode> {
    let from = origin(&state, peer, &headers);
    terminal::confirm(&state, &caller, &body.code, &from).await?;
    Ok(StatusCode::NO_CONTENT)
}
