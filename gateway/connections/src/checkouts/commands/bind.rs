//! Binds a new run to a repository.

use sea_orm::DbErr;

use crate::checkouts::dto::RunRepo;
use crate::checkouts::entity::bound;
use crate::checkouts::{CheckoutError, CheckoutsContext, model, store};
use crate::repos;
use crate::uploads;
use roost_platform::ids::{RepoId, RunId, UploadId};
use roost_tenancy::change::Change;

/// A repository that a run can be bound to.
#[derive(Debug)]
pub struct Prepared {
    repo: RepoId,
    upload: Option<UploadId>,
    full_name: String,
    base: Option<String>,
}

/// Checks the repository and requests its present state from its host. Call it before the change locks a team or an
/// agent: it locks the workspace.
///
/// # Errors
/// [`CheckoutError::NoRepo`], [`CheckoutError::NoUpload`], [`CheckoutError::RepoGone`], and when the workspace has too many mirrors.
pub async fn prepare(
    state: &CheckoutsContext,
    change: &mut Change,
    asked: Option<RunRepo>,
) -> Result<Option<Prepared>, CheckoutError> {
    let Some(asked) = asked else {
        return Ok(None);
    };
    if let Some(upload) = asked.upload_id {
        let row = uploads::find(change.tx(), change.scope(), upload).await?;
        let row = row.ok_or(CheckoutError::NoUpload)?;
        return Ok(Some(Prepared {
            repo: RepoId(upload.0),
            upload: Some(upload),
            full_name: row.name,
            base: None,
        }));
    }
    let id = asked.repo_id.ok_or(CheckoutError::NoRepo)?;
    let repo = repos::upstream(change.tx(), change.scope(), id)
        .await?
        .ok_or(CheckoutError::NoRepo)?;
    if repo.is_gone {
        return Err(CheckoutError::RepoGone(repo.full_name));
    }
    repos::want_mirror_in(change, &state.mirrors, id).await?;
    Ok(Some(Prepared {
        repo: id,
        upload: None,
        full_name: repo.full_name,
        base: asked.base,
    }))
}

/// Binds a run of the same change.
///
/// # Errors
/// When the database fails.
pub async fn bind(
    change: &mut Change,
    run: RunId,
    prepared: Option<Prepared>,
) -> Result<(), DbErr> {
    bind_after(change, run, prepared, None).await
}

/// As [`bind`]. The run begins at the newest commit that the broker received from the run `earlier`, and compares with the
/// same base. An earlier run of another repository changes nothing.
///
/// # Errors
/// When the database fails.
pub async fn bind_after(
    change: &mut Change,
    run: RunId,
    prepared: Option<Prepared>,
    earlier: Option<RunId>,
) -> Result<(), DbErr> {
    let Some(prepared) = prepared else {
        return Ok(());
    };
    let (scope, mut base_commit, mut start_commit) = (change.scope(), None, None);
    if let Some(earlier) = earlier
        && let Some(before) = store::bound(change.tx(), scope, earlier).await?
        && before.repo_id == prepared.repo
        && before.base_commit.is_some()
    {
        let received = store::commits(change.tx(), scope, earlier).await?;
        let newest = model::heads(&received)
            .first()
            .and_then(|row| row.head.clone());
        (base_commit, start_commit) = (before.base_commit, newest.or(before.start_commit));
    }
    let row = bound::Model {
        run_id: run,
        workspace_id: scope.workspace(),
        repo_id: prepared.repo,
        upload_id: prepared.upload,
        full_name: prepared.full_name,
        base_ref: prepared.base,
        base_commit,
        start_commit,
        branch: model::prefix(run),
        created_at: change.now(),
        version: 1,
    };
    store::insert(change, row).await
}

/// Binds a fork to the repository of its original. It begins at the commits of the steps that it keeps.
///
/// # Errors
/// When the database fails.
pub async fn fork(
    change: &mut Change,
    (of, root): (RunId, RunId),
    run: RunId,
    kept: &[String],
) -> Result<(), DbErr> {
    let scope = change.scope();
    let Some(original) = store::bound(change.tx(), scope, root).await? else {
        return Ok(());
    };
    let received = store::commits(change.tx(), scope, root).await?;
    let start = model::start_of_fork(&received, of, kept);
    let row = bound::Model {
        run_id: run,
        branch: model::prefix(run),
        start_commit: start.or(original.start_commit),
        created_at: change.now(),
        version: 1,
        ..original
    };
    store::insert(change, row).await
}
