//! All SQL of the outbox.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::RecordName;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set,
    sea_query::{Expr, OnConflict},
};

use super::entity::{ActiveModel, Column, Entity, Model};
use crate::db::WriteTx;

/// The broker shall forget this credential, as soon as the transaction is committed.
///
/// # Errors
/// When the database fails.
pub async fn forget(tx: &WriteTx, name: &RecordName, now: DateTime<Utc>) -> Result<(), DbErr> {
    forget_unless_kept(tx, name, now).await
}

/// The broker shall forget this credential at `due_at`, unless [`keep`] says otherwise before: for one that is about to
/// be made, so that whoever dies between making it and writing down what it is for leaves nothing behind.
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

/// The credential is in use. `false`: it was to be forgotten and may be gone already.
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

/// What is due, longest first.
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

/// Takes one for oneself until `until`: from here on [`keep`] is too late. `false`: another gateway has it.
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

/// It is gone.
pub(super) async fn done(tx: &WriteTx, row: &Model) -> Result<(), DbErr> {
    Entity::delete_by_id((row.tenant.clone(), row.connection.clone()))
        .exec(&**tx)
        .await?;
    Ok(())
}
