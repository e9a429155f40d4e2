//! Notes the ends of what routines started, and when it begins and ends to wait for an approval.

use super::entity::firing;
use super::model::FiringState;
use super::touch::announce;
use super::{RoutineError, RoutinesContext, retire, scheduler, store};
use crate::missions::{self, model::Status};
use roost_connections::doors;
use roost_execution::runs::{self, RunStatus};
use roost_platform::supervision::Failure;
use roost_tenancy::auth::WorkspaceScope;

/// The firings that are read at once.
const SOME: u64 = 200;

/// Looks at all firings that work.
pub async fn settle_all(state: &RoutinesContext) -> Result<(), Failure> {
    let mut after = None;
    loop {
        let open = store::open(state.db.read(), after, SOME).await?;
        for firing in &open {
            let noted = match end_of(state, firing).await? {
                Some(end) => settle(state, firing, end).await,
                None => note_door(state, firing).await,
            };
            match noted {
                Ok(true) => {}
                // Another gateway has the lease.
                Ok(false) => return Ok(()),
                Err(RoutineError::Db(error)) => return Err(error.into()),
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, firing = %firing.id, "a change of a firing was not noted; the next look tries again");
                }
            }
        }
        let is_last = (open.len() as u64) < SOME;
        after = open.last().map(|firing| firing.id);
        if is_last {
            return Ok(());
        }
    }
}

/// How what a firing started has ended. `None` while it works.
async fn end_of(
    state: &RoutinesContext,
    firing: &firing::Model,
) -> Result<Option<(FiringState, Option<String>)>, sea_orm::DbErr> {
    let (db, scope) = (state.db.read(), WorkspaceScope::of_row(firing.workspace_id));
    let failed = |why: &str| Some((FiringState::Failed, Some(why.to_owned())));
    if let Some(run) = firing.run_id {
        let Some(run) = runs::find(db, scope, run).await? else {
            return Ok(failed("Its run was deleted."));
        };
        return Ok(match RunStatus::parse(&run.status) {
            Some(RunStatus::Completed) if run.outcome.as_deref() == Some("rejected") => {
                let why = run.outcome_reason.unwrap_or_default();
                failed(&format!("The outcome of its run is rejected. {why}"))
            }
            Some(RunStatus::Completed) => Some((FiringState::Done, None)),
            Some(RunStatus::Failed) => {
                let why = run.error.unwrap_or_default();
                failed(&format!("Its run failed. {why}"))
            }
            Some(RunStatus::Cancelled) => failed("Its run was cancelled."),
            _ => None,
        });
    }
    let Some(mission) = firing.mission_id else {
        return Ok(failed("It started nothing."));
    };
    let Some(mission) = missions::find(db, scope, mission).await? else {
        return Ok(failed("Its mission was deleted."));
    };
    Ok(match Status::parse(&mission.status) {
        Some(Status::Completed) => Some((FiringState::Done, None)),
        Some(Status::Failed) => failed("Its mission failed."),
        Some(Status::Cancelled) => failed("Its mission was cancelled."),
        _ => None,
    })
}

/// Announces the routine when its work begins to wait for an approval, and when it goes on. `false` when another gateway has
/// the lease.
async fn note_door(state: &RoutinesContext, firing: &firing::Model) -> Result<bool, RoutineError> {
    let (db, scope) = (state.db.read(), WorkspaceScope::of_row(firing.workspace_id));
    let runs = match (firing.run_id, firing.mission_id) {
        (Some(run), _) => vec![run],
        (None, Some(mission)) => missions::runs_of(db, scope, mission).await?,
        (None, None) => Vec::new(),
    };
    let at_door = doors::is_waited_for(db, scope, &runs).await?;
    if at_door == firing.at_door {
        return Ok(true);
    }
    let Some(mut change) = scheduler::change(state, scope, firing.acted_for).await? else {
        return Ok(false);
    };
    let row = store::locked(&change, scope, firing.routine_id).await?;
    if let Some(row) = row
        && store::set_at_door(&change, scope, firing.id, at_door).await?
    {
        announce(&mut change, &row, None).await?;
        change.commit().await?;
    }
    Ok(true)
}

async fn settle(
    state: &RoutinesContext,
    firing: &firing::Model,
    end: (FiringState, Option<String>),
) -> Result<bool, RoutineError> {
    let scope = WorkspaceScope::of_row(firing.workspace_id);
    let Some(mut change) = scheduler::change(state, scope, firing.acted_for).await? else {
        return Ok(false);
    };
    let Some(row) = store::locked(&change, scope, firing.routine_id).await? else {
        return Ok(true);
    };
    let (now, last) = (change.now(), end.0);
    if store::end(&change, scope, firing.id, end, now).await? {
        if let Some(mission) = firing.mission_id {
            retire::earlier_teams(state, &mut change, firing.routine_id, mission).await?;
        }
        announce(&mut change, &row, Some(last)).await?;
        change.commit().await?;
    }
    Ok(true)
}
