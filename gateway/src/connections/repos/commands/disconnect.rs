//! Removing a connection: its repositories are removed with it, and the broker deletes its token.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::record_name;
use crate::connections::repos::{RepoError, ReposContext, store};
use crate::platform::broker::outbox;
use crate::platform::db::WriteTx;
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{RepoConnectionId, UserId};
use crate::tenancy::audit;
use crate::tenancy::auth::WorkspaceScope;

/// Removes it. A sync under way cannot write any more.
///
/// # Errors
/// [`RepoError::NoConnection`].
pub async fn disconnect(
    state: &ReposContext,
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

/// Removes all connections of a workspace that is deleted.
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
