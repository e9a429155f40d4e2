//! Has the machine store the files of a sandbox now. The answer names the latest snapshot, and its row exists then.

use std::time::Duration;

use roost_protocol::ids as wire;
use roost_protocol::operation::{Flush, Operation, OperationRequest};
use roost_protocol::report::Outcome;

use crate::sandboxes::engine::{node_of, on_behalf, target_of};
use crate::sandboxes::entity::container;
use crate::sandboxes::model::State;
use crate::sandboxes::snapshots::{Snapshot, record, store as rows};
use crate::sandboxes::{SandboxError, SandboxOwner, SandboxesHandle, store};
use roost_platform::ids::{OperationId, SandboxId};
use roost_tenancy::auth::WorkspaceScope;

/// How long the answer of the machine may be on its way, beside the time for the snapshot.
const ON_THE_WAY: Duration = Duration::from_secs(10);

/// The owner's sandbox, if it runs.
///
/// # Errors
/// When the database fails.
pub async fn running_sandbox(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
) -> Result<Option<SandboxId>, SandboxError> {
    let row = store::current(sandboxes.db.read(), scope, owner.id()).await?;
    Ok(row.filter(is_running).map(|row| row.id))
}

fn is_running(row: &container::Model) -> bool {
    State::parse(&row.state) == Some(State::Running)
}

/// Takes a snapshot of the owner's running sandbox if its files have changed, and returns the latest one. A repeated call
/// with the same id gets the answer of the first one, and nothing is stored a second time.
///
/// # Errors
/// [`SandboxError::NoSandbox`], [`SandboxError::NotRunning`]; [`SandboxError::Operations`] with `NodeTooOld` when the
/// machine's daemon cannot do it, or when the machine is away; [`SandboxError::Refused`] with the machine's reason;
/// [`SandboxError::TooSlow`] when it takes longer than `within`.
pub async fn flush(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    id: OperationId,
    within: Duration,
) -> Result<Snapshot, SandboxError> {
    let row = store::current(sandboxes.db.read(), scope, owner.id()).await?;
    let row = row.ok_or(SandboxError::NoSandbox(owner.kind()))?;
    if !is_running(&row) {
        let state = State::parse(&row.state).map_or("in an unknown state", State::as_str);
        return Err(SandboxError::NotRunning(state));
    }
    let request = OperationRequest {
        id: wire::OperationId(id.0),
        on_behalf: Some(on_behalf(&row)),
        purpose: None,
        operation: Operation::SbFlush(Flush {
            sandbox: wire::SandboxId(row.id.0),
            deadline_s: within.as_secs().max(1),
        }),
    };
    let asked = sandboxes
        .operations
        .perform(target_of(&row), request, within + ON_THE_WAY);
    let ended = asked.await?;
    let snapshot = match &ended.outcome {
        Outcome::Flushed { snapshot } => snapshot,
        Outcome::Error { error } => return Err(SandboxError::Refused(error.clone())),
        _ => return Err(SandboxError::TooSlow),
    };
    let named = rows::with_digest(sandboxes.db.read(), scope, owner.id(), &snapshot.digest).await?;
    if let Some(named) = named {
        return Ok(named.into());
    }
    // The report of the snapshot may still wait for its turn. The answer has what the row needs.
    record::stored(sandboxes, node_of(&row.node_id), snapshot).await?;
    let named = rows::with_digest(sandboxes.db.read(), scope, owner.id(), &snapshot.digest).await?;
    named.map(Into::into).ok_or(SandboxError::NoSnapshot)
}
