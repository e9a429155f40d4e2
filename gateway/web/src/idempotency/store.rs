//! All SQL of idempotency keys.

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Set, Statement};
use uuid::Uuid;

use super::entity::{ActiveModel, Column, Entity, Model};
use roost_platform::db::{Db, WriteTx};
use roost_platform::ids::{UserId, WorkspaceId};

/// How long a key is stored.
const KEPT: TimeDelta = TimeDelta::hours(24);
/// Work that started this long ago without an answer was interrupted. A repeat may take it over.
const CUT_OFF_MS: i64 = 60_000;

/// A key with its owner and route.
#[derive(Debug, Clone)]
pub(super) struct KeyOf {
    pub user: UserId,
    pub workspace: WorkspaceId,
    pub route: String,
    /// The digest of the sent key, in hexadecimal.
    pub key: String,
    /// The key as it was sent. It is not stored.
    pub sent: String,
}

/// The result of a claim.
pub(super) enum Claim {
    /// Do the work, with this id for the created thing.
    Work(Uuid),
    /// The first request is still in progress.
    InProgress,
    /// The key was used with another body.
    Mismatch,
    /// The answer held a secret, so it was not stored.
    Secret,
    /// The stored answer.
    Answer(Model),
}

/// Claims the key before the work, in a separate transaction.
pub(super) async fn claim(
    db: &Db,
    key: &KeyOf,
    body_sha256: &str,
    fresh: Uuid,
    now: DateTime<Utc>,
) -> Result<Claim, DbErr> {
    let tx = db.write().await?;
    let id = (key.user, key.workspace, key.route.clone(), key.key.clone());
    let present = Entity::find_by_id(id).one(&*tx).await?;
    let claim = match present {
        None => return insert(tx, key, body_sha256, fresh, now).await,
        Some(row) if row.created_at + KEPT < now => {
            delete(&tx, key).await?;
            return insert(tx, key, body_sha256, fresh, now).await;
        }
        Some(row) if row.body_sha256 != body_sha256 => Claim::Mismatch,
        Some(row) => match row.state.as_str() {
            "done" => Claim::Answer(row),
            "secret" => Claim::Secret,
            _ if take_over(&tx, &row).await? => Claim::Work(row.creation_id),
            _ => Claim::InProgress,
        },
    };
    tx.commit().await?;
    Ok(claim)
}

async fn insert(
    tx: WriteTx,
    key: &KeyOf,
    body_sha256: &str,
    fresh: Uuid,
    now: DateTime<Utc>,
) -> Result<Claim, DbErr> {
    let sql = format!(
        "INSERT INTO idempotency_keys \
         (user_id, workspace_id, route, key, body_sha256, creation_id, state, taken_ms, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, 'working', {}, $7) ON CONFLICT DO NOTHING",
        tx.backend().now_ms()
    );
    let done = tx
        .execute_raw(Statement::from_sql_and_values(
            tx.backend().into(),
            sql,
            [
                key.user.into(),
                key.workspace.into(),
                key.route.clone().into(),
                key.key.clone().into(),
                body_sha256.into(),
                fresh.into(),
                now.into(),
            ],
        ))
        .await?;
    tx.commit().await?;
    // Zero rows: on PostgreSQL another request inserted the row between the read and this insert.
    Ok(match done.rows_affected() {
        1 => Claim::Work(fresh),
        _ => Claim::InProgress,
    })
}

async fn take_over(tx: &WriteTx, row: &Model) -> Result<bool, DbErr> {
    let now = tx.backend().now_ms();
    let sql = format!(
        "UPDATE idempotency_keys SET taken_ms = {now} WHERE user_id = $1 AND workspace_id = $2 AND route = $3 \
         AND key = $4 AND state = 'working' AND taken_ms = $5 AND taken_ms < {now} - {CUT_OFF_MS}"
    );
    let done = tx
        .execute_raw(Statement::from_sql_and_values(
            tx.backend().into(),
            sql,
            [
                row.user_id.into(),
                row.workspace_id.into(),
                row.route.clone().into(),
                row.key.clone().into(),
                row.taken_ms.into(),
            ],
        ))
        .await?;
    Ok(done.rows_affected() == 1)
}

/// What became of the work of a key.
#[derive(Debug)]
pub(super) enum Settled {
    /// Every repeat gets this answer.
    Answer {
        status: u16,
        content_type: Option<String>,
        body: String,
    },
    /// It succeeded, and its answer is never stored.
    Secret { status: u16 },
    /// It may have happened. A repeat may take over the work at once with the same id.
    Unknown,
    /// Nothing was changed, so the key is removed.
    NothingChanged,
}

/// Settles a key. A key that is settled stays unchanged.
pub(super) async fn settle(db: &Db, key: &KeyOf, how: &Settled) -> Result<(), DbErr> {
    let change = match how {
        Settled::Answer {
            status,
            content_type,
            body,
        } => ActiveModel {
            state: Set("done".to_owned()),
            status: Set(Some((*status).into())),
            content_type: Set(content_type.clone()),
            body: Set(Some(body.clone())),
            ..Default::default()
        },
        Settled::Secret { status } => ActiveModel {
            state: Set("secret".to_owned()),
            status: Set(Some((*status).into())),
            ..Default::default()
        },
        Settled::Unknown => ActiveModel {
            taken_ms: Set(0),
            ..Default::default()
        },
        Settled::NothingChanged => {
            let tx = db.write().await?;
            delete(&tx, key).await?;
            return tx.commit().await;
        }
    };
    let tx = db.write().await?;
    Entity::update_many()
        .set(change)
        .filter(Column::UserId.eq(key.user))
        .filter(Column::WorkspaceId.eq(key.workspace))
        .filter(Column::Route.eq(key.route.clone()))
        .filter(Column::Key.eq(key.key.clone()))
        .filter(Column::State.eq("working"))
        .exec(&*tx)
        .await?;
    tx.commit().await
}

async fn delete(tx: &WriteTx, key: &KeyOf) -> Result<(), DbErr> {
    let id = (key.user, key.workspace, key.route.clone(), key.key.clone());
    Entity::delete_by_id(id).exec(&**tx).await?;
    Ok(())
}

/// Deletes expired keys.
///
/// # Errors
/// When the database fails.
pub async fn forget_before(db: &Db, now: DateTime<Utc>) -> Result<u64, DbErr> {
    let tx = db.write().await?;
    let done = Entity::delete_many()
        .filter(Column::CreatedAt.lt(now - KEPT))
        .exec(&*tx)
        .await?;
    tx.commit().await?;
    Ok(done.rows_affected)
}
