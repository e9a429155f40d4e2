//! Deleting an agent: softly (it leaves lists, gives its quota back, loses its sandbox), or for good (purge). Both end in
//! a saga, because the sandbox is on a machine that may be away.

use sea_orm::DbErr;

use crate::db::WriteTx;
use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::claws::entity::claw;
use crate::domains::claws::routes::ClawsState;
use crate::domains::claws::{ClawError, store};
use crate::domains::workspaces::{QuotaKind, quota};
use crate::events::{self, AgentState, AgentStatus, Event, ResourceKind};
use crate::ids::{ClawId, UserId};
use crate::sagas::{self, Kind, saga};

/// Deletes softly. Deleting a deleted agent changes nothing.
///
/// # Errors
/// [`ClawError::NotFound`].
pub async fn delete(
    state: &ClawsState,
    scope: WorkspaceScope,
    user: UserId,
    id: ClawId,
) -> Result<(), ClawError> {
    let mut tx = state.db.write().await?;
    let row = store::get(&*tx, scope, id)
        .await?
        .ok_or(ClawError::NotFound)?;
    if row.deleted_at.is_none() {
        mark_deleted(state, &mut tx, scope, user, row).await?;
        begin(state, &tx, scope, user, Kind::ClawRetire, id).await?;
        tx.commit().await?;
        state.sagas.nudge();
    }
    Ok(())
}

/// Begins the purge, or answers the one that has begun.
///
/// # Errors
/// [`ClawError::NotFound`] also when a purge has removed the agent.
pub async fn purge(
    state: &ClawsState,
    scope: WorkspaceScope,
    user: UserId,
    id: ClawId,
) -> Result<saga::Model, ClawError> {
    let mut tx = state.db.write().await?;
    let row = store::get(&*tx, scope, id)
        .await?
        .ok_or(ClawError::NotFound)?;
    let name = row.name.clone();
    if row.deleted_at.is_none() {
        mark_deleted(state, &mut tx, scope, user, row).await?;
    }
    let (saga, begun) = begin(state, &tx, scope, user, Kind::ClawPurge, id).await?;
    if begun {
        let now = state.clock.now();
        let details = serde_json::json!({ "name": name });
        audit::record(
            &tx,
            &state.ids,
            now,
            scope,
            user,
            "claw.purge_begun",
            ("claw", &id),
            details,
        )
        .await?;
        tx.commit().await?;
        state.sagas.nudge();
    }
    Ok(saga)
}

async fn begin(
    state: &ClawsState,
    tx: &WriteTx,
    scope: WorkspaceScope,
    user: UserId,
    kind: Kind,
    claw: ClawId,
) -> Result<(saga::Model, bool), DbErr> {
    let new = sagas::New {
        kind,
        subject: claw.0,
        scope,
        user,
        now: state.clock.now(),
    };
    sagas::begin_once(tx, &state.ids, new).await
}

async fn mark_deleted(
    state: &ClawsState,
    tx: &mut WriteTx,
    scope: WorkspaceScope,
    user: UserId,
    present: claw::Model,
) -> Result<(), ClawError> {
    let now = state.clock.now();
    let from = present.version;
    let row = claw::Model {
        deleted_at: Some(now),
        updated_at: now,
        status: AgentState::Offline.as_str().to_owned(),
        version: from + 1,
        ..present
    };
    if !store::replace(&**tx, &row, from).await? {
        return Err(ClawError::VersionMismatch { current: from + 1 });
    }
    quota::give_back(tx, scope, QuotaKind::Agents).await?;
    let details = serde_json::json!({ "name": row.name });
    audit::record(
        tx,
        &state.ids,
        now,
        scope,
        user,
        "claw.deleted",
        ("claw", &row.id),
        details,
    )
    .await?;
    let facts = [
        Event::changed(ResourceKind::Claw, row.id, row.version),
        Event::changed(ResourceKind::Quota, scope.workspace(), row.version),
        Event::AgentStatus(AgentStatus {
            agent_id: row.id,
            status: AgentState::Offline,
            role: row.role,
        }),
    ];
    events::append(tx, scope.workspace(), now, facts).await?;
    Ok(())
}
