//! Writing a version: row, audit entry and event in one transaction.

use super::entity::brain;
use super::model::{Cause, Decision, KEPT, decide};
use super::store;
use crate::claws::{ClawError, ClawsContext, store as claws};
use roost_platform::db::unique_violation;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{ClawId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// What to write, and over which version.
#[derive(Debug, Clone)]
pub struct Write {
    pub agent_md: String,
    pub cause: Cause,
    /// The earlier version that is restored.
    pub restored_from: Option<i64>,
    /// Write only over this version (0: only if there is none).
    pub if_version: Option<i64>,
}

/// Writes in a transaction of its own. Returns the newest version after the write.
///
/// # Errors
/// [`ClawError::NotFound`], [`ClawError::BrainMoved`].
pub async fn write(
    state: &ClawsContext,
    scope: WorkspaceScope,
    user: UserId,
    claw: ClawId,
    write: Write,
) -> Result<Option<brain::Model>, ClawError> {
    let mut change = Change::begin(state, scope, user).await?;
    let row = write_in(&mut change, claw, write).await?;
    change.commit().await?;
    Ok(row)
}

/// Restores an earlier version, as a new one.
///
/// # Errors
/// As [`write()`]; [`ClawError::NoBrainVersion`].
pub(super) async fn restore(
    state: &ClawsContext,
    scope: WorkspaceScope,
    user: UserId,
    claw: ClawId,
    version: i64,
    if_version: Option<i64>,
) -> Result<Option<brain::Model>, ClawError> {
    let earlier = store::version(state.db.read(), scope, claw, version)
        .await?
        .ok_or(ClawError::NoBrainVersion)?;
    let restored = Write {
        agent_md: earlier.agent_md,
        cause: Cause::Restore,
        restored_from: Some(version),
        if_version,
    };
    write(state, scope, user, claw, restored).await
}

/// Writes as part of a larger change: the creation of an agent (seed), an approved proposal (consolidation).
///
/// # Errors
/// As [`write()`].
pub async fn write_in(
    change: &mut Change,
    claw: ClawId,
    write: Write,
) -> Result<Option<brain::Model>, ClawError> {
    let scope = change.scope();
    let agent = claws::get(change.tx(), scope, claw)
        .await?
        .filter(|row| row.deleted_at.is_none())
        .ok_or(ClawError::NotFound)?;
    let present = store::newest(change.tx(), scope, claw).await?;
    let over = present
        .as_ref()
        .map_or((0, ""), |row| (row.version, row.agent_md.as_str()));
    let version = match decide(over, &write.agent_md, write.cause, write.if_version) {
        Decision::Write { version } => version,
        Decision::Keep => return Ok(present),
        Decision::Conflict { current } => return Err(ClawError::BrainMoved { current }),
    };
    let row = brain::Model {
        claw_id: claw,
        version,
        workspace_id: scope.workspace(),
        bytes: i64::try_from(write.agent_md.len()).unwrap_or(i64::MAX),
        agent_md: write.agent_md,
        cause: write.cause.as_str().to_owned(),
        restored_from: write.restored_from,
        author: change.actor(),
        at: change.now(),
    };
    if let Err(error) = store::insert(change.tx(), row.clone()).await {
        // PostgreSQL: another transaction was faster between the read and the write.
        return Err(if unique_violation(&error) {
            ClawError::BrainMoved { current: version }
        } else {
            error.into()
        });
    }
    store::remove_up_to(change.tx(), scope, claw, version - KEPT).await?;
    let mut details = serde_json::json!({
        "name": agent.name, "version": version, "cause": write.cause.as_str(), "bytes": row.bytes,
    });
    if let Some(from) = row.restored_from {
        details["restored_from"] = from.into();
    }
    change.record("brain.written", ("claw", &claw), details);
    change.event(Event::changed(ResourceKind::Claw, claw, agent.version));
    Ok(Some(row))
}
