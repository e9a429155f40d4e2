//! All SQL of uploads.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, ExprTrait, FromQueryResult, QueryFilter,
    QueryOrder, QuerySelect, sea_query::Func,
};

use super::entity::{ActiveModel, Column, Entity, Model};
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::UploadId;
use roost_tenancy::auth::WorkspaceScope;

/// One upload.
///
/// # Errors
/// When the database fails.
pub async fn find(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: UploadId,
) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id_in(scope, id).one(db).await
}

/// All uploads of a workspace.
pub(super) async fn all(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
) -> Result<Vec<Model>, DbErr> {
    Entity::find_in(scope).all(db).await
}

#[derive(Debug, FromQueryResult)]
struct Sum {
    bytes: Option<i64>,
}

/// Bytes of the files of all uploads of a workspace.
pub(super) async fn used(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<u64, DbErr> {
    // PostgreSQL sums whole numbers to a decimal one.
    let sum = Func::sum(Column::Bytes.into_expr()).cast_as("bigint");
    let found = Entity::find_in(scope)
        .select_only()
        .expr_as(sum, "bytes")
        .into_model::<Sum>()
        .one(db)
        .await?;
    let bytes = found.and_then(|sum| sum.bytes).unwrap_or(0);
    Ok(u64::try_from(bytes).unwrap_or(0))
}

pub(super) async fn insert(tx: &WriteTx, row: Model) -> Result<(), DbErr> {
    Entity::insert(ActiveModel::from(row))
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

pub(super) async fn remove(tx: &WriteTx, scope: WorkspaceScope, id: UploadId) -> Result<(), DbErr> {
    Entity::delete_in(scope)
        .filter(Column::Id.eq(id))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The uploads from before that moment, of all workspaces.
///
/// # Errors
/// When the database fails.
pub async fn from_before(tx: &WriteTx, before: DateTime<Utc>) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::CreatedAt.lt(before))
        .order_by_asc(Column::Id)
        .all(&**tx)
        .await
}
