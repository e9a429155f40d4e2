//! All SQL of routines and their firings.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait, sea_query::Expr,
};

use super::context::RoutinesHandle;
use super::entity::{firing, routine};
use super::model::{AtWork, FiringState};
use roost_platform::db::{TenantEntity, WriteTx};
use roost_platform::ids::{FiringId, RoutineId, UserId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// The lines of the journal that each routine keeps.
const KEPT: u64 = 200;

/// A routine of the workspace.
///
/// # Errors
/// When the database fails.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: RoutineId,
) -> Result<Option<routine::Model>, DbErr> {
    routine::Entity::find_by_id_in(scope, id).one(db).await
}

/// As [`get`], and locks the row until the end of the transaction.
///
/// # Errors
/// When the database fails.
pub async fn locked(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: RoutineId,
) -> Result<Option<routine::Model>, DbErr> {
    let version = routine::Column::Version;
    let rows = routine::Entity::update_in(scope)
        .col_expr(version, Expr::col(version))
        .filter(routine::Column::Id.eq(id))
        .exec_with_returning(&**tx)
        .await?;
    Ok(rows.into_iter().next())
}

/// Routines, newest first.
///
/// # Errors
/// When the database fails.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    page: PageRequest,
) -> Result<Vec<routine::Model>, DbErr> {
    routine::Entity::find_in(scope)
        .apply_if(page.after, |query, after| {
            query.filter(routine::Column::Id.lt(after))
        })
        .order_by_desc(routine::Column::Id)
        .limit(page.limit + 1)
        .all(db)
        .await
}

/// The number of routines of a workspace.
///
/// # Errors
/// When the database fails.
pub async fn count(db: &impl ConnectionTrait, scope: WorkspaceScope) -> Result<u64, DbErr> {
    routine::Entity::find_in(scope).count(db).await
}

/// Inserts a routine.
///
/// # Errors
/// When the database fails.
pub async fn insert(tx: &WriteTx, row: routine::Model) -> Result<(), DbErr> {
    routine::Entity::insert(row.into_active_model())
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Writes a changed routine. The caller holds its row.
///
/// # Errors
/// When the database fails.
pub async fn replace(tx: &WriteTx, row: &routine::Model) -> Result<(), DbErr> {
    use routine::Column as C;
    routine::Entity::update_many()
        .col_expr(C::Name, Expr::value(row.name.clone()))
        .col_expr(C::Schedule, Expr::value(row.schedule.clone()))
        .col_expr(C::Recipe, Expr::value(row.recipe.clone()))
        .col_expr(C::Missed, Expr::value(row.missed.clone()))
        .col_expr(C::Overlap, Expr::value(row.overlap.clone()))
        .col_expr(C::Enabled, Expr::value(row.enabled))
        .col_expr(C::NextDueAt, Expr::value(row.next_due_at))
        .col_expr(C::UpdatedAt, Expr::value(row.updated_at))
        .col_expr(C::Version, Expr::value(row.version))
        .filter(C::Id.eq(row.id))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Deletes a routine with its journal.
///
/// # Errors
/// When the database fails.
pub async fn remove(tx: &WriteTx, scope: WorkspaceScope, id: RoutineId) -> Result<(), DbErr> {
    routine::Entity::delete_in(scope)
        .filter(routine::Column::Id.eq(id))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Deletes the routines of a workspace.
///
/// # Errors
/// When the database fails.
pub async fn remove_all(tx: &WriteTx, scope: WorkspaceScope) -> Result<(), DbErr> {
    routine::Entity::delete_in(scope).exec(&**tx).await?;
    Ok(())
}

/// The routines that are due, those that wait longest first.
///
/// # Errors
/// When the database fails.
pub async fn due(
    db: &impl ConnectionTrait,
    now: DateTime<Utc>,
    most: u64,
) -> Result<Vec<(RoutineId, WorkspaceId, UserId)>, DbErr> {
    routine::Entity::find()
        .select_only()
        .column(routine::Column::Id)
        .column(routine::Column::WorkspaceId)
        .column(routine::Column::CreatedBy)
        .filter(routine::Column::Enabled.eq(true))
        .filter(routine::Column::NextDueAt.lte(now))
        .order_by_asc(routine::Column::NextDueAt)
        .limit(most)
        .into_tuple()
        .all(db)
        .await
}

/// The journal, newest first.
///
/// # Errors
/// When the database fails.
pub async fn journal(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    (routine, state): (Option<RoutineId>, Option<FiringState>),
    page: PageRequest,
) -> Result<Vec<firing::Model>, DbErr> {
    use firing::Column as C;
    firing::Entity::find_in(scope)
        .apply_if(page.after, |query, after| query.filter(C::Id.lt(after)))
        .apply_if(routine, |query, id| query.filter(C::RoutineId.eq(id)))
        .apply_if(state, |query, state| {
            query.filter(C::State.eq(state.as_str()))
        })
        .order_by_desc(C::Id)
        .limit(page.limit + 1)
        .all(db)
        .await
}

/// A firing of the workspace.
///
/// # Errors
/// When the database fails.
pub async fn firing(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: FiringId,
) -> Result<Option<firing::Model>, DbErr> {
    firing::Entity::find_by_id_in(scope, id).one(db).await
}

/// The newest line of each of these routines.
///
/// # Errors
/// When the database fails.
pub async fn newest(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    routines: &[RoutineId],
) -> Result<HashMap<RoutineId, firing::Model>, DbErr> {
    use firing::Column as C;
    // PostgreSQL has no maximum of ids, so each routine is read by itself, along its index.
    let mut newest = HashMap::new();
    for id in routines {
        let row = firing::Entity::find_in(scope)
            .filter(C::RoutineId.eq(*id))
            .order_by_desc(C::Id)
            .one(db)
            .await?;
        newest.extend(row.map(|row| (*id, row)));
    }
    Ok(newest)
}

/// The firings that work, of these routines.
///
/// # Errors
/// When the database fails.
pub async fn at_work(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    routines: &[RoutineId],
) -> Result<HashMap<RoutineId, AtWork>, DbErr> {
    use firing::Column as C;
    let rows: Vec<(RoutineId, bool)> = firing::Entity::find_in(scope)
        .select_only()
        .columns([C::RoutineId, C::AtDoor])
        .filter(C::RoutineId.is_in(routines.iter().copied()))
        .filter(C::State.eq(FiringState::Started.as_str()))
        .into_tuple()
        .all(db)
        .await?;
    let mut all: HashMap<RoutineId, AtWork> = HashMap::new();
    for (routine, at_door) in rows {
        let of = all.entry(routine).or_default();
        of.firings += 1;
        of.at_door |= at_door;
    }
    Ok(all)
}

/// Notes whether something of a firing that works waits for an approval. `false` when the firing has ended.
///
/// # Errors
/// When the database fails.
pub async fn set_at_door(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: FiringId,
    at_door: bool,
) -> Result<bool, DbErr> {
    use firing::Column as C;
    let done = firing::Entity::update_in(scope)
        .col_expr(C::AtDoor, Expr::value(at_door))
        .filter(C::Id.eq(id))
        .filter(C::State.eq(FiringState::Started.as_str()))
        .exec(&**tx)
        .await?;
    Ok(done.rows_affected > 0)
}

/// The firings of all workspaces that work, oldest first.
///
/// # Errors
/// When the database fails.
pub async fn open(
    db: &impl ConnectionTrait,
    after: Option<FiringId>,
    most: u64,
) -> Result<Vec<firing::Model>, DbErr> {
    firing::Entity::find()
        .filter(firing::Column::State.eq(FiringState::Started.as_str()))
        .apply_if(after, |query, after| {
            query.filter(firing::Column::Id.gt(after))
        })
        .order_by_asc(firing::Column::Id)
        .limit(most)
        .all(db)
        .await
}

/// Adds a line to the journal, and removes the oldest lines of the routine whose work has ended.
///
/// # Errors
/// When the database fails.
pub async fn note(tx: &WriteTx, scope: WorkspaceScope, row: firing::Model) -> Result<(), DbErr> {
    use firing::Column as C;
    let routine = row.routine_id;
    firing::Entity::insert(row.into_active_model())
        .exec_without_returning(&**tx)
        .await?;
    let oldest: Option<FiringId> = firing::Entity::find_in(scope)
        .select_only()
        .column(C::Id)
        .filter(C::RoutineId.eq(routine))
        .order_by_desc(C::Id)
        .offset(KEPT)
        .limit(1)
        .into_tuple()
        .one(&**tx)
        .await?;
    if let Some(oldest) = oldest {
        firing::Entity::delete_in(scope)
            .filter(C::RoutineId.eq(routine))
            .filter(C::State.ne(FiringState::Started.as_str()))
            .filter(C::Id.lte(oldest))
            .exec(&**tx)
            .await?;
    }
    Ok(())
}

/// Ends a firing that works. `false` when it has ended already.
///
/// # Errors
/// When the database fails.
pub async fn end(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: FiringId,
    (state, reason): (FiringState, Option<String>),
    now: DateTime<Utc>,
) -> Result<bool, DbErr> {
    use firing::Column as C;
    let done = firing::Entity::update_in(scope)
        .col_expr(C::State, Expr::value(state.as_str()))
        .col_expr(C::Reason, Expr::value(reason))
        .col_expr(C::EndedAt, Expr::value(now))
        .filter(C::Id.eq(id))
        .filter(C::State.eq(FiringState::Started.as_str()))
        .exec(&**tx)
        .await?;
    Ok(done.rows_affected == 1)
}

/// Wakes the scheduler when the runs of routines have ended, in the transaction of the end.
pub fn after_runs(tx: &mut WriteTx, handle: &RoutinesHandle) {
    tx.wake(handle.scheduler());
}

/// The names of routines.
///
/// # Errors
/// When the database fails.
pub async fn names(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    ids: impl IntoIterator<Item = RoutineId>,
) -> Result<HashMap<RoutineId, String>, DbErr> {
    let rows: Vec<(RoutineId, String)> = routine::Entity::find_in(scope)
        .select_only()
        .column(routine::Column::Id)
        .column(routine::Column::Name)
        .filter(routine::Column::Id.is_in(ids))
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().collect())
}
