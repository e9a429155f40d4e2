//! All SQL of sagas.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Select, Statement,
    sea_query::Expr,
};
use uuid::Uuid;

use super::{Kind, Step, saga};
use crate::WorkspaceScope;
use crate::db::{Db, TenantEntity, WriteTx};
use crate::ids::{SharedIds, UserId, fresh};

/// A saga to begin.
pub struct New {
    pub kind: Kind,
    /// The subject: an agent, a workspace or a team.
    pub subject: Uuid,
    pub scope: WorkspaceScope,
    /// The user who requested it.
    pub user: UserId,
    pub now: DateTime<Utc>,
}

/// Begins a saga in the transaction that makes it necessary.
///
/// # Errors
/// When the database fails.
pub async fn begin(tx: &WriteTx, ids: &SharedIds, new: New) -> Result<saga::Model, DbErr> {
    let row = saga::Model {
        id: fresh(ids),
        workspace_id: new.scope.workspace(),
        requested_by: new.user,
        kind: new.kind.as_str().to_owned(),
        subject_id: new.subject,
        step: new.kind.steps()[0].as_str().to_owned(),
        state: "running".to_owned(),
        attempts: 0,
        due_ms: 0,
        last_error: None,
        created_at: new.now,
        updated_at: new.now,
    };
    saga::Entity::insert(saga::ActiveModel::from(row.clone()))
        .exec_without_returning(&**tx)
        .await?;
    Ok(row)
}

/// Deletes sagas that were done before this time.
///
/// # Errors
/// When the database fails.
pub async fn forget_done(tx: &WriteTx, before: DateTime<Utc>) -> Result<(), DbErr> {
    saga::Entity::delete_many()
        .filter(saga::Column::State.eq("done"))
        .filter(saga::Column::UpdatedAt.lt(before))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Like [`begin`]. If a saga of the kind already runs for the subject, returns that one and `false`.
///
/// # Errors
/// When the database fails.
pub async fn begin_once(
    tx: &WriteTx,
    ids: &SharedIds,
    new: New,
) -> Result<(saga::Model, bool), DbErr> {
    let running = running(new.scope, new.kind, new.subject);
    match running.one(&**tx).await? {
        Some(saga) => Ok((saga, false)),
        None => Ok((begin(tx, ids, new).await?, true)),
    }
}

/// Whether a saga of the kind runs for the subject.
///
/// # Errors
/// When the database fails.
pub async fn is_running(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    kind: Kind,
    subject: Uuid,
) -> Result<bool, DbErr> {
    Ok(running(scope, kind, subject).one(db).await?.is_some())
}

fn running(scope: WorkspaceScope, kind: Kind, subject: Uuid) -> Select<saga::Entity> {
    saga::Entity::find_in(scope)
        .filter(saga::Column::SubjectId.eq(subject))
        .filter(saga::Column::Kind.eq(kind.as_str()))
        .filter(saga::Column::State.eq("running"))
}

/// Schedules the same step again after `wait`. It did not fail, but its condition is not met yet.
pub(super) async fn postpone_check(
    tx: &WriteTx,
    saga: &saga::Model,
    wait: Duration,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let wait = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
    let sql = format!(
        "UPDATE sagas SET due_ms = {} + $1, updated_at = $2 WHERE id = $3",
        tx.backend().now_ms()
    );
    tx.execute_raw(Statement::from_sql_and_values(
        tx.backend().into(),
        sql,
        [wait.into(), now.into(), saga.id.into()],
    ))
    .await?;
    Ok(())
}

/// The saga that has been due longest, if any.
pub(super) async fn due(db: &Db) -> Result<Option<saga::Model>, DbErr> {
    let sql = format!(
        "SELECT * FROM sagas WHERE state = 'running' AND due_ms <= {} ORDER BY due_ms, id LIMIT 1",
        db.backend().now_ms()
    );
    saga::Entity::find()
        .from_raw_sql(Statement::from_string(db.backend().into(), sql))
        .one(db.read())
        .await
}

/// Records that a step is done. The saga gets its next step, or ends.
pub(super) async fn advance(
    tx: &WriteTx,
    saga: &saga::Model,
    next: Option<Step>,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let (step, state) = match next {
        Some(step) => (step.as_str(), "running"),
        None => (saga.step.as_str(), "done"),
    };
    saga::Entity::update_many()
        .col_expr(saga::Column::Step, Expr::value(step))
        .col_expr(saga::Column::State, Expr::value(state))
        .col_expr(saga::Column::Attempts, Expr::value(0_i64))
        .col_expr(saga::Column::LastError, Expr::value(Option::<String>::None))
        .col_expr(saga::Column::UpdatedAt, Expr::value(now))
        .filter(saga::Column::Id.eq(saga.id))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Records that a step failed, and the time of the retry.
pub(super) async fn postpone(
    tx: &WriteTx,
    saga: &saga::Model,
    error: &str,
    wait: Duration,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let error: String = error.chars().take(2_000).collect();
    let wait = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
    let sql = format!(
        "UPDATE sagas SET attempts = attempts + 1, last_error = $1, due_ms = {} + $2, updated_at = $3 WHERE id = $4",
        tx.backend().now_ms()
    );
    tx.execute_raw(Statement::from_sql_and_values(
        tx.backend().into(),
        sql,
        [error.into(), wait.into(), now.into(), saga.id.into()],
    ))
    .await?;
    Ok(())
}
