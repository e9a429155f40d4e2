//! Dropping a mirror: the row records it until the broker has deleted the mirror.

use crate::connections::repos::entity::{mirror, repo};
use crate::connections::repos::{RepoError, ReposContext, store_mirrors, store_repos};
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{RepoId, UserId};
use crate::tenancy::audit;
use crate::tenancy::auth::WorkspaceScope;

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
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    let repo = store_repos::get(&*tx, scope, id)
        .await?
        .ok_or(RepoError::NoRepo)?;
    let mirror = store_mirrors::let_go(&tx, scope, id)
        .await?
        .ok_or(RepoError::NoMirror)?;
    audit::record(
        &tx,
        &state.ids,
        now,
        scope,
        user,
        "repos.mirror_dropped",
        ("repo", &id),
        serde_json::json!({ "full_name": repo.full_name }),
    )
    .await?;
    let fact = Event::changed(ResourceKind::Repo, id, mirror.version);
    events::append(&mut tx, scope.workspace(), now, [fact]).await?;
    tx.commit().await?;
    state.mirrors.nudge();
    Ok((repo, mirror))
}
