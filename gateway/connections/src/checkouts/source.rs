//! Where the broker has the files of a run: in the mirror of a repository, or in an upload.

use roost_secret_broker::wire::RecordName;
use sea_orm::ConnectionTrait;

use super::CheckoutError;
use super::entity::bound;
use crate::repos::{self, MirrorStanding, Upstream};
use crate::uploads;
use roost_tenancy::auth::WorkspaceScope;

/// What the broker's git works on for a run.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub name: RecordName,
    pub mirror: String,
    pub state: MirrorStanding,
    pub default_branch: Option<String>,
}

/// The source of a run.
///
/// # Errors
/// [`CheckoutError::Disconnected`], [`CheckoutError::UploadGone`].
pub(super) async fn of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    bound: &bound::Model,
) -> Result<Source, CheckoutError> {
    let Some(upload) = bound.upload_id else {
        let upstream = repos::upstream(db, scope, bound.repo_id).await?;
        let upstream =
            upstream.ok_or_else(|| CheckoutError::Disconnected(bound.full_name.clone()))?;
        return Ok(Source {
            name: upstream.name,
            mirror: upstream.mirror,
            state: upstream.state,
            default_branch: upstream.default_branch,
        });
    };
    let row = uploads::find(db, scope, upload).await?;
    let row = row.ok_or_else(|| CheckoutError::UploadGone(bound.full_name.clone()))?;
    let (name, mirror, branch) = uploads::source(&row)?;
    Ok(Source {
        name,
        mirror: mirror.to_owned(),
        state: MirrorStanding::Ready,
        default_branch: Some(branch.to_owned()),
    })
}

/// The repository on its code host, for a push or a pull request.
///
/// # Errors
/// [`CheckoutError::NoHost`] for an upload, [`CheckoutError::Disconnected`].
pub(super) async fn host(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    bound: &bound::Model,
) -> Result<Upstream, CheckoutError> {
    if bound.upload_id.is_some() {
        return Err(CheckoutError::NoHost);
    }
    let upstream = repos::upstream(db, scope, bound.repo_id).await?;
    upstream.ok_or_else(|| CheckoutError::Disconnected(bound.full_name.clone()))
}
