//! `POST /mcp/skills`, `/mcp/sandbox`, `/mcp/repo`. Other methods return 405, because there are no sessions.

use axum::extract::{Request, State};
use axum::response::Response;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::Mcp;
use crate::tools::ToolsContext;
use crate::tools::model::Bundle;
use roost_web::problem::Problem;

/// The routes.
pub(in crate::tools) fn router() -> OpenApiRouter<ToolsContext> {
    OpenApiRouter::new()
        .routes(routes!(skills))
        .routes(routes!(sandbox))
        .routes(routes!(repo))
}

/// Serves the skills of the token's agent as an MCP server (Streamable HTTP, without sessions).
#[utoipa::path(post, path = "/mcp/skills", tag = "tools", operation_id = "mcp_skills",
    request_body(content = serde_json::Value, description = "a message of the Model Context Protocol, with an agent's token as bearer"),
    responses((status = 200, description = "the answer, or a stream of messages that ends with it"), (status = 202),
        (status = 400), (status = 401, body = Problem), (status = 403), (status = 404), (status = 413), (status = 429, body = Problem)))]
async fn skills(State(mcp): State<Mcp>, request: Request) -> Response {
    mcp.serve(Bundle::Skills, request).await
}

/// Serves files and commands in the agent's sandbox as an MCP server (Streamable HTTP, without sessions).
#[utoipa::path(post, path = "/mcp/sandbox", tag = "tools", operation_id = "mcp_sandbox",
    request_body(content = serde_json::Value, description = "a message of the Model Context Protocol, with an agent's token as bearer"),
    responses((status = 200, description = "the answer, or a stream of messages that ends with it"), (status = 202),
        (status = 400), (status = 401, body = Problem), (status = 403), (status = 404), (status = 413), (status = 429, body = Problem)))]
async fn sandbox(State(mcp): State<Mcp>, request: Request) -> Response {
    mcp.serve(Bundle::Sandbox, request).await
}

/// Serves git in the agent's sandbox as an MCP server (Streamable HTTP, without sessions).
#[utoipa::path(post, path = "/mcp/repo", tag = "tools", operation_id = "mcp_repo",
    request_body(content = serde_json::Value, description = "a message of the Model Context Protocol, with an agent's token as bearer"),
    responses((status = 200, description = "the answer, or a stream of messages that ends with it"), (status = 202),
        (status = 400), (status = 401, body = Problem), (status = 403), (status = 404), (status = 413), (status = 429, body = Problem)))]
async fn repo(State(mcp): State<Mcp>, request: Request) -> Response {
    mcp.serve(Bundle::Repo, request).await
}
