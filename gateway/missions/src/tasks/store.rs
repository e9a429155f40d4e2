//! All SQL of tasks.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
    sea_query::{Expr, OnConflict, Query},
};

use super::entity::{mark, task};
use super::model::{TaskStatus, number};
use super::scan::Found;
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{MissionId, MissionPhaseId, RunId, SharedIds, fresh};
use roost_tenancy::auth::WorkspaceScope;

/// The tasks of a mission, in the order of their ids.
///
/// # Errors
/// When the database fails.
pub async fn of_mission(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
) -> Result<Vec<task::Model>, DbErr> {
    let mut tasks = task::Entity::find_in(scope)
        .filter(task::Column::MissionId.eq(mission))
        .order_by_asc(task::Column::CreatedAt)
        .all(db)
        .await?;
    tasks.sort_by(in_order);
    Ok(tasks)
}

/// By the number in the id: `INT-11` stands before `INT-100`.
fn in_order(one: &task::Model, other: &task::Model) -> Ordering {
    let key = |task: &task::Model| number(&task.external_id);
    let by_number = key(one).cmp(&key(other));
    by_number.then_with(|| one.external_id.cmp(&other.external_id))
}

/// The tasks of a phase, in the order of their ids.
///
/// # Errors
/// When the database fails.
pub async fn of_phase(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    phase: MissionPhaseId,
) -> Result<Vec<task::Model>, DbErr> {
    let mut tasks = task::Entity::find_in(scope)
        .filter(task::Column::PhaseId.eq(phase))
        .all(db)
        .await?;
    tasks.sort_by(in_order);
    Ok(tasks)
}

/// The markers that are shown with the tasks of a mission, oldest first: at most `most`, the newest ones.
///
/// # Errors
/// When the database fails.
pub async fn marks_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
    most: u64,
) -> Result<Vec<mark::Model>, DbErr> {
    let mut newest = mark::Entity::find_in(scope)
        .filter(mark::Column::MissionId.eq(mission))
        .filter(mark::Column::Kept.eq(true))
        .order_by_desc(mark::Column::At)
        .order_by_desc(mark::Column::Place)
        .limit(most)
        .all(db)
        .await?;
    newest.reverse();
    Ok(newest)
}

/// How many markers of each word these runs said, shown or not.
///
/// # Errors
/// When the database fails.
pub async fn marker_counts(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    runs: &[RunId],
) -> Result<BTreeMap<String, u64>, DbErr> {
    let mut counts = BTreeMap::new();
    for some in runs.chunks(SOME) {
        let rows: Vec<(String, i64)> = mark::Entity::find_in(scope)
            .filter(mark::Column::RunId.is_in(some.iter().copied()))
            .select_only()
            .column(mark::Column::Marker)
            .column_as(mark::Column::Place.count(), "said")
            .group_by(mark::Column::Marker)
            .into_tuple()
            .all(db)
            .await?;
        for (marker, said) in rows {
            *counts.entry(marker).or_default() += u64::try_from(said).unwrap_or(0);
        }
    }
    Ok(counts)
}

/// Those of these places whose markers were read already.
///
/// # Errors
/// When the database fails.
pub(super) async fn known(
    tx: &WriteTx,
    scope: WorkspaceScope,
    found: &[Found],
) -> Result<BTreeSet<(RunId, String)>, DbErr> {
    let mut known = BTreeSet::new();
    for some in found.chunks(SOME) {
        let runs: BTreeSet<RunId> = some.iter().map(|found| found.run).collect();
        let places = some.iter().map(|found| found.place.as_str());
        let rows: Vec<(RunId, String)> = mark::Entity::find_in(scope)
            .select_only()
            .columns([mark::Column::RunId, mark::Column::Place])
            .filter(mark::Column::RunId.is_in(runs))
            .filter(mark::Column::Place.is_in(places))
            .into_tuple()
            .all(&**tx)
            .await?;
        known.extend(rows);
    }
    Ok(known)
}

/// The number of different tasks that markers of a phase named and that it had no room for.
///
/// # Errors
/// When the database fails.
pub(super) async fn without_task(
    tx: &WriteTx,
    scope: WorkspaceScope,
    phase: MissionPhaseId,
) -> Result<u64, DbErr> {
    let tasks = Query::select()
        .column(task::Column::ExternalId)
        .from(task::Entity)
        .and_where(task::Column::PhaseId.eq(phase))
        .to_owned();
    mark::Entity::find_in(scope)
        .select_only()
        .column(mark::Column::ExternalId)
        .distinct()
        .filter(mark::Column::PhaseId.eq(phase))
        .filter(mark::Column::ExternalId.not_in_subquery(tasks))
        .count(&**tx)
        .await
}

/// The number of markers that are shown with each task of a phase.
///
/// # Errors
/// When the database fails.
pub(super) async fn mark_counts(
    tx: &WriteTx,
    scope: WorkspaceScope,
    phase: MissionPhaseId,
) -> Result<BTreeMap<String, i64>, DbErr> {
    let rows: Vec<(String, i64)> = mark::Entity::find_in(scope)
        .select_only()
        .column(mark::Column::ExternalId)
        .column_as(mark::Column::Place.count(), "n")
        .filter(mark::Column::PhaseId.eq(phase))
        .filter(mark::Column::Kept.eq(true))
        .group_by(mark::Column::ExternalId)
        .into_tuple()
        .all(&**tx)
        .await?;
    Ok(rows.into_iter().collect())
}

/// Writes markers. One that is there already stays.
///
/// # Errors
/// When the database fails.
pub(super) async fn insert_marks(tx: &WriteTx, rows: Vec<mark::Model>) -> Result<(), DbErr> {
    for some in rows.chunks(SOME) {
        let rows = some.iter().cloned().map(IntoActiveModel::into_active_model);
        mark::Entity::insert_many(rows)
            .on_conflict(
                OnConflict::columns([mark::Column::RunId, mark::Column::Place])
                    .do_nothing()
                    .to_owned(),
            )
            .exec_without_returning(&**tx)
            .await?;
    }
    Ok(())
}

/// The rows of one statement.
const SOME: usize = 500;

/// Writes tasks: an upsert on phase and external id.
///
/// # Errors
/// When the database fails.
pub(super) async fn upsert(tx: &WriteTx, rows: Vec<task::Model>) -> Result<(), DbErr> {
    use task::Column::{Body, ExternalId, IgnoredMarks, PhaseId, Status, Title, UpdatedAt};
    for some in rows.chunks(SOME) {
        let rows = some.iter().cloned().map(IntoActiveModel::into_active_model);
        task::Entity::insert_many(rows)
            .on_conflict(
                OnConflict::columns([PhaseId, ExternalId])
                    .update_columns([Title, Body, Status, IgnoredMarks, UpdatedAt])
                    .to_owned(),
            )
            .exec_without_returning(&**tx)
            .await?;
    }
    Ok(())
}

/// Sets the failed tasks of a phase back to created, for the retry of the phase.
///
/// # Errors
/// When the database fails.
pub async fn reopen_failed(
    tx: &WriteTx,
    scope: WorkspaceScope,
    phase: MissionPhaseId,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    task::Entity::update_in(scope)
        .col_expr(
            task::Column::Status,
            Expr::value(TaskStatus::Created.as_str()),
        )
        .col_expr(task::Column::UpdatedAt, Expr::value(now))
        .filter(task::Column::PhaseId.eq(phase))
        .filter(task::Column::Status.eq(TaskStatus::Failed.as_str()))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Gives a phase the tasks that earlier phases left open, as created. A task that the phase has stays.
///
/// # Errors
/// When the database fails.
pub async fn carry(
    tx: &WriteTx,
    ids: &SharedIds,
    scope: WorkspaceScope,
    (mission, phase): (MissionId, MissionPhaseId),
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let has_some = task::Entity::find_in(scope)
        .filter(task::Column::PhaseId.eq(phase))
        .count(&**tx)
        .await?;
    if has_some > 0 {
        return Ok(());
    }
    let open = open_of(&of_mission(&**tx, scope, mission).await?);
    let rows = open.into_iter().map(|task| task::Model {
        id: fresh(ids),
        phase_id: phase,
        status: TaskStatus::Created.as_str().to_owned(),
        ignored_marks: 0,
        created_at: now,
        updated_at: now,
        ..task
    });
    upsert(tx, rows.collect()).await
}

/// The newest row of each task, as far as it is not complete.
fn open_of(tasks: &[task::Model]) -> Vec<task::Model> {
    let mut newest: BTreeMap<&str, &task::Model> = BTreeMap::new();
    for task in tasks {
        // The rows of one task are in the order of their phases.
        newest.insert(&task.external_id, task);
    }
    let open = newest
        .into_values()
        .filter(|task| TaskStatus::from_stored(&task.status) != TaskStatus::Complete);
    open.cloned().collect()
}
