//! Reading the branches of a repository from its host, for people who choose one.

use std::time::Duration;

use roost_secret_broker::wire::{Branches, GitBranches};

use crate::repos::{RepoError, ReposContext, upstream};
use roost_platform::ids::{RepoId, UserId};
use roost_tenancy::auth::WorkspaceScope;

/// How long the host may take. A person waits.
const PATIENCE: Duration = Duration::from_secs(15);
/// The most names of an answer.
const MOST: u32 = 200;

/// Reads the branches whose name contains a text, as the host has them now.
///
/// # Errors
/// [`RepoError::NoRepo`], [`RepoError::NoBranches`] with the reason.
pub async fn list_branches(
    state: &ReposContext,
    scope: WorkspaceScope,
    user: UserId,
    id: RepoId,
    containing: &str,
) -> Result<Branches, RepoError> {
    let upstream = upstream(state.db.read(), scope, id)
        .await?
        .ok_or(RepoError::NoRepo)?;
    let Some(url) = upstream.url.clone() else {
        return Err(RepoError::NoBranches(upstream.unlisted(None)));
    };
    let asked = GitBranches {
        name: upstream.name.clone(),
        url,
        user: upstream.user.clone(),
        containing: containing.to_owned(),
        most: MOST,
        deadline_ms: u64::try_from(PATIENCE.as_millis()).ok(),
        on_behalf: format!("user {user}"),
    };
    state.broker.git_branches(asked).await.map_err(|error| {
        if error.fault().is_none() {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the secret broker did not list branches"
            );
        }
        RepoError::NoBranches(upstream.unlisted(error.fault()))
    })
}
