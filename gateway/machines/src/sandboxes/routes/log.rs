//! `GET /{id}/sandbox/commands` of an owner: the commands in its sandboxes, those that run and those that ended.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::owned::Owned;
use crate::fleet::operations::{
    CommandDoer, CommandFacts, CommandFilter, Doers, OperationRow, OperationState,
};
use crate::sandboxes::SandboxesHandle;
use crate::sandboxes::commands;
use crate::sandboxes::dto::CommandsQuery;
use roost_platform::ids::{NodeId, OperationId, SandboxId, SandboxOwnerId};
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::Query;
use roost_web::pagination::{Page, PageQuery};
use roost_web::problem::Problem;

/// Longest text to search for, bytes.
const MOST_TEXT: usize = 200;

/// A command in a sandbox. Its output is at `…/sandbox/exec/{id}`.
#[derive(Debug, Serialize, ToSchema)]
pub struct SandboxCommand {
    pub id: OperationId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox_id: Option<SandboxId>,
    /// The machine; absent on the gateway's own host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<NodeId>,
    pub state: OperationState,
    /// A person has cancelled it, and it has not ended.
    pub cancelling: bool,
    /// A shell: it lives until its person ends it, or nobody reads it for a while.
    pub is_shell: bool,
    /// A shell ends when nobody has read it for so many seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_unread_after_s: Option<u64>,
    /// Who ran it, and for which run.
    #[serde(flatten)]
    pub by: CommandDoer,
    /// What was written, its tool, and how it ended.
    #[serde(flatten)]
    pub facts: CommandFacts,
    pub created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// Why it could not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Bytes of output. The machine keeps all of it for a day, and the gateway the first 32 KiB and the last 96 KiB for as
    /// long as the command is listed.
    pub output_bytes: i64,
}

pub(super) fn router() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new().routes(routes!(sandbox_commands))
}

/// The commands of people and agents in the sandboxes of an owner, newest first. They stay listed after the sandbox has
/// ended, for `runs.retention_days`.
#[utoipa::path(get, path = "/{id}/sandbox/commands", tag = "sandboxes",
    params(("id" = SandboxOwnerId, Path), CommandsQuery),
    responses((status = 200, body = Page<SandboxCommand>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn sandbox_commands(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadSandboxes>,
    Owned(owner): Owned,
    Query(query): Query<CommandsQuery>,
) -> ApiResult<Json<Page<SandboxCommand>>> {
    let request = PageQuery {
        limit: query.limit,
        cursor: query.cursor,
    };
    let request = request.check()?;
    if query.q.as_ref().is_some_and(|text| text.len() > MOST_TEXT) {
        let most = format!("must have at most {MOST_TEXT} bytes");
        return Err(ApiError::validation("q", most));
    }
    let filter = CommandFilter {
        failed: query.failed,
        running: query.running,
        text: query.q.filter(|text| !text.is_empty()),
    };
    let (scope, after) = (caller.scope(), request.after.map(OperationId));
    let log = commands::log(&sandboxes, scope, owner, &filter, after, request.rows()).await?;
    let page = request.page(log.rows, |row| row.id.0);
    Ok(Json(Page {
        next_cursor: page.next_cursor,
        items: page
            .items
            .into_iter()
            .map(|row| shown(row, &log.doers, sandboxes.settings.commands.shell_unread))
            .collect(),
    }))
}

fn shown(mut row: OperationRow, doers: &Doers, shell_unread: Duration) -> SandboxCommand {
    SandboxCommand {
        by: doers.doer(&row),
        facts: CommandFacts::of_record(&mut row),
        id: row.id,
        sandbox_id: row.sandbox_id,
        node_id: row.node_id,
        state: row.state(),
        cancelling: row.cancelling && !row.state().is_final(),
        is_shell: row.is_shell,
        ends_unread_after_s: row.is_shell.then_some(shell_unread.as_secs()),
        created_at: row.created_at,
        started_at: row.started_at,
        finished_at: row.finished_at,
        duration_ms: row.duration_ms,
        detail: row.detail,
        output_bytes: row.output_end,
    }
}
