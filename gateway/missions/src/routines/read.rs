//! Routines as they are shown.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use sea_orm::ConnectionTrait;

use super::dto::{Routine, RoutineFiring, RoutinePreview};
use super::entity::{firing, routine};
use super::model::{Cause, FiringState, Missed, Overlap};
use super::schedule::Schedule;
use super::touch::{due_at, schedule_of, standing};
use super::{RoutineError, store};
use roost_platform::ids::RoutineId;
use roost_tenancy::auth::{self, UserBrief, WorkspaceScope};

/// The due times that a routine shows.
const SHOWN: usize = 5;

/// The routines of these rows.
///
/// # Errors
/// When the database fails, or a row has a form of another version.
pub async fn shown(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    now: DateTime<Utc>,
    rows: Vec<routine::Model>,
) -> Result<Vec<Routine>, RoutineError> {
    let ids: Vec<RoutineId> = rows.iter().map(|row| row.id).collect();
    let at_work = store::at_work(db, scope, &ids).await?;
    let mut newest = store::newest(db, scope, &ids).await?;
    let people = auth::users_by_id(db, rows.iter().map(|row| row.created_by)).await?;
    let people: HashMap<_, UserBrief> = people
        .into_iter()
        .map(|user| (user.id, user.into()))
        .collect();
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let schedule = schedule_of(&row)?;
        let working = at_work.get(&row.id).copied().unwrap_or_default();
        let next_due = schedule.checked(row.created_at).map(|checked| {
            let next = match row.enabled {
                true => row.next_due_at,
                false => checked.next(now),
            };
            checked.upcoming(next, SHOWN)
        });
        all.push(Routine {
            words: schedule.in_words(),
            next_due: next_due.unwrap_or_default(),
            state: standing(&row, working),
            at_work: working.firings,
            last: newest.remove(&row.id).map(|row| line(row, None)),
            schedule,
            recipe: serde_json::from_str(&row.recipe).map_err(RoutineError::Unreadable)?,
            missed: Missed::from_stored(&row.missed),
            overlap: Overlap::from_stored(&row.overlap),
            created_by: people.get(&row.created_by).cloned(),
            id: row.id,
            name: row.name,
            enabled: row.enabled,
            mission_id: row.mission_id,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: row.version,
        });
    }
    Ok(all)
}

/// One routine.
///
/// # Errors
/// [`RoutineError::NotFound`].
pub async fn one(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    now: DateTime<Utc>,
    id: RoutineId,
) -> Result<Routine, RoutineError> {
    let row = store::get(db, scope, id).await?;
    let row = row.ok_or(RoutineError::NotFound)?;
    let mut shown = shown(db, scope, now, vec![row]).await?;
    shown.pop().ok_or(RoutineError::NotFound)
}

/// The next due times of a schedule that begins now.
///
/// # Errors
/// [`RoutineError::Wrong`].
pub fn preview(
    schedule: &Schedule,
    now: DateTime<Utc>,
    most: usize,
) -> Result<RoutinePreview, RoutineError> {
    let checked = due_at(schedule, now)?;
    Ok(RoutinePreview {
        words: schedule.in_words(),
        due: checked.upcoming(checked.first(now), most),
    })
}

/// The lines of the journal with the names of their routines.
///
/// # Errors
/// When the database fails.
pub async fn lines(
    db: &impl ConnectionTrait,
    scope: WorkspaceScope,
    rows: Vec<firing::Model>,
) -> Result<Vec<RoutineFiring>, RoutineError> {
    let ids: HashSet<RoutineId> = rows.iter().map(|row| row.routine_id).collect();
    let names = store::names(db, scope, ids).await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let name = names.get(&row.routine_id).cloned();
            line(row, name)
        })
        .collect())
}

/// A line of the journal.
pub fn line(row: firing::Model, routine_name: Option<String>) -> RoutineFiring {
    RoutineFiring {
        id: row.id,
        routine_id: row.routine_id,
        routine_name,
        cause: Cause::from_stored(&row.cause),
        state: FiringState::from_stored(&row.state),
        due_at: row.due_at,
        noted_at: row.noted_at,
        due_times: row.due_times,
        reason: row.reason,
        run_id: row.run_id,
        mission_id: row.mission_id,
        ended_at: row.ended_at,
    }
}
