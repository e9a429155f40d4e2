//! Ending a sandbox. Its workspace is archived first; a machine that is away is asked again until it answers.

use std::time::Duration;

use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::claws;
use crate::domains::sandboxes::entity::container;
use crate::domains::sandboxes::model::{Fact, State};
use crate::domains::sandboxes::{SandboxError, SandboxesHandle, settle, store};
use crate::ids::{ClawId, UserId, fresh};

/// How long a request waits for a machine; the work goes on after it.
const WAIT: Duration = Duration::from_secs(60);

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destroyed {
    /// It is gone.
    Gone,
    /// Its machine does not answer; it is asked again until it does.
    UnderWay,
}

/// Ends the agent's sandbox.
///
/// # Errors
/// [`SandboxError::NoSandbox`] when there is none.
pub async fn destroy(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    user: UserId,
    agent: ClawId,
) -> Result<Destroyed, SandboxError> {
    let Some(row) = begin(sandboxes, scope, agent, Some(user)).await? else {
        return Err(SandboxError::NoSandbox);
    };
    settle::ensure_watch(sandboxes, &row).await?;
    let row = settle::settled(sandboxes, scope, row.id, WAIT).await?;
    match State::parse(&row.state) {
        Some(State::Destroying) => Ok(Destroyed::UnderWay),
        _ => Ok(Destroyed::Gone),
    }
}

/// As [`destroy`], for the saga that retires or purges an agent: succeeds when there is nothing to end, fails while the
/// machine has not confirmed it.
///
/// # Errors
/// When it is not gone yet; the saga tries again.
pub async fn destroy_for_good(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<(), SandboxError> {
    let Some(row) = begin(sandboxes, scope, agent, None).await? else {
        return Ok(());
    };
    settle::ensure_watch(sandboxes, &row).await?;
    let row = settle::settled(sandboxes, scope, row.id, Duration::from_secs(15)).await?;
    match State::parse(&row.state) {
        Some(State::Destroying) => Err(SandboxError::TooSlow),
        _ => Ok(()),
    }
}

async fn begin(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
    user: Option<UserId>,
) -> Result<Option<container::Model>, SandboxError> {
    let mut tx = sandboxes.db.write().await?;
    let Some(row) = store::current(&*tx, scope, agent).await? else {
        return Ok(None);
    };
    if State::parse(&row.state) == Some(State::Destroying) {
        return Ok(Some(row));
    }
    let operation = Some(fresh(&sandboxes.ids));
    let change = settle::Change {
        operation,
        ..settle::Change::default()
    };
    let Some(row) = settle::step(&mut tx, sandboxes, row, Fact::DestroyAsked, change).await? else {
        return Ok(None);
    };
    if let Some(user) = user {
        let name = claws::store::get(&*tx, scope, agent)
            .await?
            .map(|claw| claw.name);
        let details = serde_json::json!({ "name": name, "sandbox": row.id, "node": row.node_id });
        let now = sandboxes.clock.now();
        audit::record(
            &tx,
            &sandboxes.ids,
            now,
            scope,
            user,
            "sandbox.destroyed",
            ("claw", &agent),
            details,
        )
        .await?;
    }
    tx.commit().await?;
    Ok(Some(row))
}
