//! Reading an invitation and accepting it. Both are public, because the link is the authority.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::{HeaderMap, header};
use secrecy::ExposeSecret;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{AuthContext, cookie, device_cookie, origin};
use crate::auth::commands::{self, Person};
use crate::auth::dto::{Acceptance, Accepted, InvitationLink, InvitationView, WorkspaceBrief};
use crate::auth::{MayTry, Role};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::Valid;
use roost_web::problem::Problem;

/// The routes.
pub(super) fn router() -> OpenApiRouter<AuthContext> {
    OpenApiRouter::new()
        .routes(routes!(look))
        .routes(routes!(accept))
}

/// Returns where an invitation leads. The token is sent in the body, so that no log contains it.
#[utoipa::path(post, path = "/api/invitations/look", tag = "auth", operation_id = "look_at_invitation",
    request_body = InvitationLink,
    responses((status = 200, body = InvitationView), (status = 400, body = Problem), (status = 404, body = Problem),
        (status = 429, body = Problem)))]
async fn look(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Valid(body): Valid<InvitationLink>,
) -> ApiResult<Json<InvitationView>> {
    let from = origin(&state, peer, &headers);
    let token = body.token.expose_secret();
    let (row, workspace, inviter) = commands::look_at_invitation(&state, token, &from).await?;
    Ok(Json(InvitationView {
        workspace: workspace.name,
        role: Role::from_stored(&row.role),
        invited_by: inviter.name,
        email: row.email,
        expires_at: row.expires_at,
    }))
}

/// Accepts an invitation, as the signed-in caller or with an e-mail and a password (of an existing account or of a new
/// one). A caller that was not signed in is signed in afterwards, also by the cookie `roost_session`.
#[utoipa::path(post, path = "/api/invitations/accept", tag = "auth", operation_id = "accept_invitation",
    request_body = Acceptance,
    responses((status = 200, body = Accepted), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 429, body = Problem)))]
async fn accept(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    MayTry(caller): MayTry,
    headers: HeaderMap,
    Valid(body): Valid<Acceptance>,
) -> ApiResult<Response> {
    let from = origin(&state, peer, &headers);
    let person = match (&caller, body.email, body.password) {
        (_, Some(email), Some(password)) => Person::Stranger {
            email,
            name: body.name,
            password,
        },
        (Some(caller), _, _) => Person::Known(caller),
        (None, ..) => {
            return Err(ApiError::validation(
                "/email",
                "is missing: sign in first, or give `email` and `password`",
            ));
        }
    };
    let token = body.token.expose_secret();
    let done = commands::accept_invitation(&state, token, person, &from).await?;
    let set_cookie = done.session.as_ref().map(|(_, token)| {
        let value = cookie(&state, token.reveal(), state.absolute);
        AppendHeaders([(header::SET_COOKIE, value)])
    });
    let known = match &done.session {
        Some(_) => commands::remember_browser(&state, done.user.id, &from).await?,
        None => None,
    };
    let known = device_cookie(&state, known);
    let body = Accepted {
        user: done.user.into(),
        workspace: WorkspaceBrief {
            id: done.workspace.id,
            name: done.workspace.name,
        },
        role: done.role,
        token: done.session.map(|(_, token)| token.reveal().to_owned()),
    };
    let no_store = AppendHeaders([(header::CACHE_CONTROL, "no-store")]);
    Ok(match set_cookie {
        Some(set_cookie) => (no_store, set_cookie, known, Json(body)).into_response(),
        None => (no_store, Json(body)).into_response(),
    })
}
