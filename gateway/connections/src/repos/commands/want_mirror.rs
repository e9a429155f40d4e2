//! Requesting a mirror, or an update of one. While a fetch is wanted or under way, another request changes nothing.

use crate::repos::entity::{mirror, repo};
use crate::repos::{RepoError, ReposContext, model, store_mirrors, store_repos};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{RepoId, UserId};
use roost_platform::supervision::Nudge;
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;
use roost_tenancy::workspaces;

/// Requests a fetch. The first free gateway begins it at once.
///
/// # Errors
/// [`RepoError::NoRepo`], [`RepoError::TooManyMirrors`].
pub async fn want_mirror(
    state: &ReposContext,
    scope: WorkspaceScope,
    user: UserId,
    id: RepoId,
) -> Result<(repo::Model, mirror::Model), RepoError> {
    let mut change = Change::begin(state, scope, user).await?;
    let (repo, mirror, is_new) = want(&mut change, id).await?;
    if is_new {
        change.wake(&state.mirrors);
        change.commit().await?;
    }
    Ok((repo, mirror))
}

/// As [`want_mirror`], in the caller's change.
///
/// # Errors
/// As [`want_mirror`].
pub async fn want_mirror_in(
    change: &mut Change,
    mirrors: &Nudge,
    id: RepoId,
) -> Result<(), RepoError> {
    want(change, id).await?;
    change.wake(mirrors);
    Ok(())
}

/// The mirror, and whether this request changed it.
async fn want(
    change: &mut Change,
    id: RepoId,
) -> Result<(repo::Model, mirror::Model, bool), RepoError> {
    let scope = change.scope();
    // One after the other, so that two requests at the limit cannot both succeed.
    if !workspaces::lock(change, scope).await? {
        return Err(RepoError::NoRepo);
    }
    let repo = store_repos::get(change.tx(), scope, id)
        .await?
        .ok_or(RepoError::NoRepo)?;
    let present = store_mirrors::get(change.tx(), scope, id).await?;
    match present {
        Some(mirror) if mirror.wanted => return Ok((repo, mirror, false)),
        Some(_) => {}
        None => {
            let most = model::MOST_MIRRORS;
            if store_mirrors::count(change.tx(), scope).await? >= most {
                return Err(RepoError::TooManyMirrors { most });
            }
        }
    }
    let mirror = store_mirrors::want(change, scope, id)
        .await?
        .ok_or(RepoError::NoRepo)?;
    let details = serde_json::json!({ "full_name": repo.full_name });
    change.record("repos.mirror_requested", ("repo", &id), details);
    change.event(Event::changed(ResourceKind::Repo, id, mirror.version));
    Ok((repo, mirror, true))
}
