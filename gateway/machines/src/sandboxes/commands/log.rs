//! Reads the commands in sandboxes, with the names of the people and agents who ran them.

use std::collections::HashMap;

use crate::fleet::operations::{CommandFilter, Doers, OperationRow};
use crate::sandboxes::{OwnerKind, SandboxError, SandboxOwner, SandboxesHandle, owner as owners};
use roost_platform::db::Older;
use roost_platform::ids::OperationId;
use roost_tenancy::auth::WorkspaceScope;

/// A part of the list.
#[derive(Debug, Default)]
pub struct CommandLog {
    /// Newest first.
    pub rows: Vec<OperationRow>,
    pub doers: Doers,
    /// The names of the owners of the sandboxes. An owner that is gone is not in the map.
    pub owners: HashMap<SandboxOwner, String>,
}

/// The commands of an owner that are older than `after`, newest first.
///
/// # Errors
/// [`SandboxError::NoOwner`], or when the database fails.
pub async fn log_of(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    filter: CommandFilter,
    after: Option<OperationId>,
    limit: u64,
) -> Result<CommandLog, SandboxError> {
    if owners::name(sandboxes, scope, owner).await?.is_none() {
        return Err(SandboxError::NoOwner(owner.kind()));
    }
    let filter = CommandFilter {
        owners: Some(vec![owner.id()]),
        ..filter
    };
    log(sandboxes, scope, &filter, after, limit).await
}

/// The commands of the workspace that are older than `after`, newest first.
///
/// # Errors
/// When the database fails.
pub async fn log(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    filter: &CommandFilter,
    after: Option<OperationId>,
    limit: u64,
) -> Result<CommandLog, SandboxError> {
    let (db, operations) = (sandboxes.db.read(), &sandboxes.operations);
    let older = match after {
        None => Older::Newest,
        // The ids of agents' commands have no order in time.
        Some(id) => match operations.status(scope, id).await? {
            Some(last) => Older::Than(last.row.created_at, id),
            // Retention has deleted it, and so everything before it.
            None => return Ok(CommandLog::default()),
        },
    };
    let mut rows = operations.commands(scope, filter, older, limit).await?;
    if filter.running {
        rows.retain(|row| !row.state().is_final());
    }
    let all = rows.iter().filter_map(owner_of);
    Ok(CommandLog {
        owners: owners::names(sandboxes, scope, all).await?,
        doers: Doers::of(db, scope, &rows).await?,
        rows,
    })
}

/// The owner of the sandbox in which a command ran.
pub fn owner_of(row: &OperationRow) -> Option<SandboxOwner> {
    let kind = OwnerKind::parse(row.owner_kind.as_deref()?)?;
    Some(SandboxOwner::of(kind, row.owner_id?))
}
