//! All SQL of the files around steps.

use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, OnConflict};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect,
};

use super::entity::{around, start};
use super::model::EACH;
use crate::sandboxes::snapshots::entity as snapshot;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{RunId, SandboxOwnerId, SnapshotId};
use roost_tenancy::auth::WorkspaceScope;

/// The files around one step.
pub async fn of_step(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    run: RunId,
    step: &str,
) -> Result<Option<around::Model>, DbErr> {
    around::Entity::find_by_id_in(scope, (run, step.to_owned()))
        .one(db)
        .await
}

/// The files around the steps of all runs of a tree.
pub async fn of_tree(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    root: RunId,
) -> Result<Vec<around::Model>, DbErr> {
    around::Entity::find_in(scope)
        .filter(around::Column::RootRunId.eq(root))
        .order_by_asc(around::Column::BeganAt)
        .all(db)
        .await
}

/// The runs of other trees with a step in this owner's sandbox whose end is not recorded. Some of them may be over.
pub async fn others(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
    root: RunId,
) -> Result<Vec<RunId>, DbErr> {
    around::Entity::find_in(scope)
        .select_only()
        .column(around::Column::RunId)
        .distinct()
        .filter(around::Column::OwnerId.eq(owner))
        .filter(around::Column::RootRunId.ne(root))
        .filter(around::Column::EndedAt.is_null())
        .into_tuple()
        .all(db)
        .await
}

/// Whether one of these owners has a snapshot.
pub(super) async fn any_snapshot(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owners: &[SandboxOwnerId],
) -> Result<bool, DbErr> {
    let found = snapshot::Entity::find_in(scope)
        .filter(snapshot::Column::OwnerId.is_in(owners.iter().copied()))
        .one(db);
    Ok(found.await?.is_some())
}

/// Records the begin of a step. The first record stays.
pub async fn insert(tx: &WriteTx, row: around::Model) -> Result<(), DbErr> {
    let key = [around::Column::RunId, around::Column::Step];
    around::Entity::insert(row.into_active_model())
        .on_conflict(
            OnConflict::columns(key)
                .update_column(around::Column::RunId)
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Records the end of a step. The last record counts: an attempt may be repeated.
pub async fn set_end(
    tx: &WriteTx,
    scope: WorkspaceScope,
    row: &around::Model,
) -> Result<(), DbErr> {
    use around::Column as C;
    around::Entity::update_in(scope)
        .col_expr(C::EndedSnapshot, Expr::value(row.ended_snapshot))
        .col_expr(C::EndedDigest, Expr::value(row.ended_digest.clone()))
        .col_expr(C::EndedMissing, Expr::value(row.ended_missing.clone()))
        .col_expr(C::EndedAt, Expr::value(row.ended_at))
        .filter(C::RunId.eq(row.run_id))
        .filter(C::Step.eq(row.step.clone()))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The files that the sandboxes of a tree begin with.
pub async fn starts_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    root: RunId,
) -> Result<Vec<start::Model>, DbErr> {
    start::Entity::find_in(scope)
        .filter(start::Column::RunId.eq(root))
        .order_by_asc(start::Column::OwnerId)
        .all(db)
        .await
}

/// The row of an owner, else the row for each owner.
pub(super) async fn start(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    root: RunId,
    owner: SandboxOwnerId,
) -> Result<Option<start::Model>, DbErr> {
    start::Entity::find_in(scope)
        .filter(start::Column::RunId.eq(root))
        .filter(start::Column::OwnerId.is_in([owner, EACH]))
        .order_by_desc(start::Column::OwnerId)
        .one(db)
        .await
}

/// Inserts a start. The first one stays.
pub(super) async fn insert_start(tx: &WriteTx, row: start::Model) -> Result<(), DbErr> {
    let key = [start::Column::RunId, start::Column::OwnerId];
    start::Entity::insert(row.into_active_model())
        .on_conflict(
            OnConflict::columns(key)
                .update_column(start::Column::RunId)
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Records that the sandbox has its files.
pub(super) async fn restored(
    tx: &WriteTx,
    scope: WorkspaceScope,
    row: &start::Model,
    at: DateTime<Utc>,
) -> Result<(), DbErr> {
    start::Entity::update_in(scope)
        .col_expr(start::Column::RestoredAt, Expr::value(at))
        .filter(start::Column::RunId.eq(row.run_id))
        .filter(start::Column::OwnerId.eq(row.owner_id))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// A snapshot of any agent of the workspace.
pub(super) async fn snapshot(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: SnapshotId,
) -> Result<Option<snapshot::Model>, DbErr> {
    snapshot::Entity::find_in(scope)
        .filter(snapshot::Column::Id.eq(id))
        .one(db)
        .await
}

/// Deletes the rows of runs whose outputs are deleted.
pub async fn forget(tx: &WriteTx, runs: &[RunId]) -> Result<(), DbErr> {
    around::Entity::delete_many()
        .filter(around::Column::RunId.is_in(runs.iter().copied()))
        .exec(&**tx)
        .await?;
    start::Entity::delete_many()
        .filter(start::Column::RunId.is_in(runs.iter().copied()))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Deletes the rows of an owner that is removed.
pub async fn remove_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    owner: SandboxOwnerId,
) -> Result<(), DbErr> {
    around::Entity::delete_in(scope)
        .filter(around::Column::OwnerId.eq(owner))
        .exec(db)
        .await?;
    let named = Condition::any()
        .add(start::Column::OwnerId.eq(owner))
        .add(start::Column::SnapshotOwnerId.eq(owner));
    start::Entity::delete_in(scope)
        .filter(named)
        .exec(db)
        .await?;
    Ok(())
}
