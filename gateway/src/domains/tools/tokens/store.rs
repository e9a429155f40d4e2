//! All SQL of agents' tokens.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select, sea_query::Expr,
};

use super::entity::{ActiveModel, Column, Entity, Model};
use crate::domains::auth::WorkspaceScope;
use crate::http::pagination::PageRequest;
use crate::ids::{AgentTokenId, ClawId};

fn good(now: DateTime<Utc>) -> Select<Entity> {
    Entity::find()
        .filter(Column::RevokedAt.is_null())
        .filter(Column::ExpiresAt.gt(now))
}

fn of(scope: WorkspaceScope, agent: ClawId, now: DateTime<Utc>) -> Select<Entity> {
    good(now)
        .filter(Column::WorkspaceId.eq(scope.workspace()))
        .filter(Column::AgentId.eq(agent))
}

/// Those of an agent that are good still, newest first.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    request: PageRequest,
    now: DateTime<Utc>,
) -> Result<Vec<Model>, DbErr> {
    let mut query = of(scope, agent, now);
    if let Some(after) = request.after {
        query = query.filter(Column::Id.lt(after));
    }
    query
        .order_by_desc(Column::Id)
        .limit(request.rows())
        .all(db)
        .await
}

/// How many of an agent are good still.
pub async fn count(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    now: DateTime<Utc>,
) -> Result<u64, DbErr> {
    of(scope, agent, now).count(db).await
}

/// Inserts one.
pub async fn insert(db: &impl ConnectionTrait, row: Model) -> Result<(), DbErr> {
    Entity::insert(ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Revokes one of an agent; `None` when there is none that is not revoked.
pub async fn revoke(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    id: AgentTokenId,
    now: DateTime<Utc>,
) -> Result<Option<Model>, DbErr> {
    let revoked = Entity::update_many()
        .col_expr(Column::RevokedAt, Expr::value(now))
        .filter(Column::WorkspaceId.eq(scope.workspace()))
        .filter(Column::AgentId.eq(agent))
        .filter(Column::Id.eq(id))
        .filter(Column::RevokedAt.is_null())
        .exec_with_returning(db)
        .await?;
    Ok(revoked.into_iter().next())
}

/// The one with this hash, while it is good. The token is the authority: its row says whose workspace it opens.
pub async fn by_token(
    db: &impl ConnectionTrait,
    token_sha256: &str,
    now: DateTime<Utc>,
) -> Result<Option<Model>, DbErr> {
    good(now)
        .filter(Column::TokenSha256.eq(token_sha256))
        .one(db)
        .await
}

/// Notes a use.
pub async fn touch(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: AgentTokenId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::LastUsedAt, Expr::value(now))
        .filter(Column::WorkspaceId.eq(scope.workspace()))
        .filter(Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}

/// Forgets those of an agent that is purged.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(Column::WorkspaceId.eq(scope.workspace()))
        .filter(Column::AgentId.eq(agent))
        .exec(db)
        .await?;
    Ok(())
}
