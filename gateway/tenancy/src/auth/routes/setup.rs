//! `/api/setup`. Both are public: the page of the first visit has no session.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::response::Response;
use http::HeaderMap;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{origin, signed_in};
use crate::auth::dto::SignedIn;
use crate::auth::dto::setup::{HostedSignIn, NewSetup, Setup};
use crate::auth::{AuthContext, account_store, commands};
use roost_web::error::ApiResult;
use roost_web::json::Valid;
use roost_web::problem::Problem;

/// The routes.
pub(super) fn router() -> OpenApiRouter<AuthContext> {
    OpenApiRouter::new().routes(routes!(setup, set_up))
}

/// Returns whether the Owner has a password yet, and whether people can sign in by an identity provider.
#[utoipa::path(get, path = "/api/setup", tag = "auth", responses((status = 200, body = Setup)))]
async fn setup(State(state): State<AuthContext>) -> ApiResult<Json<Setup>> {
    let owner_ready = account_store::owner_is_ready(state.db.read()).await?;
    let issuer = state
        .hosted
        .as_ref()
        .filter(|hosted| hosted.settings.client_id.is_some());
    let hosted = issuer.map(|hosted| HostedSignIn {
        name: hosted.settings.display_name.clone(),
    });
    Ok(Json(Setup {
        owner_ready,
        hosted,
    }))
}

/// Sets the deployment up: its Owner gets a name, an e-mail and a password, with a one-time login from the gateway's host.
/// The Owner is signed in afterwards, also by the cookie `roost_session`. It works while the Owner has no password.
#[utoipa::path(post, path = "/api/setup", tag = "auth", operation_id = "set_up", request_body = NewSetup,
    responses((status = 200, body = SignedIn), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 409, body = Problem), (status = 429, body = Problem)))]
async fn set_up(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Valid(body): Valid<NewSetup>,
) -> ApiResult<Response> {
    let from = origin(&state, peer, &headers);
    let fresh = commands::set_up(&state, body.into(), &from).await?;
    signed_in(&state, fresh, &from).await
}
