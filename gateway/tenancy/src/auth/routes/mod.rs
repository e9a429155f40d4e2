//! `/api/auth/*`, `/api/invitations/*` and `/api/setup`.

mod account;
mod device;
mod invited;
mod oidc;
mod setup;

use std::net::SocketAddr;
use std::time::Duration;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::commands::{self, Credentials, Fresh, Origin};
use super::dto::{
    ApiSession, Login, NewApiSession, NewPassword, Session, SignedIn, Switch, WorkspaceBrief,
};
use super::entity::user;
use super::middleware::{COOKIE, is_over};
use super::{AnyToken, AuthContext, AuthError, Authenticated, Scopes, Token, devices, store};
use roost_platform::ids::SessionId;
use roost_web::error::{ApiError, ApiResult};
use roost_web::idempotency::Secret;
use roost_web::json::{Path, Valid};
use roost_web::pagination::Page;
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<AuthContext> {
    OpenApiRouter::new()
        .routes(routes!(login))
        .routes(routes!(logout))
        .routes(routes!(set_password))
        .routes(routes!(list_sessions, open_session))
        .routes(routes!(end_session))
        .routes(routes!(switch_workspace))
        .merge(account::router())
        .merge(invited::router())
        .merge(oidc::router())
        .merge(device::router())
        .merge(setup::router())
}

/// Signs in with a one-time login, or with e-mail and password. Also sets the cookie `roost_session`.
#[utoipa::path(post, path = "/api/auth/login", tag = "auth", request_body = Login,
    responses((status = 200, body = SignedIn), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 429, body = Problem)))]
async fn login(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Valid(login): Valid<Login>,
) -> ApiResult<Response> {
    let credentials = match (login.one_time, login.email, login.password) {
        (Some(token), _, _) => Credentials::OneTime(token),
        (None, Some(email), Some(password)) => Credentials::Password { email, password },
        _ => return Err(AuthError::InvalidCredentials.into()),
    };
    let from = origin(&state, peer, &headers);
    let fresh = commands::sign_in(&state, credentials, &from).await?;
    signed_in(&state, fresh, &from).await
}

/// The answer to a sign-in, with its cookies.
async fn signed_in(state: &AuthContext, fresh: Fresh, from: &Origin) -> ApiResult<Response> {
    let cookie = cookie(state, fresh.token.reveal(), state.absolute);
    let known = commands::remember_browser(state, fresh.user.id, from).await?;
    let body = SignedIn {
        token: fresh.token.reveal().to_owned(),
        must_set_password: needs_password(&fresh.user),
        user: fresh.user.into(),
        workspace: WorkspaceBrief {
            id: fresh.session.workspace_id,
            name: fresh.workspace_name,
        },
        role: fresh.role,
        expires_at: fresh.session.expires_at,
    };
    let headers = AppendHeaders([
        (header::SET_COOKIE, cookie),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ]);
    Ok((headers, device_cookie(state, known), Json(body)).into_response())
}

/// The cookie by which the gateway recognises a browser at its next sign-in. Only the routes that sign in receive it.
fn device_cookie(
    state: &AuthContext,
    known: Option<Token>,
) -> Option<AppendHeaders<[(header::HeaderName, String); 1]>> {
    let known = known?;
    let secure = if state.secure_cookies { "; Secure" } else { "" };
    let (name, seconds) = (devices::COOKIE, devices::LIVES.as_secs());
    let value = format!(
        "{name}={}; Path=/api; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}",
        known.reveal()
    );
    Some(AppendHeaders([(header::SET_COOKIE, value)]))
}

/// The address at which the caller reaches the gateway, without a slash at its end.
fn base(state: &AuthContext, headers: &HeaderMap) -> String {
    if let Some(base) = &state.public_url {
        return base.to_string();
    }
    let scheme = if state.secure_cookies {
        "https"
    } else {
        "http"
    };
    let host = headers.get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
    format!("{scheme}://{host}")
}

/// Whether the user must set a password: a person without a password and an issuer needs a new one-time login each
/// time.
fn needs_password(user: &user::Model) -> bool {
    user.password_hash.is_none() && user.auth_subject.is_none()
}

/// The origin of a request, as a session records it.
fn origin(state: &AuthContext, peer: SocketAddr, headers: &HeaderMap) -> Origin {
    let device = headers
        .get(header::USER_AGENT)
        .and_then(|value| value.to_str().ok());
    Origin {
        address: state.proxies.client(peer.ip(), headers),
        device: device.map(str::to_owned),
        known_as: devices::presented(headers),
        by_page: headers.contains_key(header::ORIGIN),
    }
}

fn cookie(state: &AuthContext, token: &str, lives: Duration) -> String {
    let secure = if state.secure_cookies { "; Secure" } else { "" };
    let seconds = lives.as_secs();
    format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}")
}

/// Ends the session of this request.
#[utoipa::path(post, path = "/api/auth/logout", tag = "auth",
    responses((status = 204), (status = 401, body = Problem), (status = 409, body = Problem)))]
async fn logout(State(state): State<AuthContext>, caller: AnyToken) -> ApiResult<Response> {
    let session = caller.session().ok_or(AuthError::TokenOfIssuer)?;
    commands::end_session(&state, caller.user.id, session.id).await?;
    let cookie = cookie(&state, "", Duration::ZERO);
    let headers = AppendHeaders([(header::SET_COOKIE, cookie)]);
    Ok((StatusCode::NO_CONTENT, headers).into_response())
}

/// Makes another workspace of the caller the active one of this sign-in.
#[utoipa::path(put, path = "/api/auth/workspace", tag = "auth", request_body = Switch,
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn switch_workspace(
    State(state): State<AuthContext>,
    caller: Authenticated,
    Valid(body): Valid<Switch>,
) -> ApiResult<StatusCode> {
    commands::switch_workspace(&state, &caller, body.workspace_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets the caller's password and ends their other sign-ins.
#[utoipa::path(post, path = "/api/auth/password", tag = "auth", request_body = NewPassword,
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 429, body = Problem)))]
async fn set_password(
    State(state): State<AuthContext>,
    caller: Authenticated,
    Valid(body): Valid<NewPassword>,
) -> ApiResult<StatusCode> {
    let tokens_too = body.revoke_tokens;
    commands::set_password(&state, &caller, body.current, body.new, tokens_too).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The caller's sessions, newest first.
#[utoipa::path(get, path = "/api/auth/sessions", tag = "auth",
    responses((status = 200, body = Page<Session>), (status = 401, body = Problem)))]
async fn list_sessions(
    State(state): State<AuthContext>,
    caller: Authenticated,
) -> ApiResult<Json<Page<Session>>> {
    let rows = store::sessions_of(state.db.read(), caller.user.id).await?;
    let now = state.clock.now();
    let items = rows
        .into_iter()
        .filter(|row| !is_over(row, now, state.idle))
        .map(|row| Session::new(row, caller.session().map(|session| session.id)))
        .collect();
    Ok(Json(Page {
        items,
        next_cursor: None,
    }))
}

/// Opens a session for a program. Its token is shown once. With scopes, the token may do what both its scopes and its
/// person's role allow, and nothing about the account.
#[utoipa::path(post, path = "/api/auth/sessions", tag = "auth", request_body = NewApiSession,
    params(("Idempotency-Key" = Option<String>, Header, description = "a repeat is 409 already-answered: the token is not kept")),
    responses((status = 201, body = ApiSession), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn open_session(
    State(state): State<AuthContext>,
    caller: Authenticated,
    Valid(body): Valid<NewApiSession>,
) -> ApiResult<(StatusCode, Secret<ApiSession>)> {
    let label = body.label.trim().to_owned();
    let wanted = commands::NewToken {
        label: label.clone(),
        days: body.expires_in_days,
        scopes: body.scopes.as_deref().map(read_scopes).transpose()?,
    };
    let scopes = wanted.scopes.as_ref().map(Scopes::names);
    let (row, token) = commands::open_api_session(&state, &caller, wanted).await?;
    let body = ApiSession {
        id: row.id,
        token: token.reveal().to_owned(),
        label,
        scopes,
        expires_at: row.expires_at,
    };
    Ok((StatusCode::CREATED, Secret(body)))
}

fn read_scopes(words: &[String]) -> ApiResult<Scopes> {
    Scopes::read(words).map_err(|place| {
        let why = "is not a permission. The permissions that you have are in `permissions` of GET /api/auth/me.";
        ApiError::validation(format!("/scopes/{place}"), why)
    })
}

/// Ends one of the caller's sessions.
#[utoipa::path(delete, path = "/api/auth/sessions/{id}", tag = "auth", params(("id" = SessionId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn end_session(
    State(state): State<AuthContext>,
    caller: Authenticated,
    Path(id): Path<SessionId>,
) -> ApiResult<StatusCode> {
    commands::end_session(&state, caller.user.id, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
