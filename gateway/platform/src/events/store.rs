//! Writing the event log, and finding places in it. `replay.rs` reads it after a cursor, `retention.rs` deletes from it.

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use super::{EventId, Stamped, append_all, entity};
use crate::db::Older;
use crate::db::WriteTx;
use crate::ids::{ClawId, RunId, WorkspaceId};

/// Creates the empty log of a new workspace.
///
/// # Errors
/// When the database fails.
pub async fn open_log(tx: &WriteTx, workspace: WorkspaceId) -> Result<(), DbErr> {
    entity::head::Entity::insert(entity::head::ActiveModel {
        workspace_id: sea_orm::Set(workspace),
        epoch: sea_orm::Set(1),
        seq: sea_orm::Set(0),
    })
    .exec_without_returning(&**tx)
    .await?;
    Ok(())
}

/// Removes the log of a workspace that is deleted.
///
/// # Errors
/// When the database fails.
pub async fn remove_log(tx: &WriteTx, workspace: WorkspaceId) -> Result<(), DbErr> {
    // The head first: its row waits for the transactions that append, and later ones find no log.
    entity::head::Entity::delete_by_id(workspace)
        .exec(&**tx)
        .await?;
    entity::event::Entity::delete_many()
        .filter(entity::event::Column::WorkspaceId.eq(workspace))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Appends events in the transaction of their change. The head's row is locked until the commit, so sequence numbers
/// become visible in order, and a reader never sees a gap that is filled later.
///
/// # Errors
/// When the database fails, or the workspace does not exist.
pub async fn append(
    tx: &mut WriteTx,
    workspace: WorkspaceId,
    at: DateTime<Utc>,
    events: impl IntoIterator<Item = impl Into<Stamped>>,
) -> Result<(), DbErr> {
    let events = events.into_iter().map(|event| (workspace, event.into()));
    append_all(tx, at, events.collect()).await.map(drop)
}

/// The end of the log; `None` for a workspace that does not exist.
///
/// # Errors
/// When the database fails.
pub async fn head(
    db: &impl ConnectionTrait,
    workspace: WorkspaceId,
) -> Result<Option<EventId>, DbErr> {
    let row = entity::head::Entity::find_by_id(workspace).one(db).await?;
    Ok(row.map(|r| EventId {
        epoch: r.epoch,
        seq: r.seq,
    }))
}

/// Events about an agent, newest first.
///
/// # Errors
/// When the database fails.
pub async fn about_agent(
    db: &impl ConnectionTrait,
    workspace: WorkspaceId,
    agent: ClawId,
    older: Older<i64>,
    limit: u64,
) -> Result<Vec<entity::event::Model>, DbErr> {
    use entity::event::Column;
    entity::event::Entity::find()
        .filter(Column::AgentId.eq(agent))
        .filter(Column::WorkspaceId.eq(workspace))
        // These events only ask pages to refetch. The change itself has its own event or an audit entry.
        .filter(Column::Kind.ne("resource.changed"))
        .filter(older.of(Column::At, Column::Seq))
        .order_by_desc(Column::At)
        .order_by_desc(Column::Seq)
        .limit(limit)
        .all(db)
        .await
}

/// The cursor after which a subscriber gets everything that is kept.
///
/// # Errors
/// When the database fails.
pub async fn before_oldest(
    db: &impl ConnectionTrait,
    workspace: WorkspaceId,
) -> Result<Option<EventId>, DbErr> {
    let Some(head) = head(db, workspace).await? else {
        return Ok(None);
    };
    let cuts = entity::cuts::Entity::find_by_id(workspace).one(db).await?;
    if let Some(cuts) = cuts.filter(|cuts| cuts.epoch == head.epoch) {
        let (epoch, seq) = (cuts.epoch, cuts.facts_cut);
        return Ok(Some(EventId { epoch, seq }));
    }
    // Events of earlier epochs (before a restored backup) are not replayed.
    let oldest = entity::event::Entity::find()
        .filter(entity::event::Column::WorkspaceId.eq(workspace))
        .filter(entity::event::Column::Epoch.eq(head.epoch))
        .order_by_asc(entity::event::Column::Seq)
        .one(db)
        .await?;
    Ok(oldest.map(|row| EventId {
        epoch: row.epoch,
        seq: row.seq - 1,
    }))
}

/// The cursor just before a run's first kept event.
///
/// # Errors
/// When the database fails.
pub async fn before_run(
    db: &impl ConnectionTrait,
    workspace: WorkspaceId,
    run: RunId,
) -> Result<Option<EventId>, DbErr> {
    let first = entity::event::Entity::find()
        .filter(entity::event::Column::RunId.eq(run.0))
        .filter(entity::event::Column::WorkspaceId.eq(workspace))
        .order_by_asc(entity::event::Column::Epoch)
        .order_by_asc(entity::event::Column::Seq)
        .one(db)
        .await?;
    Ok(first.map(|row| EventId {
        epoch: row.epoch,
        seq: row.seq - 1,
    }))
}
