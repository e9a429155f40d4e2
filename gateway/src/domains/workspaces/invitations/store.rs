//! All SQL of invitations.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select, sea_query::Expr,
};

use super::entity::{ActiveModel, Column, Entity, Model};
use crate::domains::auth::WorkspaceScope;
use crate::http::pagination::PageRequest;
use crate::ids::{InvitationId, UserId};

fn open(scope: WorkspaceScope, now: DateTime<Utc>) -> Select<Entity> {
    Entity::find()
        .filter(Column::WorkspaceId.eq(scope.workspace()))
        .filter(Column::AcceptedAt.is_null())
        .filter(Column::ExpiresAt.gt(now))
}

/// Those that may still be accepted, newest first.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    request: PageRequest,
    now: DateTime<Utc>,
) -> Result<Vec<Model>, DbErr> {
    let mut query = open(scope, now);
    if let Some(after) = request.after {
        query = query.filter(Column::Id.lt(after));
    }
    query
        .order_by_desc(Column::Id)
        .limit(request.rows())
        .all(db)
        .await
}

/// How many may still be accepted.
pub async fn count(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    now: DateTime<Utc>,
) -> Result<u64, DbErr> {
    open(scope, now).count(db).await
}

/// Inserts one.
pub async fn insert(db: &impl ConnectionTrait, row: Model) -> Result<(), DbErr> {
    Entity::insert(ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Withdraws one that was not accepted; `None` when there is no such one.
pub async fn withdraw(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: InvitationId,
) -> Result<Option<Model>, DbErr> {
    let gone = Entity::delete_many()
        .filter(Column::WorkspaceId.eq(scope.workspace()))
        .filter(Column::Id.eq(id))
        .filter(Column::AcceptedAt.is_null())
        .exec_with_returning(db)
        .await?;
    Ok(gone.into_iter().next())
}

/// The one with this token, while it is good. The token is the authority: whoever has it may see where it leads.
pub async fn by_token(
    db: &impl ConnectionTrait,
    token_sha256: &str,
    now: DateTime<Utc>,
) -> Result<Option<Model>, DbErr> {
    Entity::find()
        .filter(Column::TokenSha256.eq(token_sha256))
        .filter(Column::AcceptedAt.is_null())
        .filter(Column::ExpiresAt.gt(now))
        .one(db)
        .await
}

/// Takes it for a user, in one statement: of two who come at once one is refused.
pub async fn accept(
    db: &impl ConnectionTrait,
    id: InvitationId,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<bool, DbErr> {
    let done = Entity::update_many()
        .col_expr(Column::AcceptedBy, Expr::value(user))
        .col_expr(Column::AcceptedAt, Expr::value(now))
        .filter(Column::Id.eq(id))
        .filter(Column::AcceptedAt.is_null())
        .filter(Column::ExpiresAt.gt(now))
        .exec(db)
        .await?;
    Ok(done.rows_affected == 1)
}
