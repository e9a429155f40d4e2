//! Removing a connection: its repositories are removed with it, and the broker deletes its token.

use chrono::{DateTime, Utc};
use sea_orm::DbErr;

use super::record_name;
use crate::repos::{RepoError, ReposContext, store};
use roost_platform::broker::outbox;
use roost_platform::db::WriteTx;
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{RepoConnectionId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

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
    let mut change = Change::begin(state, scope, user).await?;
    let row = store::get(change.tx(), scope, id)
        .await?
        .ok_or(RepoError::NoConnection)?;
    if !store::remove(&change, scope, id).await? {
        return Err(RepoError::NoConnection);
    }
    let token = record_name(&row)?;
    state.credentials.forget(&mut change, &token).await?;
    let details = serde_json::json!({
        "provider": row.provider, "owner": row.owner, "base_url": row.base_url, "label": row.label,
    });
    change.record("repos.disconnected", ("repo_connection", &id), details);
    change.event(Event::changed(
        ResourceKind::RepoConnection,
        id,
        row.version + 1,
    ));
    change.commit().await?;
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
