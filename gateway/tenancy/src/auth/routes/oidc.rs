//! `/api/auth/oidc/*`: the way to the identity provider and back, for browsers. An error is a page for a browser, and a
//! problem document for a program that asks for JSON.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, State};
use axum::response::{AppendHeaders, Html, IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use serde::Deserialize;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{AuthContext, base, cookie, origin};
use crate::auth::Authenticated;
use crate::auth::commands::people_only;
use crate::auth::dto::HostedLink;
use crate::auth::hosted::browser::{self, Begun, Returned, WITHIN_MINUTES};
use crate::auth::hosted::flow::{cookie_name, safe_next};
use crate::auth::hosted::{Hosted, HostedError};
use roost_web::error::{ApiError, ApiResult};
use roost_web::idempotency::Secret;
use roost_web::json::Query;
use roost_web::pages::{escape, page, wants_a_page};
use roost_web::problem::Problem;

const CALLBACK: &str = "/api/auth/oidc/callback";

/// The routes.
pub(super) fn router() -> OpenApiRouter<AuthContext> {
    OpenApiRouter::new()
        .routes(routes!(start))
        .routes(routes!(callback))
        .routes(routes!(link))
}

#[derive(Debug, Deserialize)]
struct Next {
    #[serde(default)]
    next: Option<String>,
}

/// Sends a browser to the identity provider.
#[utoipa::path(get, path = "/api/auth/oidc/start", tag = "auth", operation_id = "start_hosted_sign_in",
    params(("next" = Option<String>, Query, description = "path of the page to go to afterwards")),
    responses((status = 303), (status = 404, body = Problem, description = "a page when the request accepts HTML"),
        (status = 429, body = Problem, description = "a page when the request accepts HTML"),
        (status = 503, body = Problem, description = "a page when the request accepts HTML")))]
async fn start(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Query(query): Query<Next>,
) -> Response {
    let from = origin(&state, peer, &headers);
    let begun = async {
        let hosted = hosted(&state)?;
        let to = callback_address(&state, &headers);
        hosted
            .begin(to, safe_next(query.next.as_deref()), &from, None)
            .await
    };
    match begun.await {
        Ok(begun) => {
            let cookie = begun_cookie(&state, &begun);
            let to = [
                (header::LOCATION, begun.url.to_string()),
                (header::SET_COOKIE, cookie),
            ];
            (StatusCode::SEE_OTHER, AppendHeaders(to)).into_response()
        }
        Err(error) => refused(error.into(), &headers),
    }
}

/// Receives the browser that the identity provider sends back. Opens a session and leads to the page.
#[utoipa::path(get, path = "/api/auth/oidc/callback", tag = "auth", operation_id = "end_hosted_sign_in",
    params(("state" = Option<String>, Query), ("code" = Option<String>, Query), ("iss" = Option<String>, Query),
        ("error" = Option<String>, Query), ("error_description" = Option<String>, Query)),
    responses((status = 303), (status = 401, body = Problem, description = "a page when the request accepts HTML"),
        (status = 403, body = Problem, description = "a page when the request accepts HTML"),
        (status = 404, body = Problem, description = "a page when the request accepts HTML"),
        (status = 409, body = Problem, description = "a page when the request accepts HTML"),
        (status = 503, body = Problem, description = "a page when the request accepts HTML")))]
async fn callback(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Query(back): Query<Returned>,
) -> Response {
    let from = origin(&state, peer, &headers);
    let name = cookie_name(back.state.as_deref().unwrap_or_default());
    let binding = cookie_named(&headers, &name).unwrap_or_default();
    let over = (header::SET_COOKIE, binding_cookie(&state, &name, "", 0));
    match browser::enter(&state, &back, binding, &from).await {
        Ok(entered) => {
            let lives = (entered.session.expires_at - entered.session.created_at)
                .to_std()
                .unwrap_or_default();
            let session = cookie(&state, entered.token.reveal(), lives);
            let to = AppendHeaders([
                (header::LOCATION, entered.next),
                (header::SET_COOKIE, session),
                over,
            ]);
            (StatusCode::SEE_OTHER, to).into_response()
        }
        Err(error) => (AppendHeaders([over]), refused(error.into(), &headers)).into_response(),
    }
}

/// Begins to link the caller's account to their identity at the provider. The answer contains the address to open.
#[utoipa::path(post, path = "/api/auth/oidc/link", tag = "auth", operation_id = "link_hosted_identity",
    responses((status = 200, body = HostedLink), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 429, body = Problem), (status = 503, body = Problem)))]
async fn link(
    State(state): State<AuthContext>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    caller: Authenticated,
    headers: HeaderMap,
) -> ApiResult<Response> {
    // Only the caller's own page may begin this: a stranger that began it for the caller would get into the caller's
    // account.
    people_only(&caller)?;
    let from = origin(&state, peer, &headers);
    let to = callback_address(&state, &headers);
    let hosted = hosted(&state)?;
    let begun = hosted
        .begin(to, "/account", &from, Some(caller.user.id))
        .await?;
    let cookie = AppendHeaders([(header::SET_COOKIE, begun_cookie(&state, &begun))]);
    let url = begun.url.to_string();
    Ok((cookie, Secret(HostedLink { url })).into_response())
}

fn hosted(state: &AuthContext) -> Result<&Hosted, HostedError> {
    state.hosted.as_ref().ok_or(HostedError::NoSignIn)
}

/// The address at which people reach the gateway. The identity provider compares it with the registered one.
fn callback_address(state: &AuthContext, headers: &HeaderMap) -> String {
    format!("{}{CALLBACK}", base(state, headers))
}

fn begun_cookie(state: &AuthContext, begun: &Begun) -> String {
    let name = cookie_name(begun.state.reveal());
    binding_cookie(state, &name, begun.binding.reveal(), WITHIN_MINUTES * 60)
}

/// The cookie is `Lax`, because the way back is a navigation from another site.
fn binding_cookie(state: &AuthContext, name: &str, value: &str, seconds: i64) -> String {
    let secure = if state.secure_cookies { "; Secure" } else { "" };
    format!(
        "{name}={value}; Path=/api/auth/oidc; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}"
    )
}

fn cookie_named<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).iter();
    all.filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == wanted)
        .map(|(_, value)| value)
}

/// Refuses with a page for a browser, and with a problem document for a program.
fn refused(error: ApiError, headers: &HeaderMap) -> Response {
    match wants_a_page(headers) {
        true => sorry(error),
        false => error.into_response(),
    }
}

/// A page that explains what happened and what to do.
fn sorry(error: ApiError) -> Response {
    let code = error.code();
    if code.status().is_server_error() {
        // The outermost layer logs problem documents only, so this page is logged here.
        let causes = error.source.as_deref().map(|source| {
            let source: &dyn std::error::Error = source;
            roost_secret_broker::outbound::chain(source)
        });
        tracing::error!(code = code.slug(), causes, "a sign-in by the issuer failed");
    }
    let detail = error.detail.as_deref().unwrap_or_default();
    let body = format!(
        "<h1>{}</h1><p>{}</p><p><a href=\"/problems/{}\">What this means</a></p><p><a href=\"/sign-in\">Back to the sign-in page</a></p>",
        escape(code.title()),
        escape(detail),
        code.slug()
    );
    let status = code.status();
    (status, Html(page(code.title(), &body))).into_response()
}
