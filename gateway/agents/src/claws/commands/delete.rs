//! Deleting an agent: softly (it leaves lists, returns its quota, loses its sandbox), or permanently (purge). Both end
//! in a saga, because the sandbox's machine may be away.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use crate::claws::entity::claw;
use crate::claws::{ClawError, ClawsContext, status, store};
use roost_platform::db::WriteTx;
use roost_platform::events::{self, AgentState, AgentStatus, Event, ResourceKind};
use roost_platform::ids::{ClawId, SharedIds, UserId};
use roost_platform::sagas::{self, Kind, saga};
use roost_tenancy::audit;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::workspaces::{QuotaKind, quota};

/// Deletes softly. Deleting a deleted agent changes nothing.
///
/// # Errors
/// [`ClawError::NotFound`].
pub async fn delete(
    state: &ClawsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: ClawId,
) -> Result<(), ClawError> {
    let mut tx = state.db.write().await?;
    let row = store::get(&*tx, scope, id)
        .await?
        .ok_or(ClawError::NotFound)?;
    if row.deleted_at.is_none() {
        let on = Authority {
            ids: &state.ids,
            now: state.clock.now(),
            scope,
            user,
        };
        mark_deleted(&on, &mut tx, row).await?;
        begin(&on, &tx, Kind::ClawRetire, id).await?;
        tx.wake(&state.sagas);
        tx.commit().await?;
    }
    Ok(())
}

/// Begins the purge, or returns the purge that has begun.
///
/// # Errors
/// [`ClawError::NotFound`] also when a purge has removed the agent.
pub async fn purge(
    state: &ClawsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: ClawId,
) -> Result<saga::Model, ClawError> {
    let mut tx = state.db.write().await?;
    let on = Authority {
        ids: &state.ids,
        now: state.clock.now(),
        scope,
        user,
    };
    let (saga, begun) = purge_in(&mut tx, &on, id).await?;
    if begun {
        tx.wake(&state.sagas);
        tx.commit().await?;
    }
    Ok(saga)
}

/// The user with whose authority it is done, and the time.
pub struct Authority<'a> {
    pub ids: &'a SharedIds,
    pub now: DateTime<Utc>,
    pub scope: WorkspaceScope,
    pub user: UserId,
}

/// As [`purge`], in a transaction of the caller. Returns whether the purge begins now.
///
/// # Errors
/// As [`purge`].
pub async fn purge_in(
    tx: &mut WriteTx,
    on: &Authority<'_>,
    id: ClawId,
) -> Result<(saga::Model, bool), ClawError> {
    let row = store::get(&**tx, on.scope, id)
        .await?
        .ok_or(ClawError::NotFound)?;
    let name = row.name.clone();
    if row.deleted_at.is_none() {
        mark_deleted(on, tx, row).await?;
    }
    let (saga, begun) = begin(on, tx, Kind::ClawPurge, id).await?;
    if begun {
        let details = serde_json::json!({ "name": name });
        audit::record(
            tx,
            on.ids,
            on.now,
            on.scope,
            on.user,
            "claw.purge_begun",
            ("claw", &id),
            details,
        )
        .await?;
    }
    Ok((saga, begun))
}

async fn begin(
    on: &Authority<'_>,
    tx: &WriteTx,
    kind: Kind,
    claw: ClawId,
) -> Result<(saga::Model, bool), DbErr> {
    let new = sagas::New {
        kind,
        subject: claw.0,
        scope: on.scope,
        user: on.user,
        now: on.now,
    };
    sagas::begin_once(tx, on.ids, new).await
}

async fn mark_deleted(
    on: &Authority<'_>,
    tx: &mut WriteTx,
    present: claw::Model,
) -> Result<(), ClawError> {
    let (now, scope) = (on.now, on.scope);
    let from = present.version;
    let row = claw::Model {
        deleted_at: Some(now),
        updated_at: now,
        version: from + 1,
        ..present
    };
    if !store::replace(&**tx, &row, from).await? {
        return Err(ClawError::VersionMismatch { current: from + 1 });
    }
    // The event below publishes it, also when the agent was offline before.
    status::change(tx, scope, row.id, AgentState::Offline).await?;
    quota::give_back(tx, scope, QuotaKind::Agents).await?;
    let details = serde_json::json!({ "name": row.name });
    audit::record(
        tx,
        on.ids,
        now,
        scope,
        on.user,
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
