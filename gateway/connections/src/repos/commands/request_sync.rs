//! Requesting a sync. While one is wanted or under way, another request changes nothing.

use crate::repos::entity::connection;
use crate::repos::{RepoError, ReposContext, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{RepoConnectionId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

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
    let mut change = Change::begin(state, scope, user).await?;
    let Some(row) = store::want_sync(&change, scope, id).await? else {
        drop(change);
        let present = store::get(state.db.read(), scope, id).await?;
        return present.ok_or(RepoError::NoConnection);
    };
    let details = serde_json::json!({ "label": row.label });
    change.record("repos.sync_requested", ("repo_connection", &id), details);
    change.event(Event::changed(
        ResourceKind::RepoConnection,
        id,
        row.version,
    ));
    change.wake(&state.syncs);
    change.commit().await?;
    Ok(row)
}
