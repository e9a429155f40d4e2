//! Asking for a sync. While one is wanted or under way, asking again changes nothing.

use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::repos::entity::connection;
use crate::domains::repos::routes::ReposState;
use crate::domains::repos::{RepoError, store};
use crate::events::{self, Event, ResourceKind};
use crate::ids::{RepoConnectionId, UserId};

/// Wants it; it begins at once on whichever gateway is first.
///
/// # Errors
/// [`RepoError::NoConnection`].
pub async fn request_sync(
    state: &ReposState,
    scope: WorkspaceScope,
    user: UserId,
    id: RepoConnectionId,
) -> Result<connection::Model, RepoError> {
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let Some(row) = store::want_sync(&tx, scope, id).await? else {
        drop(tx);
        let present = store::get(state.db.read(), scope, id).await?;
        return present.ok_or(RepoError::NoConnection);
    };
    audit::record(
        &tx,
        &state.ids,
        now,
        scope,
        user,
        "repos.sync_requested",
        ("repo_connection", &id),
        serde_json::json!({ "label": row.label }),
    )
    .await?;
    let fact = Event::changed(ResourceKind::RepoConnection, id, row.version);
    events::append(&mut tx, scope.workspace(), now, [fact]).await?;
    tx.commit().await?;
    state.syncs.nudge();
    Ok(row)
}
