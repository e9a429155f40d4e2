//! All SQL of workspaces and members.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    sea_query::Expr,
};

use super::entity::{member, quota_usage, workspace};
use super::{QuotaKind, invitations};
use crate::db::WriteTx;
use crate::domains::auth::WorkspaceScope;
use crate::ids::UserId;

/// Inserts a workspace with its counters and its empty event log.
pub async fn insert(tx: &WriteTx, workspace: workspace::Model) -> Result<(), DbErr> {
    let id = workspace.id;
    workspace::Entity::insert(workspace::ActiveModel::from(workspace))
        .exec_without_returning(&**tx)
        .await?;
    let counters = QuotaKind::ALL.map(|kind| quota_usage::ActiveModel {
        workspace_id: sea_orm::Set(id),
        kind: sea_orm::Set(kind.as_str().to_owned()),
        used: sea_orm::Set(0),
    });
    quota_usage::Entity::insert_many(counters)
        .exec_without_returning(&**tx)
        .await?;
    crate::events::open_log(tx, id).await
}

/// Makes a user a member.
pub async fn insert_member(db: &impl ConnectionTrait, member: member::Model) -> Result<(), DbErr> {
    member::Entity::insert(member::ActiveModel::from(member))
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// The workspace of a scope.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<Option<workspace::Model>, DbErr> {
    workspace::Entity::find_by_id(scope.workspace())
        .one(db)
        .await
}

/// Takes the workspace's row for the rest of the transaction, so that what counts before it adds goes one after the
/// other. `false` when the workspace is gone.
pub async fn hold(tx: &WriteTx, scope: WorkspaceScope) -> Result<bool, DbErr> {
    let held = workspace::Entity::update_many()
        .col_expr(
            workspace::Column::Version,
            Expr::col(workspace::Column::Version),
        )
        .filter(workspace::Column::Id.eq(scope.workspace()))
        .exec(&**tx)
        .await?;
    Ok(held.rows_affected == 1)
}

/// Names the workspace of a scope.
pub async fn set_name(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    name: &str,
) -> Result<(), DbErr> {
    workspace::Entity::update_many()
        .col_expr(workspace::Column::Name, Expr::value(name))
        .filter(workspace::Column::Id.eq(scope.workspace()))
        .exec(db)
        .await?;
    Ok(())
}

/// The plan of a scope's workspace.
pub async fn plan(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<String, DbErr> {
    get(db, scope)
        .await?
        .map(|workspace| workspace.plan)
        .ok_or_else(|| DbErr::RecordNotFound(format!("workspace {}", scope.workspace())))
}

/// The workspaces that a user belongs to, oldest membership first.
pub async fn of_user(
    db: &impl ConnectionTrait,
    user: UserId,
) -> Result<Vec<(member::Model, workspace::Model)>, DbErr> {
    let members = member::Entity::find()
        .filter(member::Column::UserId.eq(user))
        .order_by_asc(member::Column::CreatedAt)
        .order_by_asc(member::Column::WorkspaceId)
        .all(db)
        .await?;
    let workspaces = workspace::Entity::find()
        .filter(workspace::Column::Id.is_in(members.iter().map(|m| m.workspace_id)))
        .all(db)
        .await?;
    Ok(members
        .into_iter()
        .filter_map(|member| {
            let workspace = workspaces.iter().find(|w| w.id == member.workspace_id)?;
            Some((member, workspace.clone()))
        })
        .collect())
}

/// Removes everybody, and the links by which somebody could come. Answers who they were.
pub async fn remove_people(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<Vec<member::Model>, DbErr> {
    invitations::entity::Entity::delete_many()
        .filter(invitations::entity::Column::WorkspaceId.eq(scope.workspace()))
        .exec(db)
        .await?;
    member::Entity::delete_many()
        .filter(member::Column::WorkspaceId.eq(scope.workspace()))
        .exec_with_returning(db)
        .await
}

/// Removes the row, and by foreign key its log, counters, keys, operations and sessions.
pub async fn remove(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<(), DbErr> {
    workspace::Entity::delete_by_id(scope.workspace())
        .exec(db)
        .await?;
    Ok(())
}

/// How many workspaces there are: the first one of a deployment is made at its first start.
pub async fn count(db: &impl ConnectionTrait) -> Result<u64, DbErr> {
    workspace::Entity::find().count(db).await
}
