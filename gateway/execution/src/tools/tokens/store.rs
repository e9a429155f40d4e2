//! All SQL of agents' tokens.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select, sea_query::Expr,
};

use super::entity::{ActiveModel, Column, Entity, Model};
use roost_platform::db::TenantEntity;
use roost_platform::ids::{AgentTokenId, ClawId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

fn valid(tokens: Select<Entity>, now: DateTime<Utc>) -> Select<Entity> {
    tokens
        .filter(Column::RevokedAt.is_null())
        .filter(Column::ExpiresAt.gt(now))
}

fn of(scope: WorkspaceScope, agent: ClawId, now: DateTime<Utc>) -> Select<Entity> {
    valid(Entity::find_in(scope), now).filter(Column::AgentId.eq(agent))
}

/// The valid tokens of an agent, newest first.
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

/// The number of an agent's valid tokens.
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

/// Revokes a token of an agent. `None` when there is no such unrevoked token.
pub async fn revoke(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
    id: AgentTokenId,
    now: DateTime<Utc>,
) -> Result<Option<Model>, DbErr> {
    let revoked = Entity::update_in(scope)
        .col_expr(Column::RevokedAt, Expr::value(now))
        .filter(Column::AgentId.eq(agent))
        .filter(Column::Id.eq(id))
        .filter(Column::RevokedAt.is_null())
        .exec_with_returning(db)
        .await?;
    Ok(revoked.into_iter().next())
}

/// Revokes all tokens that a user made, in every workspace. Returns their number.
pub async fn revoke_made_by(
    db: &impl ConnectionTrait,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<u64, DbErr> {
    let revoked = Entity::update_many()
        .col_expr(Column::RevokedAt, Expr::value(now))
        .filter(Column::CreatedBy.eq(user))
        .filter(Column::RevokedAt.is_null())
        .filter(Column::ExpiresAt.gt(now))
        .exec(db)
        .await?;
    Ok(revoked.rows_affected)
}

/// Revokes the tokens that a user made in one workspace.
pub async fn revoke_made_in(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    Entity::update_in(scope)
        .col_expr(Column::RevokedAt, Expr::value(now))
        .filter(Column::CreatedBy.eq(user))
        .filter(Column::RevokedAt.is_null())
        .exec(db)
        .await?;
    Ok(())
}

/// The valid token with this hash. The token is the authority: its row determines the workspace.
pub async fn by_token(
    db: &impl ConnectionTrait,
    token_sha256: &str,
    now: DateTime<Utc>,
) -> Result<Option<Model>, DbErr> {
    valid(Entity::find(), now)
        .filter(Column::TokenSha256.eq(token_sha256))
        .one(db)
        .await
}

/// Records the use of a token.
pub async fn touch(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: AgentTokenId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    Entity::update_in(scope)
        .col_expr(Column::LastUsedAt, Expr::value(now))
        .filter(Column::Id.eq(id))
        .exec(db)
        .await?;
    Ok(())
}

/// Deletes the tokens of an agent that is purged.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    agent: ClawId,
) -> Result<(), DbErr> {
    Entity::delete_in(scope)
        .filter(Column::AgentId.eq(agent))
        .exec(db)
        .await?;
    Ok(())
}
