//! All SQL of checkouts.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use super::entity::{bound, checkout, commits, supply};
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{RunId, SandboxId, UploadId};
use roost_tenancy::auth::WorkspaceScope;

/// Most rows of commits that are read: a run has at most as many steps.
const MOST: u64 = 1_000;

/// The repository of a run.
pub async fn bound(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: RunId,
) -> Result<Option<bound::Model>, DbErr> {
    bound::Entity::find_by_id_in(scope, run).one(db).await
}

/// Whether a run works on a repository.
///
/// # Errors
/// When the database fails.
pub async fn is_bound(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: RunId,
) -> Result<bool, DbErr> {
    Ok(bound(db, scope, run).await?.is_some())
}

/// The runs that work on an upload.
///
/// # Errors
/// When the database fails.
pub async fn runs_of_upload(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    upload: UploadId,
) -> Result<Vec<RunId>, DbErr> {
    let bound = bound::Entity::find_in(scope)
        .filter(bound::Column::UploadId.eq(upload))
        .all(db)
        .await?;
    Ok(bound.into_iter().map(|bound| bound.run_id).collect())
}

/// Binds a run to a repository.
pub async fn insert(tx: &WriteTx, row: bound::Model) -> Result<(), DbErr> {
    bound::Entity::insert(bound::ActiveModel::from(row))
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Records that something of the run's repository changed. A base is kept when it is the first. Returns the new row.
pub async fn touch(
    tx: &WriteTx,
    scope: WorkspaceScope,
    run: RunId,
    base: Option<&str>,
) -> Result<Option<bound::Model>, DbErr> {
    let mut update = bound::Entity::update_in(scope)
        .col_expr(
            bound::Column::Version,
            Expr::col(bound::Column::Version).add(1),
        )
        .filter(bound::Column::RunId.eq(run));
    if let Some(base) = base {
        let first = Expr::col(bound::Column::BaseCommit).if_null(base);
        update = update.col_expr(bound::Column::BaseCommit, first);
    }
    let done = update.exec_with_returning(&**tx).await?;
    Ok(done.into_iter().next())
}

/// The checkout of a run in a sandbox.
pub async fn checkout(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: RunId,
    sandbox: SandboxId,
) -> Result<Option<checkout::Model>, DbErr> {
    checkout::Entity::find_by_id_in(scope, (run, sandbox))
        .one(db)
        .await
}

/// Inserts a checkout; another job of the run may have done so.
pub async fn put_checkout(tx: &WriteTx, row: checkout::Model) -> Result<(), DbErr> {
    checkout::Entity::insert(checkout::ActiveModel::from(row))
        .on_conflict(
            OnConflict::columns([checkout::Column::RunId, checkout::Column::SandboxId])
                .update_columns([
                    checkout::Column::Branch,
                    checkout::Column::Path,
                    checkout::Column::CommitId,
                    checkout::Column::MadeAt,
                    checkout::Column::SupplyAgain,
                ])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// What the lock files of the run brought, by path.
pub async fn supplies(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: RunId,
) -> Result<Vec<supply::Model>, DbErr> {
    supply::Entity::find_in(scope)
        .filter(supply::Column::RunId.eq(run))
        .order_by_asc(supply::Column::Path)
        .limit(MOST)
        .all(db)
        .await
}

/// Stores how far a lock file is.
pub async fn put_supply(tx: &WriteTx, row: supply::Model) -> Result<(), DbErr> {
    use supply::Column;
    supply::Entity::insert(supply::ActiveModel::from(row))
        .on_conflict(
            OnConflict::columns([Column::RunId, Column::Path])
                .update_columns([
                    Column::State,
                    Column::Wanted,
                    Column::Fetched,
                    Column::Stored,
                    Column::Bytes,
                    Column::LeftOut,
                    Column::LeftOutCount,
                    Column::Why,
                    Column::At,
                ])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Stores what persons approved for a lock file of the run. The rest of a row that is there stays.
pub async fn put_added(tx: &WriteTx, row: supply::Model) -> Result<(), DbErr> {
    use supply::Column;
    supply::Entity::insert(supply::ActiveModel::from(row))
        .on_conflict(
            OnConflict::columns([Column::RunId, Column::Path])
                .update_columns([Column::Added, Column::At])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// What came out of the run's sandboxes, newest first.
pub async fn commits(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: RunId,
) -> Result<Vec<commits::Model>, DbErr> {
    commits::Entity::find_in(scope)
        .filter(commits::Column::RunId.eq(run))
        .order_by_desc(commits::Column::At)
        .order_by_desc(commits::Column::Commits)
        .limit(MOST)
        .all(db)
        .await
}

/// Stores what came out after a step. A repeated step replaces its row.
pub async fn put_commits(tx: &WriteTx, row: commits::Model) -> Result<(), DbErr> {
    use commits::Column;
    commits::Entity::insert(commits::ActiveModel::from(row))
        .on_conflict(
            OnConflict::columns([Column::RunId, Column::StepRunId, Column::Step])
                .update_columns([
                    Column::OwnerKind,
                    Column::OwnerId,
                    Column::Branch,
                    Column::Head,
                    Column::Commits,
                    Column::Files,
                    Column::Shown,
                    Column::Uncommitted,
                    Column::Refused,
                    Column::At,
                    Column::PushedAt,
                    Column::PullUrl,
                ])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Records that a head was pushed.
pub async fn pushed(
    tx: &WriteTx,
    scope: WorkspaceScope,
    run: RunId,
    (branch, head): (&str, &str),
    at: DateTime<Utc>,
) -> Result<(), DbErr> {
    commits::Entity::update_in(scope)
        .col_expr(commits::Column::PushedAt, Expr::value(at))
        .filter(commits::Column::RunId.eq(run))
        .filter(commits::Column::Branch.eq(branch))
        .filter(commits::Column::Head.eq(head))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Records the pull request of a branch.
pub async fn pulled(
    tx: &WriteTx,
    scope: WorkspaceScope,
    run: RunId,
    branch: &str,
    url: &str,
) -> Result<(), DbErr> {
    commits::Entity::update_in(scope)
        .col_expr(commits::Column::PullUrl, Expr::value(url))
        .filter(commits::Column::RunId.eq(run))
        .filter(commits::Column::Branch.eq(branch))
        .exec(&**tx)
        .await?;
    Ok(())
}
