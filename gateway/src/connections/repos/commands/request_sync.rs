//! Requesting a sync. While one is wanted or under way, another request changes nothing.

use crate::connections::repos::entity::connection;
use crate::connections::repos::{RepoError, ReposContext, store};
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{RepoConnectionId, UserId};
use crate::tenancy::audit;
use crate::tenancy::auth::WorkspaceScope;

/// Requests a sync. The first free gateway begins it at once.
///
/// # Errors
/// [`RepoError::NoConnection`].
pub async fn request_sync(
    state: &ReposContext,
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
