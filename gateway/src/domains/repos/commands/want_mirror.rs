//! Asking for a mirror, or for the newest of one. While a fetch is wanted or under way, asking again changes nothing.

use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::repos::entity::{mirror, repo};
use crate::domains::repos::routes::ReposState;
use crate::domains::repos::{RepoError, model, store_mirrors, store_repos};
use crate::domains::workspaces;
use crate::events::{self, Event, ResourceKind};
use crate::ids::{RepoId, UserId};

/// Wants it; it begins at once on whichever gateway is first.
///
/// # Errors
/// [`RepoError::NoRepo`], [`RepoError::TooManyMirrors`].
pub async fn want_mirror(
    state: &ReposState,
    scope: WorkspaceScope,
    user: UserId,
    id: RepoId,
) -> Result<(repo::Model, mirror::Model), RepoError> {
    let now = state.clock.now();
    let mut tx = state.db.write().await?;
    // One after the other, so that two at the limit cannot both come in.
    if !workspaces::store::hold(&tx, scope).await? {
        return Err(RepoError::NoRepo);
    }
    let repo = store_repos::get(&*tx, scope, id)
        .await?
        .ok_or(RepoError::NoRepo)?;
    let present = store_mirrors::get(&*tx, scope, id).await?;
    match present {
        Some(mirror) if mirror.wanted => return Ok((repo, mirror)),
        Some(_) => {}
        None => {
            let most = model::MOST_MIRRORS;
            if store_mirrors::count(&*tx, scope).await? >= most {
                return Err(RepoError::TooManyMirrors { most });
            }
        }
    }
    let mirror = store_mirrors::want(&tx, scope, id)
        .await?
        .ok_or(RepoError::NoRepo)?;
    audit::record(
        &tx,
        &state.ids,
        now,
        scope,
        user,
        "repos.mirror_requested",
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
