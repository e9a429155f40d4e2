//! `GET /{id}/sandbox/commands` of an owner, and `GET /api/sandboxes/commands`: the commands in sandboxes, those that run
//! and those that ended.

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
use crate::sandboxes::commands::{self, CommandLog};
use crate::sandboxes::dto_commands::{CommandsQuery, WorkspaceCommandsQuery};
use crate::sandboxes::{OwnerKind, SandboxesHandle};
use roost_platform::ids::{NodeId, OperationId, SandboxId, SandboxOwnerId};
use roost_tenancy::auth::{Scoped, can};
use roost_web::error::{ApiError, ApiResult};
use roost_web::json::Query;
use roost_web::pagination::{Page, PageQuery, PageRequest};
use roost_web::problem::Problem;

/// Longest text to search for, bytes.
const MOST_TEXT: usize = 200;
/// Most owners that a list names.
const MOST_OWNERS: usize = 100;

/// What the sandbox belongs to in which a command ran.
#[derive(Debug, Serialize, ToSchema)]
pub struct CommandOwner {
    pub kind: OwnerKind,
    pub id: SandboxOwnerId,
    /// The name of the agent or the team, or the title of the mission. Absent when it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A command in a sandbox. Its output is at `…/sandbox/exec/{id}`.
#[derive(Debug, Serialize, ToSchema)]
pub struct SandboxCommand {
    pub id: OperationId,
    pub owner: CommandOwner,
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

/// The route that is of no one owner.
pub(super) fn of_workspace() -> OpenApiRouter<SandboxesHandle> {
    OpenApiRouter::new().routes(routes!(workspace_commands))
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
    let (filter, page) = read(query)?;
    let (scope, after) = (caller.scope(), page.after.map(OperationId));
    let log = commands::log_of(&sandboxes, scope, owner, filter, after, page.rows()).await?;
    Ok(Json(listed(&sandboxes, page, log)))
}

/// The commands of people and agents in all sandboxes of the workspace, newest first. They stay listed after the sandbox has
/// ended, for `runs.retention_days`.
#[utoipa::path(get, path = "/api/sandboxes/commands", tag = "sandboxes", params(WorkspaceCommandsQuery),
    responses((status = 200, body = Page<SandboxCommand>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn workspace_commands(
    State(sandboxes): State<SandboxesHandle>,
    caller: Scoped<can::ReadSandboxes>,
    Query(query): Query<WorkspaceCommandsQuery>,
) -> ApiResult<Json<Page<SandboxCommand>>> {
    let (owners, query) = query.apart();
    let (filter, page) = read(query)?;
    let filter = CommandFilter {
        owners: owners.as_deref().map(ids).transpose()?,
        ..filter
    };
    let (scope, after) = (caller.scope(), page.after.map(OperationId));
    let log = commands::log(&sandboxes, scope, &filter, after, page.rows()).await?;
    Ok(Json(listed(&sandboxes, page, log)))
}

fn read(query: CommandsQuery) -> Result<(CommandFilter, PageRequest), ApiError> {
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
        owners: None,
        failed: query.failed,
        running: query.running,
        text: query.q.filter(|text| !text.is_empty()),
    };
    Ok((filter, request))
}

fn ids(owners: &str) -> Result<Vec<SandboxOwnerId>, ApiError> {
    let ids: Result<Vec<_>, _> = owners.split(',').map(str::parse).collect();
    match ids {
        Ok(ids) if ids.len() <= MOST_OWNERS => Ok(ids),
        _ => {
            let must = format!("must be at most {MOST_OWNERS} ids, with commas between them");
            Err(ApiError::validation("owners", must))
        }
    }
}

fn listed(sandboxes: &SandboxesHandle, page: PageRequest, log: CommandLog) -> Page<SandboxCommand> {
    let CommandLog {
        rows,
        doers,
        owners,
    } = log;
    let page = page.page(rows, |row| row.id.0);
    let unread = sandboxes.settings.commands.shell_unread;
    let items = page.items.into_iter();
    Page {
        next_cursor: page.next_cursor,
        items: items
            .filter_map(|row| {
                let owner = commands::owner_of(&row)?;
                let owner = CommandOwner {
                    kind: owner.kind(),
                    id: owner.id(),
                    name: owners.get(&owner).cloned(),
                };
                Some(shown(row, owner, &doers, unread))
            })
            .collect(),
    }
}

fn shown(
    mut row: OperationRow,
    owner: CommandOwner,
    doers: &Doers,
    shell_unread: Duration,
) -> SandboxCommand {
    SandboxCommand {
        owner,
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
