//! Reads the commands in the sandboxes of an owner, with the names of the people and agents who ran them.

use crate::fleet::operations::{CommandFilter, Doers, OperationRow};
use crate::sandboxes::{SandboxError, SandboxOwner, SandboxesHandle, owner as owners};
use roost_platform::db::Older;
use roost_platform::ids::OperationId;
use roost_tenancy::auth::WorkspaceScope;

/// A part of the list.
#[derive(Debug, Default)]
pub struct CommandLog {
    /// Newest first.
    pub rows: Vec<OperationRow>,
    pub doers: Doers,
}

/// The commands of an owner that are older than `after`, newest first.
///
/// # Errors
/// [`SandboxError::NoOwner`], or when the database fails.
pub async fn log(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    filter: &CommandFilter,
    after: Option<OperationId>,
    limit: u64,
) -> Result<CommandLog, SandboxError> {
    let (db, operations) = (sandboxes.db.read(), &sandboxes.operations);
    if owners::name(sandboxes, scope, owner).await?.is_none() {
        return Err(SandboxError::NoOwner(owner.kind()));
    }
    let older = match after {
        None => Older::Newest,
        // The ids of agents' commands have no order in time.
        Some(id) => match operations.status(scope, id).await? {
            Some(last) => Older::Than(last.row.created_at, id),
            // Retention has deleted it, and so everything before it.
            None => return Ok(CommandLog::default()),
        },
    };
    let mut rows = operations
        .commands_of(scope, owner.id(), filter, older, limit)
        .await?;
    if filter.running {
        rows.retain(|row| !row.state().is_final());
    }
    let doers = Doers::of(db, scope, &rows).await?;
    Ok(CommandLog { rows, doers })
}
