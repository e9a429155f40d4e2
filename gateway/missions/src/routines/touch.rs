//! The next version of a routine, which each of its changes writes, and its events.

use chrono::{DateTime, Utc};

use super::entity::routine;
use super::model::{AtWork, FiringState, Standing};
use super::schedule::{Checked, Schedule};
use super::{RoutineError, store};
use roost_platform::events::{Event, ResourceKind, RoutineKind, RoutineState, RoutineUpdate};
use roost_tenancy::auth;
use roost_tenancy::change::Change;
use roost_web::json::Mistakes;

/// The schedule of a row.
///
/// # Errors
/// [`RoutineError::Unreadable`].
pub fn schedule_of(row: &routine::Model) -> Result<Schedule, RoutineError> {
    serde_json::from_str(&row.schedule).map_err(RoutineError::Unreadable)
}

/// Checks a schedule that begins at a time.
///
/// # Errors
/// [`RoutineError::Wrong`], also when it never fires.
pub fn due_at(schedule: &Schedule, now: DateTime<Utc>) -> Result<Checked, RoutineError> {
    let mut mistakes = Mistakes::default();
    let checked = schedule.check(now, "/schedule", &mut mistakes);
    checked.ok_or_else(|| {
        let error = mistakes.done().err();
        RoutineError::Wrong(error.map(|error| error.errors).unwrap_or_default())
    })
}

/// The state of a routine.
pub fn standing(row: &routine::Model, at_work: AtWork) -> Standing {
    match (row.enabled, row.next_due_at) {
        _ if at_work.at_door => Standing::Door,
        _ if at_work.firings > 0 => Standing::Running,
        (_, None) => Standing::Done,
        (true, Some(_)) => Standing::Scheduled,
        (false, Some(_)) => Standing::Paused,
    }
}

/// Writes the next version of a routine, and announces it. `last` is the state of a firing that the change noted.
///
/// # Errors
/// When the database fails.
pub async fn touch(
    change: &mut Change,
    row: routine::Model,
    last: Option<FiringState>,
) -> Result<routine::Model, RoutineError> {
    let row = routine::Model {
        version: row.version + 1,
        updated_at: change.now(),
        ..row
    };
    store::replace(change, &row).await?;
    announce(change, &row, last).await?;
    Ok(row)
}

/// Announces a routine.
///
/// # Errors
/// When the database fails.
pub async fn announce(
    change: &mut Change,
    row: &routine::Model,
    last: Option<FiringState>,
) -> Result<(), RoutineError> {
    let schedule = schedule_of(row)?;
    let at_work = store::at_work(change.tx(), change.scope(), &[row.id]).await?;
    let standing = standing(row, at_work.get(&row.id).copied().unwrap_or_default());
    let state = match (standing, last) {
        (Standing::Running, _) => Some(RoutineState::Running),
        (Standing::Door, _) => Some(RoutineState::Door),
        (_, Some(FiringState::Failed)) => Some(RoutineState::Failed),
        (Standing::Scheduled, _) => Some(RoutineState::Scheduled),
        (Standing::Done, _) => Some(RoutineState::Done),
        // The specification has no word for a routine that a person paused.
        (Standing::Paused, _) => None,
    };
    let owner = auth::users_by_id(change.tx(), [row.created_by]).await?;
    let checked = schedule.checked(change.now()).ok();
    change.event(Event::changed(ResourceKind::Routine, row.id, row.version));
    change.event(Event::RoutineUpdate(RoutineUpdate {
        routine_id: row.id.0,
        name: row.name.clone(),
        kind: match schedule {
            Schedule::Cron(_) => RoutineKind::Cron,
            Schedule::Loop(_) => RoutineKind::Loop,
        },
        owner: owner.into_iter().next().map(|user| user.name),
        schedule: Some(schedule.hint()),
        progress: checked.and_then(|checked| checked.progress(row.next_due_at)),
        state,
    }));
    Ok(())
}
