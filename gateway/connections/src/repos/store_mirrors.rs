//! All SQL of mirrors. A tenant's queries take its scope; the scheduler works for all tenants and reads only due rows.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::{Fetching, Mirror};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, UpdateMany,
    sea_query::{Expr, ExprTrait, OnConflict, SimpleExpr},
};
use uuid::Uuid;

use super::entity::{connection, mirror, repo};
use super::model::MirrorPhase;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::RepoId;
use roost_tenancy::auth::WorkspaceScope;

/// The mirror of a repository.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: RepoId,
) -> Result<Option<mirror::Model>, DbErr> {
    let mut found = of(db, scope, &[id]).await?;
    Ok(found.remove(&id))
}

/// The mirrors of these repositories.
pub async fn of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    repos: &[RepoId],
) -> Result<HashMap<RepoId, mirror::Model>, DbErr> {
    let rows = mirror::Entity::find_in(scope)
        .filter(mirror::Column::RepoId.is_in(repos.iter().copied()))
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|row| (row.repo_id, row)).collect())
}

/// The number of mirrors of a workspace.
pub async fn count(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<u64, DbErr> {
    mirror::Entity::find_in(scope).count(db).await
}

/// Requests a fetch; a dropped mirror is kept after all.
pub async fn want(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: RepoId,
) -> Result<Option<mirror::Model>, DbErr> {
    let row = mirror::Model {
        repo_id: id,
        workspace_id: scope.workspace(),
        wanted: true,
        dropped: false,
        holder: None,
        until: None,
        phase: None,
        percent: 0,
        received: 0,
        fetched_at: None,
        error: None,
        bytes: 0,
        branches: 0,
        tags: 0,
        head_branch: None,
        head_commit: None,
        version: 1,
    };
    let conflict = OnConflict::column(mirror::Column::RepoId)
        .values([
            (mirror::Column::Wanted, Expr::value(true)),
            (mirror::Column::Dropped, Expr::value(false)),
            (
                mirror::Column::Version,
                Expr::col((mirror::Entity, mirror::Column::Version)).add(1),
            ),
        ])
        .to_owned();
    mirror::Entity::insert(mirror::ActiveModel::from(row))
        .on_conflict(conflict)
        .exec_without_returning(&**tx)
        .await?;
    get(&**tx, scope, id).await
}

/// Drops the mirror: the holder of a fetch notices it. `None` when the mirror does not exist.
pub async fn let_go(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: RepoId,
) -> Result<Option<mirror::Model>, DbErr> {
    let done = mirror::Entity::update_in(scope)
        .col_expr(mirror::Column::Wanted, Expr::value(false))
        .col_expr(mirror::Column::Dropped, Expr::value(true))
        .col_expr(mirror::Column::Version, next_version())
        .filter(mirror::Column::RepoId.eq(id));
    let done = released(done).exec_with_returning(&**tx).await?;
    Ok(done.into_iter().next())
}

/// Mirrors of any workspace that have work and no holder.
pub async fn due(
    db: &impl ConnectionTrait,
    now: DateTime<Utc>,
    most: u64,
) -> Result<Vec<mirror::Model>, DbErr> {
    mirror::Entity::find()
        .filter(to_do())
        .filter(nobody_holds(now))
        .order_by_asc(mirror::Column::FetchedAt)
        .order_by_asc(mirror::Column::RepoId)
        .limit(most)
        .all(db)
        .await
}

/// The repository of a mirror, and its connection.
pub async fn source(
    db: &impl ConnectionTrait,
    id: RepoId,
) -> Result<Option<(repo::Model, connection::Model)>, DbErr> {
    let Some(repo) = repo::Entity::find_by_id(id).one(db).await? else {
        return Ok(None);
    };
    let connection = connection::Entity::find_by_id(repo.connection_id)
        .one(db)
        .await?;
    Ok(connection.map(|connection| (repo, connection)))
}

/// Takes a mirror for `holder`; `None` when another holder has it.
pub async fn claim(
    tx: &WriteTx,
    id: RepoId,
    holder: Uuid,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Option<mirror::Model>, DbErr> {
    let done = mirror::Entity::update_many()
        .col_expr(mirror::Column::Holder, Expr::value(holder))
        .col_expr(mirror::Column::Until, Expr::value(until))
        .col_expr(mirror::Column::Version, next_version())
        .filter(mirror::Column::RepoId.eq(id))
        .filter(to_do())
        .filter(nobody_holds(now))
        .exec_with_returning(&**tx)
        .await?;
    Ok(done.into_iter().next())
}

/// Renews the hold and stores progress. `None` when another holder has it or it is not wanted any more.
pub async fn record_progress(
    tx: &WriteTx,
    id: RepoId,
    holder: Uuid,
    until: DateTime<Utc>,
    now: Fetching,
) -> Result<Option<mirror::Model>, DbErr> {
    let phase = MirrorPhase::from(now.phase).as_str();
    let done = mirror::Entity::update_many()
        .col_expr(mirror::Column::Until, Expr::value(until))
        .col_expr(mirror::Column::Phase, Expr::value(phase))
        .col_expr(mirror::Column::Percent, Expr::value(i32::from(now.percent)))
        .col_expr(mirror::Column::Received, Expr::value(whole(now.bytes)))
        .col_expr(mirror::Column::Version, next_version())
        .filter(mirror::Column::RepoId.eq(id))
        .filter(mirror::Column::Holder.eq(holder))
        .exec_with_returning(&**tx)
        .await?;
    Ok(done.into_iter().next())
}

/// Ends a fetch. `None` in the same cases as [`record_progress`].
pub async fn end(
    tx: &WriteTx,
    id: RepoId,
    holder: Uuid,
    ended: Result<(Mirror, DateTime<Utc>), String>,
) -> Result<Option<mirror::Model>, DbErr> {
    let mut update = mirror::Entity::update_many();
    let error = match ended {
        Ok((mirror, at)) => {
            let (branch, commit) = mirror.head.map(|head| (head.branch, head.commit)).unzip();
            update = update
                .col_expr(mirror::Column::FetchedAt, Expr::value(at))
                .col_expr(mirror::Column::Bytes, Expr::value(whole(mirror.bytes)))
                .col_expr(
                    mirror::Column::Branches,
                    Expr::value(whole(mirror.branches)),
                )
                .col_expr(mirror::Column::Tags, Expr::value(whole(mirror.tags)))
                .col_expr(mirror::Column::HeadBranch, Expr::value(branch))
                .col_expr(mirror::Column::HeadCommit, Expr::value(commit));
            None
        }
        Err(error) => Some(error),
    };
    let done = update
        .col_expr(mirror::Column::Error, Expr::value(error))
        .col_expr(mirror::Column::Wanted, Expr::value(false))
        .col_expr(mirror::Column::Version, next_version())
        .filter(mirror::Column::RepoId.eq(id))
        .filter(mirror::Column::Holder.eq(holder));
    let done = released(done).exec_with_returning(&**tx).await?;
    Ok(done.into_iter().next())
}

/// Deletes the row of a mirror that the broker has deleted; `false` when the mirror is wanted again.
pub async fn remove(tx: &WriteTx, id: RepoId, holder: Uuid) -> Result<bool, DbErr> {
    let gone = mirror::Entity::delete_many()
        .filter(mirror::Column::RepoId.eq(id))
        .filter(mirror::Column::Holder.eq(holder))
        .filter(mirror::Column::Dropped.eq(true))
        .exec(&**tx)
        .await?;
    Ok(gone.rows_affected == 1)
}

/// Releases the hold; nothing was done.
pub async fn release(tx: &WriteTx, id: RepoId, holder: Uuid) -> Result<(), DbErr> {
    let ours = mirror::Entity::update_many()
        .filter(mirror::Column::RepoId.eq(id))
        .filter(mirror::Column::Holder.eq(holder));
    released(ours).exec(&**tx).await?;
    Ok(())
}

fn released(update: UpdateMany<mirror::Entity>) -> UpdateMany<mirror::Entity> {
    update
        .col_expr(mirror::Column::Holder, Expr::value(None::<Uuid>))
        .col_expr(mirror::Column::Until, Expr::value(None::<DateTime<Utc>>))
        .col_expr(mirror::Column::Phase, Expr::value(None::<String>))
        .col_expr(mirror::Column::Percent, Expr::value(0))
        .col_expr(mirror::Column::Received, Expr::value(0_i64))
}

fn to_do() -> Condition {
    Condition::any()
        .add(mirror::Column::Wanted.eq(true))
        .add(mirror::Column::Dropped.eq(true))
}

fn nobody_holds(now: DateTime<Utc>) -> Condition {
    Condition::any()
        .add(mirror::Column::Holder.is_null())
        .add(mirror::Column::Until.lt(now))
}

fn next_version() -> SimpleExpr {
    Expr::col(mirror::Column::Version).add(1)
}

fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
