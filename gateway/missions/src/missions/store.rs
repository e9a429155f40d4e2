//! All SQL of missions and their phases.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait},
};

use super::entity::{mission, mission_team, phase, phase_run};
use super::handle::MissionsHandle;
use super::model::{PhaseStatus, Status};
use roost_platform::broker::credential::name_of;
use roost_platform::broker::outbox;
use roost_platform::db::lease::Lease;
use roost_platform::db::{Db, TenantEntity, WriteTx};
use roost_platform::ids::{MissionId, MissionPhaseId, RoutineId, RunId, TeamId, WorkspaceId};
use roost_tenancy::auth::WorkspaceScope;
use roost_web::pagination::PageRequest;

/// A mission of the workspace.
///
/// # Errors
/// When the database fails.
pub async fn get(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<Option<mission::Model>, DbErr> {
    mission::Entity::find_by_id_in(scope, id).one(db).await
}

/// As [`get`], and locks the row until the end of the transaction.
///
/// # Errors
/// When the database fails.
pub async fn locked(
    tx: &WriteTx,
    scope: WorkspaceScope,
    id: MissionId,
) -> Result<Option<mission::Model>, DbErr> {
    let rows = mission::Entity::update_in(scope)
        .col_expr(
            mission::Column::Version,
            Expr::col(mission::Column::Version),
        )
        .filter(mission::Column::Id.eq(id))
        .exec_with_returning(&**tx)
        .await?;
    Ok(rows.into_iter().next())
}

/// These missions, as far as the workspace has them.
///
/// # Errors
/// When the database fails.
pub async fn some(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    ids: &[MissionId],
) -> Result<Vec<mission::Model>, DbErr> {
    mission::Entity::find_in(scope)
        .filter(mission::Column::Id.is_in(ids.iter().copied()))
        .all(db)
        .await
}

/// The mission that a team was minted for.
///
/// # Errors
/// When the database fails.
pub async fn mission_of_team(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    team: TeamId,
) -> Result<Option<mission::Model>, DbErr> {
    let minted = mission_team::Entity::find_by_id_in(scope, team)
        .one(db)
        .await?;
    match minted {
        Some(minted) => get(db, scope, minted.mission_id).await,
        None => Ok(None),
    }
}

/// Missions, newest first.
///
/// # Errors
/// When the database fails.
pub async fn list(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    (status, team): (Option<Status>, Option<TeamId>),
    page: PageRequest,
) -> Result<Vec<mission::Model>, DbErr> {
    mission::Entity::find_in(scope)
        .apply_if(page.after, |query, after| {
            query.filter(mission::Column::Id.lt(after))
        })
        .apply_if(team, |query, team| {
            let minted = mission_team::Entity::find_in(scope)
                .select_only()
                .column(mission_team::Column::MissionId)
                .filter(mission_team::Column::TeamId.eq(team))
                .into_query();
            query.filter(mission::Column::Id.in_subquery(minted))
        })
        .apply_if(status, |query, status| {
            query.filter(mission::Column::Status.eq(status.as_str()))
        })
        .order_by_desc(mission::Column::Id)
        .limit(page.limit + 1)
        .all(db)
        .await
}

/// Inserts a mission with its phases.
///
/// # Errors
/// When the database fails.
pub async fn insert(
    tx: &WriteTx,
    row: mission::Model,
    phases: Vec<phase::Model>,
) -> Result<(), DbErr> {
    mission::Entity::insert(row.into_active_model())
        .exec_without_returning(&**tx)
        .await?;
    let phases = phases.into_iter().map(IntoActiveModel::into_active_model);
    phase::Entity::insert_many(phases)
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Writes a changed mission. The caller holds its row.
///
/// # Errors
/// When the database fails.
pub async fn replace(tx: &WriteTx, row: &mission::Model) -> Result<(), DbErr> {
    use mission::Column as C;
    mission::Entity::update_many()
        .col_expr(C::TeamId, Expr::value(row.team_id.map(|team| team.0)))
        .col_expr(C::Status, Expr::value(row.status.clone()))
        .col_expr(C::StatusReason, Expr::value(row.status_reason.clone()))
        .col_expr(C::StatusDetail, Expr::value(row.status_detail.clone()))
        .col_expr(
            C::RuntimeContainerName,
            Expr::value(row.runtime_container_name.clone()),
        )
        .col_expr(
            C::RuntimeEndpoint,
            Expr::value(row.runtime_endpoint.clone()),
        )
        .col_expr(
            C::RuntimePairingCode,
            Expr::value(row.runtime_pairing_code.clone()),
        )
        .col_expr(C::RuntimeState, Expr::value(row.runtime_state.clone()))
        .col_expr(C::RuntimeDetail, Expr::value(row.runtime_detail.clone()))
        .col_expr(C::UpdatedAt, Expr::value(row.updated_at))
        .col_expr(C::LaunchedAt, Expr::value(row.launched_at))
        .col_expr(C::EndedAt, Expr::value(row.ended_at))
        .col_expr(C::Version, Expr::value(row.version))
        .filter(C::Id.eq(row.id))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The phases of missions, in order.
///
/// # Errors
/// When the database fails.
pub async fn phases(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    missions: &[MissionId],
) -> Result<Vec<phase::Model>, DbErr> {
    phase::Entity::find_in(scope)
        .filter(phase::Column::MissionId.is_in(missions.iter().copied()))
        .order_by_asc(phase::Column::MissionId)
        .order_by_asc(phase::Column::Position)
        .all(db)
        .await
}

/// Writes a changed phase. The caller holds the row of its mission.
///
/// # Errors
/// When the database fails.
pub async fn replace_phase(tx: &WriteTx, row: &phase::Model) -> Result<(), DbErr> {
    use phase::Column as C;
    phase::Entity::update_many()
        .col_expr(C::Status, Expr::value(row.status.clone()))
        .col_expr(C::Attempt, Expr::value(row.attempt))
        .col_expr(C::Reason, Expr::value(row.reason.clone()))
        .col_expr(C::Input, Expr::value(row.input.clone()))
        .col_expr(C::DroppedTasks, Expr::value(row.dropped_tasks))
        .col_expr(C::StartedAt, Expr::value(row.started_at))
        .col_expr(C::EndedAt, Expr::value(row.ended_at))
        .filter(C::Id.eq(row.id))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The runs of all attempts of a mission's phases.
///
/// # Errors
/// When the database fails.
pub async fn phase_runs(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    missions: &[MissionId],
) -> Result<Vec<phase_run::Model>, DbErr> {
    phase_run::Entity::find_in(scope)
        .filter(phase_run::Column::MissionId.is_in(missions.iter().copied()))
        .order_by_asc(phase_run::Column::PhaseId)
        .order_by_asc(phase_run::Column::Attempt)
        .order_by_asc(phase_run::Column::RunId)
        .all(db)
        .await
}

/// The runs of all attempts of a mission.
///
/// # Errors
/// When the database fails.
pub async fn runs_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
) -> Result<Vec<RunId>, DbErr> {
    let runs = phase_runs(db, scope, &[mission]).await?;
    Ok(runs.into_iter().map(|run| run.run_id).collect())
}

/// Records the run of a team in an attempt of a phase.
///
/// # Errors
/// When the database fails. The attempt of a phase has one run for each team.
pub async fn insert_phase_run(tx: &WriteTx, row: phase_run::Model) -> Result<(), DbErr> {
    phase_run::Entity::insert(row.into_active_model())
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// Records whether the mission paused these runs.
///
/// # Errors
/// When the database fails.
pub async fn set_held(
    tx: &WriteTx,
    scope: WorkspaceScope,
    runs: &[RunId],
    held: bool,
) -> Result<(), DbErr> {
    phase_run::Entity::update_in(scope)
        .col_expr(phase_run::Column::Held, Expr::value(held))
        .filter(phase_run::Column::RunId.is_in(runs.iter().copied()))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// The teams of a mission, oldest first.
///
/// # Errors
/// When the database fails.
pub async fn teams(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
) -> Result<Vec<mission_team::Model>, DbErr> {
    mission_team::Entity::find_in(scope)
        .filter(mission_team::Column::MissionId.eq(mission))
        .order_by_asc(mission_team::Column::CreatedAt)
        .order_by_asc(mission_team::Column::TeamId)
        .all(db)
        .await
}

/// The most missions of a routine of which [`teams_of_earlier`] tells.
const MOST_EARLIER: u64 = 200;

/// The teams of the missions that a routine launched before this one and that have ended: of the newest 200, also teams that
/// are gone.
///
/// # Errors
/// When the database fails.
pub async fn teams_of_earlier(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    routine: RoutineId,
    before: MissionId,
) -> Result<Vec<TeamId>, DbErr> {
    let ended = Status::ALL.iter().filter(|status| status.is_final());
    let earlier: Vec<MissionId> = mission::Entity::find_in(scope)
        .select_only()
        .column(mission::Column::Id)
        .filter(mission::Column::RoutineId.eq(routine))
        .filter(mission::Column::Id.lt(before))
        .filter(mission::Column::Status.is_in(ended.map(|status| status.as_str())))
        .order_by_desc(mission::Column::Id)
        .limit(MOST_EARLIER)
        .into_tuple()
        .all(db)
        .await?;
    mission_team::Entity::find_in(scope)
        .select_only()
        .column(mission_team::Column::TeamId)
        .filter(mission_team::Column::MissionId.is_in(earlier))
        .order_by_asc(mission_team::Column::TeamId)
        .into_tuple()
        .all(db)
        .await
}

/// Records a team of a mission.
///
/// # Errors
/// When the database fails.
pub async fn insert_team(tx: &WriteTx, row: mission_team::Model) -> Result<(), DbErr> {
    mission_team::Entity::insert(row.into_active_model())
        .exec_without_returning(&**tx)
        .await?;
    Ok(())
}

/// The missions of a workspace that are launched and have not ended, newest first.
///
/// # Errors
/// When the database fails.
pub async fn in_flight(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    most: u64,
) -> Result<Vec<mission::Model>, DbErr> {
    let flying = [Status::Running.as_str(), Status::Paused.as_str()];
    mission::Entity::find_in(scope)
        .filter(mission::Column::Status.is_in(flying))
        .order_by_desc(mission::Column::Id)
        .limit(most)
        .all(db)
        .await
}

/// The teams of these missions.
///
/// # Errors
/// When the database fails.
pub async fn teams_of(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    missions: impl IntoIterator<Item = MissionId>,
) -> Result<Vec<mission_team::Model>, DbErr> {
    mission_team::Entity::find_in(scope)
        .filter(mission_team::Column::MissionId.is_in(missions))
        .order_by_asc(mission_team::Column::TeamId)
        .all(db)
        .await
}

/// A mission that an actor has to drive.
pub type Live = (MissionId, WorkspaceId, String);

/// The missions that an actor has to drive: those that run, and those with a phase at work.
///
/// # Errors
/// When the database fails.
pub async fn live(db: &impl ConnectionTrait, most: u64) -> Result<Vec<Live>, DbErr> {
    let at_work = phase::Entity::find()
        .select_only()
        .column(phase::Column::MissionId)
        .filter(phase::Column::Status.eq(PhaseStatus::Running.as_str()))
        .into_query();
    mission::Entity::find()
        .select_only()
        .column(mission::Column::Id)
        .column(mission::Column::WorkspaceId)
        .column(mission::Column::Title)
        .filter(
            mission::Column::Status
                .eq(Status::Running.as_str())
                .or(mission::Column::Id.in_subquery(at_work)),
        )
        .order_by_asc(mission::Column::Id)
        .limit(most)
        .into_tuple()
        .all(db)
        .await
}

/// The name of a mission's lease.
pub fn lease_name(id: MissionId) -> String {
    format!("{LEASES}{id}")
}

/// The begin of the names of missions' leases.
const LEASES: &str = "mission:";

/// The time that a gateway drives a mission without a renewal.
pub const LEASE: Duration = Duration::from_secs(15);

/// Those of these missions that another gateway drives now.
///
/// # Errors
/// When the database fails.
pub async fn driven_elsewhere(
    db: &Db,
    owner: &str,
    missions: &[Live],
) -> Result<HashSet<MissionId>, DbErr> {
    let names: HashMap<String, MissionId> = missions
        .iter()
        .map(|(id, ..)| (lease_name(*id), *id))
        .collect();
    let held = Lease::held_by_others(db, owner, names.keys().cloned()).await?;
    Ok(held
        .iter()
        .filter_map(|name| names.get(name).copied())
        .collect())
}

/// Ends leases whose owner is gone. On SQLite only one gateway can open the file, so no lease of an earlier process
/// counts. On PostgreSQL leases end by themselves, and this removes those that ended long ago.
///
/// # Errors
/// When the database fails.
pub async fn forget_leases(db: &Db, owner: &str) -> Result<(), DbErr> {
    Lease::forget(db, LEASES, owner).await
}

/// Wakes the actors of the missions whose runs ended, in the transaction of the end.
pub fn after_runs(tx: &mut WriteTx, handle: &MissionsHandle, missions: &[MissionId]) {
    for mission in missions {
        if let Some(nudge) = handle.nudge_of(*mission) {
            tx.wake(&nudge);
        }
    }
}

/// Deletes the missions of a workspace, with everything that goes with them.
///
/// # Errors
/// When the database fails.
pub async fn remove_all(
    tx: &WriteTx,
    scope: WorkspaceScope,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let paired = mission::Entity::find_in(scope)
        .filter(mission::Column::RuntimePairingCode.is_not_null())
        .all(&**tx)
        .await?;
    for reference in paired
        .into_iter()
        .filter_map(|row| row.runtime_pairing_code)
    {
        let name = name_of(scope.workspace(), &reference)?;
        outbox::forget(tx, &name, now).await?;
    }
    mission::Entity::delete_in(scope).exec(&**tx).await?;
    Ok(())
}

/// A phase of a mission.
///
/// # Errors
/// When the database fails.
pub async fn phase(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    mission: MissionId,
    id: MissionPhaseId,
) -> Result<Option<phase::Model>, DbErr> {
    phase::Entity::find_by_id_in(scope, id)
        .filter(phase::Column::MissionId.eq(mission))
        .one(db)
        .await
}
