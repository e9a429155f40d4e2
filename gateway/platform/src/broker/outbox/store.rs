//! All SQL of the outbox.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::RecordName;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set,
    sea_query::{Expr, OnConflict},
};

use super::entity::{ActiveModel, Column, Entity, Model};
use crate::db::WriteTx;

/// The broker must delete this credential as soon as the transaction is committed.
///
/// # Errors
/// When the database fails.
pub async fn forget(tx: &WriteTx, name: &RecordName, now: DateTime<Utc>) -> Result<(), DbErr> {
    forget_unless_kept(tx, name, now).await
}

/// The broker must delete this credential at `due_at`, unless [`keep`] cancels that before. A caller writes this row
/// before it creates a credential. If it crashes before it records the credential's use, nothing stays behind.
///
/// # Errors
/// When the database fails.
pub async fn forget_unless_kept(
    tx: &WriteTx,
    name: &RecordName,
    due_at: DateTime<Utc>,
) -> Result<(), DbErr> {
    let row = ActiveModel {
        tenant: Set(name.tenant().to_owned()),
        connection: Set(name.connection().to_owned()),
        due_at: Set(due_at),
        attempts: Set(0),
    };
    let again = OnConflict::columns([Column::Tenant, Column::Connection])
        .update_column(Column::DueAt)
        .to_owned();
    Entity::insert(row)
        .on_conflict(again)
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Cancels the deletion because the credential is in use. `false`: a deletion attempt has begun, so it may be gone
/// already.
///
/// # Errors
/// When the database fails.
pub async fn keep(tx: &WriteTx, name: &RecordName) -> Result<bool, DbErr> {
    let gone = Entity::delete_many()
        .filter(Column::Tenant.eq(name.tenant()))
        .filter(Column::Connection.eq(name.connection()))
        .filter(Column::Attempts.eq(0))
        .exec(&**tx)
        .await?;
    Ok(gone.rows_affected == 1)
}

/// The due rows, the longest overdue first.
pub(super) async fn due(
    db: &impl ConnectionTrait,
    now: DateTime<Utc>,
    most: u64,
) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::DueAt.lte(now))
        .order_by_asc(Column::DueAt)
        .limit(most)
        .all(db)
        .await
}

/// Claims a row until `until`. From here on [`keep`] is too late. `false`: another gateway has claimed it.
pub(super) async fn take(tx: &WriteTx, row: &Model, until: DateTime<Utc>) -> Result<bool, DbErr> {
    let taken = Entity::update_many()
        .col_expr(Column::Attempts, Expr::value(row.attempts + 1))
        .col_expr(Column::DueAt, Expr::value(until))
        .filter(Column::Tenant.eq(&row.tenant))
        .filter(Column::Connection.eq(&row.connection))
        .filter(Column::Attempts.eq(row.attempts))
        .exec(&**tx)
        .await?;
    Ok(taken.rows_affected == 1)
}

/// Removes the row after the credential is deleted.
pub(super) async fn done(tx: &WriteTx, row: &Model) -> Result<(), DbErr> {
    Entity::delete_by_id((row.tenant.clone(), row.connection.clone()))
        .exec(&**tx)
        .await?;
    Ok(())
}
