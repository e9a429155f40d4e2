//! All SQL of the mail queue.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Set,
    sea_query::{Expr, OnConflict},
};

use super::Mail;
use super::entity::{ActiveModel, Column, Entity, Model};
use roost_platform::db::WriteTx;
use roost_platform::ids::{SharedIds, UserId, fresh};

/// Queues a message, unless one about the same thing was queued before. The caller wakes the worker.
///
/// # Errors
/// When the database fails.
pub async fn queue(
    tx: &WriteTx,
    ids: &SharedIds,
    now: DateTime<Utc>,
    mail: Mail,
) -> Result<(), DbErr> {
    let row = ActiveModel {
        id: Set(fresh(ids)),
        about: Set(mail.purpose.key()),
        recipient: Set(mail.recipient),
        subject: Set(mail.subject),
        text: Set(mail.text),
        created_at: Set(now),
        due_at: Set(now),
        attempts: Set(0),
        ended_at: Set(None),
        error: Set(None),
    };
    let once = OnConflict::column(Column::About).do_nothing().to_owned();
    Entity::insert(row)
        .on_conflict(once)
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Those of these messages that were not queued yet.
///
/// # Errors
/// When the database fails.
pub async fn unknown_among(
    db: &impl ConnectionTrait,
    mails: Vec<Mail>,
) -> Result<Vec<Mail>, DbErr> {
    let keys: Vec<String> = mails.iter().map(|mail| mail.purpose.key()).collect();
    let mut known: HashSet<String> = HashSet::new();
    // SQLite limits the parameters of a statement.
    for some in keys.chunks(500) {
        let found: Vec<String> = Entity::find()
            .select_only()
            .column(Column::About)
            .filter(Column::About.is_in(some))
            .into_tuple()
            .all(db)
            .await?;
        known.extend(found);
    }
    let new = mails
        .into_iter()
        .filter(|mail| !known.contains(&mail.purpose.key()));
    Ok(new.collect())
}

/// How many messages to confirm a new address a person has caused since a time.
///
/// # Errors
/// When the database fails.
pub async fn address_wishes(
    db: &impl ConnectionTrait,
    user: UserId,
    since: DateTime<Utc>,
) -> Result<u64, DbErr> {
    Entity::find()
        .filter(Column::About.starts_with(format!("address/{user}/")))
        .filter(Column::CreatedAt.gt(since))
        .count(db)
        .await
}

/// Messages that are due, the longest overdue first.
pub(super) async fn due(
    db: &impl ConnectionTrait,
    now: DateTime<Utc>,
    most: u64,
) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::EndedAt.is_null())
        .filter(Column::DueAt.lte(now))
        .order_by_asc(Column::DueAt)
        .limit(most)
        .all(db)
        .await
}

/// Claims a message until `until`. `false`: another gateway has claimed it.
pub(super) async fn claim(tx: &WriteTx, row: &Model, until: DateTime<Utc>) -> Result<bool, DbErr> {
    let claimed = Entity::update_many()
        .col_expr(Column::Attempts, Expr::value(row.attempts + 1))
        .col_expr(Column::DueAt, Expr::value(until))
        .filter(Column::Id.eq(row.id))
        .filter(Column::Attempts.eq(row.attempts))
        .filter(Column::EndedAt.is_null())
        .exec(&**tx)
        .await?;
    Ok(claimed.rows_affected == 1)
}

/// Notes what became of an attempt: the message ended, or it is tried again when its claim is over.
pub(super) async fn note(
    tx: &WriteTx,
    row: &Model,
    error: Option<String>,
    ended_at: Option<DateTime<Utc>>,
) -> Result<(), DbErr> {
    let mut update = Entity::update_many()
        .col_expr(Column::Error, Expr::value(error))
        .filter(Column::Id.eq(row.id));
    if let Some(at) = ended_at {
        update = update
            .col_expr(Column::EndedAt, Expr::value(at))
            .col_expr(Column::Text, Expr::value(""));
    }
    update.exec(&**tx).await?;
    Ok(())
}

/// Deletes messages that ended a month ago.
pub(super) async fn forget(tx: &WriteTx, now: DateTime<Utc>) -> Result<(), DbErr> {
    Entity::delete_many()
        .filter(Column::EndedAt.lte(now - TimeDelta::days(30)))
        .exec(&**tx)
        .await?;
    Ok(())
}
