//! All SQL of connections. A tenant's queries take its scope; the scheduler works for all tenants and reads only due rows.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Expr, ExprTrait},
};
use uuid::Uuid;

use super::entity::{connection, repo};
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::RepoConnectionId;
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// One connection.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: RepoConnectionId,
) -> Result<Option<connection::Model>, DbErr> {
    let found = connection::Entity::find_in(scope).filter(connection::Column::Id.eq(id));
    found.one(db).await
}

/// Connections, oldest first.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    request: PageRequest,
) -> Result<Vec<connection::Model>, DbErr> {
    let mut query = connection::Entity::find_in(scope);
    if let Some(after) = request.after {
        query = query.filter(connection::Column::Id.gt(after));
    }
    query
        .order_by_asc(connection::Column::Id)
        .limit(request.rows())
        .all(db)
        .await
}

/// All connections of a workspace.
pub async fn all(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<Vec<connection::Model>, DbErr> {
    connection::Entity::find_in(scope).all(db).await
}

/// The number of connections.
pub async fn count(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<u64, DbErr> {
    connection::Entity::find_in(scope).count(db).await
}

/// The number of repositories of each of these connections.
pub async fn repos_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    connections: &[RepoConnectionId],
) -> Result<HashMap<RepoConnectionId, u64>, DbErr> {
    let rows: Vec<(RepoConnectionId, i64)> = repo::Entity::find_in(scope)
        .select_only()
        .column(repo::Column::ConnectionId)
        .column_as(repo::Column::Id.count(), "repos")
        .filter(repo::Column::ConnectionId.is_in(connections.iter().copied()))
        .filter(repo::Column::GoneAt.is_null())
        .group_by(repo::Column::ConnectionId)
        .into_tuple()
        .all(db)
        .await?;
    let counts = rows.into_iter();
    Ok(counts
        .map(|(id, count)| (id, u64::try_from(count).unwrap_or(0)))
        .collect())
}

/// Inserts a connection.
pub async fn insert(db: &impl ConnectionTrait, row: connection::Model) -> Result<(), DbErr> {
    connection::Entity::insert(connection::ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Requests a sync. `None` when the connection does not exist.
pub async fn want_sync(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: RepoConnectionId,
) -> Result<Option<connection::Model>, DbErr> {
    let done = connection::Entity::update_in(scope)
        .col_expr(connection::Column::SyncWanted, Expr::value(true))
        .col_expr(connection::Column::Version, next_version())
        .filter(connection::Column::Id.eq(id))
        .exec_with_returning(&**tx)
        .await?;
    Ok(done.into_iter().next())
}

/// Removes the connection and its repositories; `false` when it is already gone.
pub async fn remove(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: RepoConnectionId,
) -> Result<bool, DbErr> {
    let done = connection::Entity::delete_in(scope)
        .filter(connection::Column::Id.eq(id))
        .exec(&**tx)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Connections of any workspace whose wanted sync has no holder, longest wait first.
pub async fn due(
    db: &impl ConnectionTrait,
    now: DateTime<Utc>,
    most: u64,
) -> Result<Vec<connection::Model>, DbErr> {
    connection::Entity::find()
        .filter(connection::Column::SyncWanted.eq(true))
        .filter(nobody_holds(now))
        .order_by_asc(connection::Column::LastSyncedAt)
        .order_by_asc(connection::Column::Id)
        .limit(most)
        .all(db)
        .await
}

/// Takes the sync of a connection for `holder`; `None` when another holder has it.
pub async fn claim(
    tx: &WriteTx,
    id: RepoConnectionId,
    holder: Uuid,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Option<connection::Model>, DbErr> {
    let done = connection::Entity::update_many()
        .col_expr(connection::Column::SyncHolder, Expr::value(holder))
        .col_expr(connection::Column::SyncUntil, Expr::value(until))
        .col_expr(connection::Column::Version, next_version())
        .filter(connection::Column::Id.eq(id))
        .filter(connection::Column::SyncWanted.eq(true))
        .filter(nobody_holds(now))
        .exec_with_returning(&**tx)
        .await?;
    Ok(done.into_iter().next())
}

/// Renews the hold. `false` when another holder has the sync or the connection is gone: then the caller must not write
/// any more. The row stays locked for the rest of the transaction.
pub async fn keep(
    tx: &WriteTx,
    id: RepoConnectionId,
    holder: Uuid,
    until: DateTime<Utc>,
) -> Result<bool, DbErr> {
    let done = connection::Entity::update_many()
        .col_expr(connection::Column::SyncUntil, Expr::value(until))
        .filter(connection::Column::Id.eq(id))
        .filter(connection::Column::SyncHolder.eq(holder))
        .exec(&**tx)
        .await?;
    Ok(done.rows_affected == 1)
}

/// The result of a sync.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// When the whole list was read.
    pub synced_at: Option<DateTime<Utc>>,
    pub error: Option<String>,
    pub skipped: i64,
    pub cut: bool,
}

/// Ends the sync. `None` in the cases in which [`keep`] returns `false`.
pub async fn end(
    tx: &WriteTx,
    id: RepoConnectionId,
    holder: Uuid,
    end: End,
) -> Result<Option<connection::Model>, DbErr> {
    let mut update = connection::Entity::update_many();
    if let Some(at) = end.synced_at {
        update = update
            .col_expr(connection::Column::LastSyncedAt, Expr::value(at))
            .col_expr(
                connection::Column::LastSyncSkipped,
                Expr::value(end.skipped),
            )
            .col_expr(connection::Column::LastSyncCut, Expr::value(end.cut));
    }
    let done = update
        .col_expr(connection::Column::LastSyncError, Expr::value(end.error))
        .col_expr(connection::Column::SyncWanted, Expr::value(false))
        .col_expr(connection::Column::SyncHolder, Expr::value(None::<Uuid>))
        .col_expr(
            connection::Column::SyncUntil,
            Expr::value(None::<DateTime<Utc>>),
        )
        .col_expr(connection::Column::Version, next_version())
        .filter(connection::Column::Id.eq(id))
        .filter(connection::Column::SyncHolder.eq(holder))
        .exec_with_returning(&**tx)
        .await?;
    Ok(done.into_iter().next())
}

fn nobody_holds(now: DateTime<Utc>) -> sea_orm::Condition {
    sea_orm::Condition::any()
        .add(connection::Column::SyncHolder.is_null())
        .add(connection::Column::SyncUntil.lt(now))
}

fn next_version() -> sea_orm::sea_query::SimpleExpr {
    Expr::col(connection::Column::Version).add(1)
}
