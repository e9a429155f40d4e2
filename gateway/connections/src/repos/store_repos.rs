//! All SQL of repositories.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Expr, ExprTrait, Func, LikeExpr, NullOrdering, OnConflict},
};
use uuid::Uuid;

use super::entity::repo;
use super::model::MOST_LISTED;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{RepoConnectionId, RepoId};
use roost_tenancy::auth::WorkspaceScope;

/// Repositories that their host lists, latest change first.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    connection: Option<RepoConnectionId>,
    search: Option<&str>,
) -> Result<Vec<repo::Model>, DbErr> {
    let mut query = repo::Entity::find_in(scope).filter(repo::Column::GoneAt.is_null());
    if let Some(connection) = connection {
        query = query.filter(repo::Column::ConnectionId.eq(connection));
    }
    if let Some(search) = search {
        let has = |column: repo::Column| {
            let column = Expr::expr(Func::lower(Expr::col(column)));
            column.like(LikeExpr::new(like(search)).escape('\\'))
        };
        query = query.filter(
            Condition::any()
                .add(has(repo::Column::FullName))
                .add(has(repo::Column::Name))
                .add(has(repo::Column::Description)),
        );
    }
    query
        .order_by_with_nulls(
            repo::Column::ProviderUpdated,
            sea_orm::Order::Desc,
            NullOrdering::Last,
        )
        .order_by_asc(repo::Column::Id)
        .limit(MOST_LISTED)
        .all(db)
        .await
}

/// A pattern that matches exactly this text anywhere.
fn like(search: &str) -> String {
    let mut pattern = String::from("%");
    for char in search.to_lowercase().chars() {
        if matches!(char, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern.push('%');
    pattern
}

/// One repository, even if its host does not list it any more.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: RepoId,
) -> Result<Option<repo::Model>, DbErr> {
    repo::Entity::find_in(scope)
        .filter(repo::Column::Id.eq(id))
        .one(db)
        .await
}

/// Stores the entries of a page. A known repository keeps its id.
pub async fn put(tx: &WriteTx, rows: Vec<repo::Model>) -> Result<(), DbErr> {
    if rows.is_empty() {
        return Ok(());
    }
    repo::Entity::insert_many(rows.into_iter().map(repo::ActiveModel::from))
        .on_conflict(
            OnConflict::columns([repo::Column::ConnectionId, repo::Column::ExternalId])
                .update_columns([
                    repo::Column::Name,
                    repo::Column::FullName,
                    repo::Column::Description,
                    repo::Column::Language,
                    repo::Column::Private,
                    repo::Column::Archived,
                    repo::Column::Fork,
                    repo::Column::DefaultBranch,
                    repo::Column::CloneUrl,
                    repo::Column::HtmlUrl,
                    repo::Column::ProviderUpdated,
                    repo::Column::SeenBy,
                    repo::Column::SeenAt,
                    repo::Column::GoneAt,
                ])
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Records that these repositories still exist, although their entries could not be parsed.
pub async fn still_there(
    tx: &WriteTx,
    connection: RepoConnectionId,
    external_ids: &[String],
    sync: Uuid,
) -> Result<(), DbErr> {
    repo::Entity::update_many()
        .col_expr(repo::Column::SeenBy, Expr::value(sync))
        .filter(repo::Column::ConnectionId.eq(connection))
        .filter(repo::Column::ExternalId.is_in(external_ids))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Marks repositories that a whole list did not contain. Their rows stay, because others may refer to their ids; a
/// repository that comes back keeps its id.
pub async fn mark_gone(
    tx: &WriteTx,
    connection: RepoConnectionId,
    sync: Uuid,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    repo::Entity::update_many()
        .col_expr(repo::Column::GoneAt, Expr::value(now))
        .filter(repo::Column::ConnectionId.eq(connection))
        .filter(repo::Column::SeenBy.ne(sync))
        .filter(repo::Column::GoneAt.is_null())
        .exec(&**tx)
        .await?;
    Ok(())
}
