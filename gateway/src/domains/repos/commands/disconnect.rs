//! Removing a connection: its repositories go with it, and the broker forgets its token.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::record_name;
use crate::broker::outbox;
use crate::db::WriteTx;
use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::repos::routes::ReposState;
use crate::domains::repos::{RepoError, store};
use crate::events::{self, Event, ResourceKind};
use crate::ids::{RepoConnectionId, UserId};

/// Removes it; a sync that is under way writes nothing any more.
///
/// # Errors
/// [`RepoError::NoConnection`].
pub async fn disconnect(
    state: &ReposState,
    scope: WorkspaceScope,
    user: UserId,
    id: RepoConnectionId,
) -> Result<(), RepoError> {
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let row = store::get(&*tx, scope, id)
        .await?
        .ok_or(RepoError::NoConnection)?;
    if !store::remove(&tx, scope, id).await? {
        return Err(RepoError::NoConnection);
    }
    outbox::forget(&tx, &record_name(&row)?, now).await?;
    let details = serde_json::json!({
        "provider": row.provider, "owner": row.owner, "base_url": row.base_url, "label": row.label,
    });
    audit::record(
        &tx,
        &state.ids,
        now,
        scope,
        user,
        "repos.disconnected",
        ("repo_connection", &id),
        details,
    )
    .await?;
    let fact = Event::changed(ResourceKind::RepoConnection, id, row.version + 1);
    events::append(&mut tx, scope.workspace(), now, [fact]).await?;
    tx.commit().await?;
    state.credentials.nudge();
    Ok(())
}

/// Removes all of a workspace that comes to its end.
///
/// # Errors
/// When the database fails.
pub async fn remove_all(
    tx: &WriteTx,
    scope: WorkspaceScope,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    for row in store::all(&**tx, scope).await? {
        store::remove(tx, scope, row.id).await?;
        outbox::forget(tx, &record_name(&row)?, now).await?;
    }
    Ok(())
}
