//! Ending a sandbox. Its workspace is archived first. If the machine is away, the request is repeated until it answers.

use std::time::Duration;

use crate::fleet::operations::Target;
use crate::sandboxes::engine::node_of;
use crate::sandboxes::entity::container;
use crate::sandboxes::model::{Fact, State};
use crate::sandboxes::{
    SandboxError, SandboxOwner, SandboxesHandle, owner as owners, removal, store, transition,
};
use roost_platform::ids::{UserId, fresh};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// How long a request waits for a machine; the work continues after it.
const WAIT: Duration = Duration::from_secs(60);

/// The result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destroyed {
    /// It is gone.
    Gone,
    /// The machine does not answer; the request is repeated until it does.
    UnderWay,
}

/// Ends the sandbox of an owner.
///
/// # Errors
/// [`SandboxError::NoSandbox`] when the owner has no sandbox.
pub async fn destroy(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    user: UserId,
    owner: SandboxOwner,
) -> Result<Destroyed, SandboxError> {
    let Some(row) = begin(sandboxes, scope, owner, Some(user)).await? else {
        return Err(SandboxError::NoSandbox(owner.kind()));
    };
    transition::ensure_watch(sandboxes, &row).await?;
    let row = transition::wait_for_end(sandboxes, scope, &row, WAIT).await?;
    match State::parse(&row.state) {
        Some(State::Destroying) => Ok(Destroyed::UnderWay),
        _ => Ok(Destroyed::Gone),
    }
}

/// As [`destroy`], for the saga that removes an owner. It succeeds if there is no sandbox. It fails while the
/// machine has not confirmed the end.
///
/// # Errors
/// When the sandbox still exists; the saga tries again.
pub async fn destroy_for_good(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
) -> Result<(), SandboxError> {
    let Some(row) = begin(sandboxes, scope, owner, None).await? else {
        return Ok(());
    };
    transition::ensure_watch(sandboxes, &row).await?;
    let row = transition::wait_for_end(sandboxes, scope, &row, Duration::from_secs(15)).await?;
    match State::parse(&row.state) {
        Some(State::Destroying) => Err(SandboxError::TooSlow),
        _ => Ok(()),
    }
}

/// Has each machine where an owner that is removed had a sandbox remove the owner's stored workspaces. A machine that is away
/// now is told when it is back, by the wish that the removal of the rows writes.
///
/// # Errors
/// When the database fails.
pub async fn forget_archives(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
) -> Result<(), SandboxError> {
    for (machine, archives) in removal::archives_of(sandboxes.db.read(), scope, owner.id()).await? {
        let target = node_of(&machine).map_or(Target::Local, Target::Node);
        // A machine that was removed from the fleet cannot be reached; it has removed all of them itself.
        let results = owner.kind().is_purged();
        let _ = sandboxes
            .operations
            .forget(target, owner.id(), archives, results);
    }
    Ok(())
}

async fn begin(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    owner: SandboxOwner,
    user: Option<UserId>,
) -> Result<Option<container::Model>, SandboxError> {
    let actor = user.unwrap_or(UserId::SYSTEM);
    let mut unit = Change::begin(sandboxes, scope, actor).await?;
    store::lock(&unit, scope, owner.id()).await?;
    let Some(row) = store::current(unit.tx(), scope, owner.id()).await? else {
        return Ok(None);
    };
    if State::parse(&row.state) == Some(State::Destroying) {
        return Ok(Some(row));
    }
    let operation = Some(fresh(&sandboxes.ids));
    let change = transition::Change {
        operation,
        ..transition::Change::default()
    };
    let Some(row) =
        transition::apply(&mut unit, sandboxes, row, Fact::DestroyAsked, change).await?
    else {
        return Ok(None);
    };
    if user.is_some() {
        let name = owners::name(sandboxes, scope, owner).await?;
        let details = serde_json::json!({ "name": name, "sandbox": row.id, "node": row.node_id });
        unit.record(
            "sandbox.destroyed",
            (owner.kind().as_str(), &owner.id()),
            details,
        );
    }
    unit.commit().await?;
    Ok(Some(row))
}
