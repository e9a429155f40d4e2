//! `/api/apps`.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{Html, IntoResponse, Redirect, Response};
use futures::future::join_all;
use http::{HeaderMap, StatusCode};
use roost_secret_broker::wire::FaultCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::dto::{
    AppConnection, AppConnectionState, AppOptions, ConnectionsQuery, Kept, NewConnection,
    OAuthCallback, OAuthStart, OAuthStarted,
};
use super::entity::connection;
use super::model::{self, AuthType, CALLBACK, without_slash};
use super::{AppsContext, commands, record_of, store};
use roost_platform::broker::BrokerHandle;
use roost_platform::ids::{AppConnectionId, UserId};
use roost_tenancy::auth::{self, MayTry, Scoped, UserBrief, can};
use roost_web::error::{ApiError, ApiResult, Code};
use roost_web::idempotency::CreationId;
use roost_web::json::{Path, Query, Valid};
use roost_web::pages::{page, wants_a_page};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// How long a list waits for the broker's facts about its tokens.
const DESCRIBED_WITHIN: Duration = Duration::from_secs(2);

/// The routes.
pub fn router() -> OpenApiRouter<AppsContext> {
    OpenApiRouter::new()
        .routes(routes!(start))
        .routes(routes!(callback))
        .routes(routes!(list, paste))
        .routes(routes!(disconnect))
        .routes(routes!(options))
}

/// Begins to connect an agent to an app. The answer has the address for the person's browser.
#[utoipa::path(post, path = "/api/apps/oauth/start", tag = "apps", operation_id = "start_oauth", request_body = OAuthStart,
    responses((status = 200, body = OAuthStarted), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 429, body = Problem)))]
async fn start(
    State(apps): State<AppsContext>,
    caller: Scoped<can::ConnectApps>,
    Valid(new): Valid<OAuthStart>,
) -> ApiResult<Json<OAuthStarted>> {
    let (url, state) = commands::start(&apps, caller.scope(), caller.user_id(), new).await?;
    Ok(Json(OAuthStarted {
        authorize_url: url.into(),
        state,
    }))
}

/// The issuer sends the browser back to this address. The one-time state is the credential. The request is refused when
/// this browser is signed in as a person other than the one who began.
#[utoipa::path(get, path = "/api/apps/oauth/callback", tag = "apps", operation_id = "oauth_callback", params(OAuthCallback),
    responses((status = 303, description = "the agent's apps"), (status = 400, body = Problem), (status = 404, body = Problem)))]
async fn callback(
    State(apps): State<AppsContext>,
    MayTry(caller): MayTry,
    headers: HeaderMap,
    Query(query): Query<OAuthCallback>,
) -> Response {
    let here = caller.map(|caller| caller.user.id);
    match ended(&apps, query, here).await {
        Ok(to) => Redirect::to(&to).into_response(),
        Err(error) if wants_a_page(&headers) => explained(error),
        Err(error) => error.into_response(),
    }
}

async fn ended(
    apps: &AppsContext,
    query: OAuthCallback,
    here: Option<UserId>,
) -> ApiResult<String> {
    let missing = |name| ApiError::validation(name, "is missing");
    let state = query.state.ok_or_else(|| missing("state"))?;
    if query.error.is_some() {
        let (agent, provider) = commands::decline(apps, &state).await?;
        return Ok(format!("/claws/{agent}?app=apps&declined={provider}"));
    }
    let returned = commands::Returned {
        state,
        code: query.code.ok_or_else(|| missing("code"))?,
        issuer: query.iss,
        here,
    };
    let agent = commands::end_sign_in(apps, returned).await?;
    Ok(format!("/claws/{agent}?app=apps"))
}

/// The same answer for a person: what happened, and what to do.
fn explained(error: ApiError) -> Response {
    let (title, text) = match error.code() {
        Code::NotFound => (
            "This sign-in is over",
            "It was used already, or it took longer than ten minutes. Nothing was connected. Go back to the agent's apps and begin again.",
        ),
        Code::Validation => (
            "The answer is incomplete",
            "The sign-in service sent your browser back without the required parameters. Nothing was connected. Go back to the agent's apps and begin again.",
        ),
        Code::SignInUnknown => (
            "Another person began this sign-in",
            "If it had continued, your account would be connected to their agent. Nothing was connected. If a person sent you the link, do not use it.",
        ),
        _ => (
            "The app could not be connected",
            "The sign-in service or this gateway's store of credentials failed. Nothing was connected. Begin again in a minute. If it fails again, tell the operator of this gateway.",
        ),
    };
    let body =
        format!("<h1>{title}</h1><p>{text}</p><p><a href=\"/agents\">To your agents</a></p>");
    let status = error.code().status();
    // The response has the error, so that it is logged like every other.
    let mut response = (status, Html(page(title, &body))).into_response();
    response
        .extensions_mut()
        .insert(roost_web::observe::Explained(error));
    response
}

/// The connections of the workspace, or of one agent, oldest first.
#[utoipa::path(get, path = "/api/apps/connections", tag = "apps", operation_id = "list_app_connections", params(ConnectionsQuery),
    responses((status = 200, body = Page<AppConnection>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(apps): State<AppsContext>,
    caller: Scoped<can::ReadApps>,
    Query(query): Query<ConnectionsQuery>,
) -> ApiResult<Json<Page<AppConnection>>> {
    let paging = PageQuery {
        limit: query.limit,
        cursor: query.cursor,
    };
    let request = paging.check()?;
    let db = apps.db.read();
    let rows = store::list(db, caller.scope(), query.agent_id, request).await?;
    let page = request.page(rows, |row| row.id.0);
    let people = page.items.iter().map(|row| row.connected_by);
    let users = auth::users_by_id(db, people).await?;
    let kept = join_all(page.items.iter().map(|row| kept(&apps.broker, row))).await;
    let shown = page.items.into_iter().zip(kept).map(|(row, kept)| {
        let user = users.iter().find(|user| user.id == row.connected_by);
        AppConnection::new(row, user.cloned().map(UserBrief::from), kept)
    });
    Ok(Json(Page {
        items: shown.collect(),
        next_cursor: page.next_cursor,
    }))
}

/// Connects with a token that a person got from the app, or to a webhook. The token is never shown again.
#[utoipa::path(post, path = "/api/apps/connections", tag = "apps", operation_id = "create_app_connection",
    request_body = NewConnection,
    params(("Idempotency-Key" = Option<String>, Header, description = "repeats answer the first result for 24 h")),
    responses((status = 201, body = AppConnection), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn paste(
    State(apps): State<AppsContext>,
    caller: Scoped<can::ConnectApps>,
    id: CreationId<AppConnectionId>,
    Valid(new): Valid<NewConnection>,
) -> ApiResult<(StatusCode, Json<AppConnection>)> {
    let id = id.or_fresh(&apps.ids);
    let row = commands::paste(&apps, caller.scope(), caller.user_id(), id, new).await?;
    let kept = kept(&apps.broker, &row).await;
    let by = UserBrief::from(caller.caller().user.clone());
    Ok((
        StatusCode::CREATED,
        Json(AppConnection::new(row, Some(by), kept)),
    ))
}

/// The broker's facts about a token. If the broker does not answer, the state is unknown.
async fn kept(broker: &BrokerHandle, row: &connection::Model) -> Kept {
    let silent = |state| Kept {
        state,
        expires_at: None,
        renewable: false,
        reaches: Vec::new(),
    };
    let Ok(name) = record_of(row) else {
        return silent(AppConnectionState::Missing);
    };
    match tokio::time::timeout(DESCRIBED_WITHIN, broker.describe(name)).await {
        Ok(Ok(described)) => Kept {
            state: described.state.into(),
            expires_at: described
                .expires_ms
                .and_then(chrono::DateTime::from_timestamp_millis),
            renewable: described.renewable,
            reaches: described
                .allow
                .into_iter()
                .map(|allow| allow.origin)
                .collect(),
        },
        Ok(Err(error)) if error.code() == Some(FaultCode::UnknownRecord) => {
            silent(AppConnectionState::Missing)
        }
        Ok(Err(_)) | Err(_) => silent(AppConnectionState::Unknown),
    }
}

/// Ends a connection. Its token is deleted, and revoked if its issuer supports that.
#[utoipa::path(delete, path = "/api/apps/connections/{id}", tag = "apps", operation_id = "delete_app_connection",
    params(("id" = AppConnectionId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn disconnect(
    State(apps): State<AppsContext>,
    caller: Scoped<can::ConnectApps>,
    Path(id): Path<AppConnectionId>,
) -> ApiResult<StatusCode> {
    commands::disconnect(&apps, caller.scope(), caller.user_id(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The connections that are possible here, and the settings that the operator still has to set.
#[utoipa::path(get, path = "/api/apps/options", tag = "apps", operation_id = "app_options",
    responses((status = 200, body = AppOptions), (status = 401, body = Problem)))]
async fn options(
    State(apps): State<AppsContext>,
    _: Scoped<can::ReadApps>,
) -> ApiResult<Json<AppOptions>> {
    let oauth = &apps.oauth;
    let settings = [
        ("oauth.client_id", oauth.client_id.is_none()),
        ("oauth.redirect_base", oauth.redirect_base.is_none()),
        ("oauth.issuer_url", oauth.issuer_url.is_none()),
    ];
    let any = url::Url::parse("https://mcp.invalid").ok();
    Ok(Json(AppOptions {
        oauth: model::plan(AuthType::OAuth, None, oauth).is_ok(),
        mcp_oauth: model::plan(AuthType::McpOAuth, any.as_ref(), oauth).is_ok(),
        missing: settings
            .into_iter()
            .filter(|(_, missing)| *missing)
            .map(|(key, _)| key.to_owned())
            .collect(),
        providers: oauth.apis.keys().cloned().collect(),
        redirect_uri: oauth
            .redirect_base
            .as_ref()
            .map(|base| format!("{}{CALLBACK}", without_slash(base))),
    }))
}
