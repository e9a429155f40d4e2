//! All SQL of members.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Expr, ExprTrait},
};

use crate::auth::{Role, WorkspaceScope};
use crate::workspaces::entity::{member, workspace};
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::UserId;
use roost_web::pagination::PageRequest;

/// Locks the workspace's row for the rest of the transaction and increments its version, so that changes of members run
/// one by one. `None` when the workspace does not exist any more.
pub async fn take_turn(tx: &WriteTx, scope: WorkspaceScope) -> Result<Option<i64>, DbErr> {
    let taken = workspace::Entity::update_many()
        .col_expr(
            workspace::Column::Version,
            Expr::col(workspace::Column::Version).add(1),
        )
        .filter(workspace::Column::Id.eq(scope.workspace()))
        .exec_with_returning(&**tx)
        .await?;
    Ok(taken.into_iter().next().map(|row| row.version))
}

/// Members, ordered by user id.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    request: PageRequest,
) -> Result<Vec<member::Model>, DbErr> {
    let mut query = member::Entity::find_in(scope);
    if let Some(after) = request.after {
        query = query.filter(member::Column::UserId.gt(after));
    }
    query
        .order_by_asc(member::Column::UserId)
        .limit(request.rows())
        .all(db)
        .await
}

/// One member.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    user: UserId,
) -> Result<Option<member::Model>, DbErr> {
    member::Entity::find_by_id((scope.workspace(), user))
        .one(db)
        .await
}

/// Counts the Owners of the workspace.
pub async fn owners(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<u64, DbErr> {
    member::Entity::find_in(scope)
        .filter(member::Column::Role.eq(Role::Owner.as_str()))
        .count(db)
        .await
}

/// The Owner with the longest membership.
pub async fn first_owner(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<Option<UserId>, DbErr> {
    let first = member::Entity::find_in(scope)
        .filter(member::Column::Role.eq(Role::Owner.as_str()))
        .order_by_asc(member::Column::CreatedAt)
        .order_by_asc(member::Column::UserId)
        .one(db)
        .await?;
    Ok(first.map(|row| row.user_id))
}

/// Gives a member another role.
pub async fn set_role(
    tx: &WriteTx,
    scope: WorkspaceScope,
    user: UserId,
    role: Role,
) -> Result<(), DbErr> {
    tx.changes_authority();
    member::Entity::update_in(scope)
        .col_expr(member::Column::Role, Expr::value(role.as_str()))
        .filter(member::Column::UserId.eq(user))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Removes a member.
pub async fn remove(tx: &WriteTx, scope: WorkspaceScope, user: UserId) -> Result<(), DbErr> {
    tx.changes_authority();
    member::Entity::delete_by_id((scope.workspace(), user))
        .exec(&**tx)
        .await?;
    Ok(())
}
