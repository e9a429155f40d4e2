//! `/api/claws/{id}/tokens` and the MCP servers `/mcp/skills`, `/mcp/sandbox`, `/mcp/repo`.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::tokens::dto::{AgentToken, FreshAgentToken, NewAgentToken};
use super::tokens::{commands, store};
use super::{ToolsContext, mcp};
use roost_agents::claws;
use roost_platform::ids::{AgentTokenId, ClawId};
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::idempotency::Secret;
use roost_web::json::{Path, Query, Valid};
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// The routes.
pub fn router() -> OpenApiRouter<ToolsContext> {
    OpenApiRouter::new()
        .routes(routes!(list, make))
        .routes(routes!(revoke))
        .merge(mcp::routes::router())
}

/// Lists an agent's valid tokens, newest first.
#[utoipa::path(get, path = "/api/claws/{id}/tokens", tag = "tools", operation_id = "list_agent_tokens",
    params(("id" = ClawId, Path), PageQuery),
    responses((status = 200, body = Page<AgentToken>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn list(
    State(state): State<ToolsContext>,
    caller: Scoped<can::ReadClaws>,
    Path(agent): Path<ClawId>,
    Query(query): Query<PageQuery>,
) -> ApiResult<Json<Page<AgentToken>>> {
    let request = query.check()?;
    let (db, scope) = (state.db.read(), caller.scope());
    claws::find(db, scope, agent)
        .await?
        .ok_or_else(|| ApiError::not_found("claw"))?;
    let rows = store::list(db, scope, agent, request, state.clock.now()).await?;
    let page = request.page(rows, |row| row.id.0);
    Ok(Json(Page {
        items: page.items.into_iter().map(AgentToken::from).collect(),
        next_cursor: page.next_cursor,
    }))
}

/// Creates a token with which the agent's own programs call its tools. The API shows it once.
#[utoipa::path(post, path = "/api/claws/{id}/tokens", tag = "tools", operation_id = "make_agent_token",
    request_body = NewAgentToken,
    params(("id" = ClawId, Path),
        ("Idempotency-Key" = Option<String>, Header, description = "a repeat is 409 already-answered: the token is not kept")),
    responses((status = 201, body = FreshAgentToken), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn make(
    State(state): State<ToolsContext>,
    caller: Scoped<can::WriteClaws>,
    Path(agent): Path<ClawId>,
    Valid(new): Valid<NewAgentToken>,
) -> ApiResult<(StatusCode, Secret<FreshAgentToken>)> {
    caller.not_by_program()?;
    let (scope, user) = (caller.scope(), caller.user_id());
    let (row, token) = commands::make(&state, scope, user, agent, new).await?;
    let body = FreshAgentToken {
        id: row.id,
        token: token.reveal().to_owned(),
        label: row.label,
        expires_at: row.expires_at,
    };
    Ok((StatusCode::CREATED, Secret(body)))
}

/// Revokes a token. It stops working at once.
#[utoipa::path(delete, path = "/api/claws/{id}/tokens/{token_id}", tag = "tools", operation_id = "revoke_agent_token",
    params(("id" = ClawId, Path), ("token_id" = AgentTokenId, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn revoke(
    State(state): State<ToolsContext>,
    caller: Scoped<can::WriteClaws>,
    Path((agent, id)): Path<(ClawId, AgentTokenId)>,
) -> ApiResult<StatusCode> {
    commands::revoke(&state, caller.scope(), caller.user_id(), agent, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
