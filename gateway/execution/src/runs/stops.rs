//! One agent of a run is stopped: its step ends as cancelled, and the other agents go on. A request is in the step's row, so
//! it outlives the gateway. The run's owner ends a step at work. A step that waits has no job, so the request ends it.

use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, Statement,
};

use super::entity::{state, step};
use super::fence::this_step;
use super::model::{Status, StepStatus};
use super::parking;
use super::progress::ref_of;
use crate::topology::StepRef;
use roost_platform::db::{Backend, WriteTx};
use roost_platform::ids::{RunId, UserId};

/// What other agents read in place of the step's output.
pub(super) const STOPPED: &str = "A person stopped the agent before the end of this step.";
/// An owner on another gateway looks for requests this long, also for those that ended a step.
const SEEN_WITHIN_MS: i64 = 60_000;

/// What a request to stop a step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// There is no such step in the run.
    NoStep,
    /// No agent works on the step.
    NoAgent,
    /// The step has ended, or was asked to stop before. Nothing was written.
    Unchanged,
    /// The run's owner ends the step.
    Marked { version: i64 },
    /// The step waited, and has ended.
    Ended { version: i64 },
}

/// Whether a step can be stopped. Pure.
pub(super) fn decide(run: &state::Model, row: &step::Model) -> Option<Stop> {
    let open = Status::parse(&run.status).is_some_and(|status| !status.is_final())
        && run.cancel_requested_ms.is_none();
    if !open || row.stop_asked_ms.is_some() {
        return None;
    }
    match StepStatus::parse(&row.status)? {
        StepStatus::Running => Some(Stop::Ask),
        StepStatus::Waiting => Some(Stop::End),
        StepStatus::Done | StepStatus::Failed | StepStatus::Cancelled => None,
    }
}

/// How a step is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Ask,
    End,
}

/// Asks to stop a step, or ends it when it waits. The caller's transaction publishes the change.
///
/// # Errors
/// When the database fails.
pub(super) async fn ask(
    tx: &WriteTx,
    run: RunId,
    at: &StepRef,
    by: UserId,
) -> Result<Asked, DbErr> {
    if tx.backend() == Backend::Postgres {
        let lock = "SELECT run_id FROM run_state WHERE run_id = $1 FOR UPDATE";
        let lock = Statement::from_sql_and_values(tx.backend().into(), lock, [run.into()]);
        tx.execute_raw(lock).await?;
    }
    let row = step::Entity::find()
        .filter(this_step(run, at))
        .one(&**tx)
        .await?;
    let state = state::Entity::find_by_id(run).one(&**tx).await?;
    let (Some(row), Some(state)) = (row, state) else {
        return Ok(Asked::NoStep);
    };
    if row.agent_id.is_none() {
        return Ok(Asked::NoAgent);
    }
    let Some(stop) = decide(&state, &row) else {
        return Ok(Asked::Unchanged);
    };
    let now = Expr::cust(tx.backend().now_ms());
    let mut asked = step::Entity::update_many()
        .col_expr(step::Column::StopAskedMs, now.clone())
        .col_expr(step::Column::StoppedBy, Expr::value(by))
        .filter(this_step(run, at));
    if stop == Stop::End {
        let cancelled = StepStatus::Cancelled.as_str();
        asked = asked
            .col_expr(step::Column::Status, Expr::value(cancelled))
            .col_expr(step::Column::Error, Expr::value(STOPPED))
            .col_expr(step::Column::AwaySinceMs, Expr::value(None::<i64>))
            .col_expr(step::Column::EndedMs, now);
        parking::forget(tx, run, at).await?;
    }
    asked.exec(&**tx).await?;
    let version = state.version + 1;
    let mut moved = state::Entity::update_many()
        .col_expr(state::Column::Version, Expr::value(version))
        .filter(state::Column::RunId.eq(run));
    if stop == Stop::End {
        // A run that was parked with the step is claimed again.
        moved = moved.col_expr(state::Column::WaitingOn, Expr::value(None::<String>));
    }
    moved.exec(&**tx).await?;
    Ok(match stop {
        Stop::Ask => Asked::Marked { version },
        Stop::End => Asked::Ended { version },
    })
}

/// The steps of a run that people asked to stop, with whether the request ended them.
///
/// # Errors
/// When the database fails.
pub(super) async fn of_run(
    db: &impl ConnectionTrait,
    run: RunId,
) -> Result<Vec<(StepRef, bool)>, DbErr> {
    let rows = step::Entity::find()
        .filter(step::Column::RunId.eq(run))
        .filter(step::Column::StopAskedMs.is_not_null())
        .all(db)
        .await?;
    Ok(rows.iter().filter_map(asked_of).collect())
}

fn asked_of(row: &step::Model) -> Option<(StepRef, bool)> {
    row.stop_asked_ms?;
    match StepStatus::parse(&row.status)? {
        StepStatus::Running => Some((ref_of(row), false)),
        StepStatus::Cancelled => Some((ref_of(row), true)),
        StepStatus::Waiting | StepStatus::Done | StepStatus::Failed => None,
    }
}

/// Whether the run's owner has to end a step that a person asked to stop.
pub(super) fn any_asked(steps: &[step::Model]) -> bool {
    steps.iter().filter_map(asked_of).any(|(_, ended)| !ended)
}

#[derive(FromQueryResult)]
struct Asking {
    run_id: RunId,
}

/// The runs of this owner with a step that somebody asked to stop, perhaps on another gateway.
///
/// # Errors
/// When the database fails.
pub(super) async fn asked_of_owner(
    db: &impl ConnectionTrait,
    backend: Backend,
    owner: &str,
) -> Result<Vec<RunId>, DbErr> {
    let sql = format!(
        "SELECT DISTINCT s.run_id AS run_id FROM run_steps s JOIN run_state r ON r.run_id = s.run_id \
         WHERE s.stop_asked_ms IS NOT NULL AND (s.status = 'running' OR s.stop_asked_ms > {} - {SEEN_WITHIN_MS}) \
           AND r.owner = $1 AND r.status = 'running'",
        backend.now_ms()
    );
    let statement = Statement::from_sql_and_values(backend.into(), sql, [owner.into()]);
    let rows = Asking::find_by_statement(statement).all(db).await?;
    Ok(rows.into_iter().map(|row| row.run_id).collect())
}
