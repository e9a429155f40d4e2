//! Dropping a mirror: the row records it until the broker has deleted the mirror.

use crate::repos::entity::{mirror, repo};
use crate::repos::{RepoError, ReposContext, store_mirrors, store_repos};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{RepoId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Drops the mirror; a fetch under way ends.
///
/// # Errors
/// [`RepoError::NoRepo`], [`RepoError::NoMirror`].
pub async fn drop_mirror(
    state: &ReposContext,
    scope: WorkspaceScope,
    user: UserId,
    id: RepoId,
) -> Result<(repo::Model, mirror::Model), RepoError> {
    let mut change = Change::begin(state, scope, user).await?;
    let repo = store_repos::get(change.tx(), scope, id)
        .await?
        .ok_or(RepoError::NoRepo)?;
    let mirror = store_mirrors::let_go(&change, scope, id)
        .await?
        .ok_or(RepoError::NoMirror)?;
    let details = serde_json::json!({ "full_name": repo.full_name });
    change.record("repos.mirror_dropped", ("repo", &id), details);
    change.event(Event::changed(ResourceKind::Repo, id, mirror.version));
    change.wake(&state.mirrors);
    change.commit().await?;
    Ok((repo, mirror))
}
