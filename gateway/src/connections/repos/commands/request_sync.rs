//! Requesting a sync. While one is wanted or under way, another request changes nothing.

use crate::connections::repos::entity::connection;
use crate::connections::repos::{RepoError, ReposContext, store};
use crate::platform::events::{Event, ResourceKind};
use crate::platform::ids::{RepoConnectionId, UserId};
use crate::tenancy::auth::WorkspaceScope;
use crate::tenancy::change::Change;

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
