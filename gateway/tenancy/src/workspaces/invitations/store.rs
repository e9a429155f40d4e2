//! All SQL of invitations.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select, sea_query::Expr,
};

use super::entity::{ActiveModel, Column, Entity, Model};
use crate::auth::WorkspaceScope;
use roost_platform::db::TenantEntity;
use roost_platform::ids::{InvitationId, UserId};
use roost_web::pagination::PageRequest;

fn open(scope: WorkspaceScope, now: DateTime<Utc>) -> Select<Entity> {
    Entity::find_in(scope)
        .filter(Column::AcceptedAt.is_null())
        .filter(Column::ExpiresAt.gt(now))
}

/// Invitations that may still be accepted, newest first.
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

/// Counts the invitations that may still be accepted.
pub async fn count(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    now: DateTime<Utc>,
) -> Result<u64, DbErr> {
    open(scope, now).count(db).await
}

/// Deletes invitations, accepted or not, that could not be accepted any more at this time.
///
/// # Errors
/// When the database fails.
pub async fn forget_ended(db: &impl ConnectionTrait, before: DateTime<Utc>) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(Column::ExpiresAt.lt(before))
        .exec(db)
        .await?;
    Ok(())
}

/// Counts a user's invitations since a time, accepted or not, in all workspaces.
pub async fn made_since(
    db: &impl ConnectionTrait,
    user: UserId,
    since: DateTime<Utc>,
) -> Result<u64, DbErr> {
    Entity::find()
        .filter(Column::InvitedBy.eq(user))
        .filter(Column::CreatedAt.gt(since))
        .count(db)
        .await
}

/// Inserts an invitation.
pub async fn insert(db: &impl ConnectionTrait, row: Model) -> Result<(), DbErr> {
    Entity::insert(ActiveModel::from(row))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Withdraws an invitation that was not accepted; `None` when there is no such invitation.
pub async fn withdraw(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: InvitationId,
) -> Result<Option<Model>, DbErr> {
    let gone = Entity::delete_in(scope)
        .filter(Column::Id.eq(id))
        .filter(Column::AcceptedAt.is_null())
        .exec_with_returning(db)
        .await?;
    Ok(gone.into_iter().next())
}

/// The invitation with this token, while it is valid. The token is the authority to see where it leads.
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

/// The oldest open invitation that names this e-mail.
pub async fn for_address(
    db: &impl ConnectionTrait,
    email: &str,
    now: DateTime<Utc>,
) -> Result<Option<Model>, DbErr> {
    Entity::find()
        .filter(Column::Email.eq(email))
        .filter(Column::AcceptedAt.is_null())
        .filter(Column::ExpiresAt.gt(now))
        .order_by_asc(Column::Id)
        .one(db)
        .await
}

/// Marks the invitation as accepted by a user, in one statement: of two concurrent requests, one is refused.
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
