//! Changes, pauses or resumes a routine.

use super::create::{stored, tried};
use crate::routines::dto::RoutineChange;
use crate::routines::entity::routine;
use crate::routines::touch::{due_at, schedule_of, touch};
use crate::routines::{RoutineError, RoutinesContext, store};
use roost_platform::ids::{RoutineId, UserId};
use roost_tenancy::auth::{Role, WorkspaceScope};
use roost_tenancy::change::Change;
use roost_web::problem::FieldError;

/// Writes the fields of the request. A routine with a new schedule, and one that is resumed, is due next after now: due times
/// during a pause are not missed.
///
/// # Errors
/// [`RoutineError::NotFound`], [`RoutineError::Wrong`], and those of a firing for a new recipe.
pub async fn update(
    state: &RoutinesContext,
    scope: WorkspaceScope,
    (user, role): (UserId, Role),
    (id, version): (RoutineId, Option<i64>),
    wanted: RoutineChange,
) -> Result<routine::Model, RoutineError> {
    if let Some(schedule) = &wanted.schedule {
        due_at(schedule, state.clock.now())?;
    }
    if let Some(recipe) = &wanted.recipe {
        let row = store::get(state.db.read(), scope, id).await?;
        let row = row.ok_or(RoutineError::NotFound)?;
        tried(state, scope, (user, role), &row.name, recipe).await?;
    }
    let mut change = Change::begin(state, scope, user).await?;
    let mut row = store::locked(&change, scope, id)
        .await?
        .ok_or(RoutineError::NotFound)?;
    if version.is_some_and(|version| version != row.version) {
        return Err(RoutineError::VersionMismatch {
            current: row.version,
        });
    }
    let now = change.now();
    let was_enabled = row.enabled;
    row.enabled = wanted.enabled.unwrap_or(row.enabled);
    let is_new = wanted.schedule.is_some();
    let schedule = match wanted.schedule {
        Some(schedule) => schedule.starting(now),
        None => schedule_of(&row)?,
    };
    if is_new || (row.enabled && !was_enabled) {
        let checked = schedule.checked(now);
        let next = checked.ok().and_then(|checked| checked.first(now));
        if next.is_none() {
            return Err(RoutineError::Wrong(vec![FieldError {
                pointer: "/enabled".to_owned(),
                detail: "its schedule has ended; give it a new one".to_owned(),
            }]));
        }
        row.next_due_at = next;
        row.schedule = stored(&schedule)?;
    }
    if let Some(name) = wanted.name {
        name.trim().clone_into(&mut row.name);
    }
    if let Some(recipe) = wanted.recipe {
        row.recipe = stored(&recipe)?;
    }
    if let Some(missed) = wanted.missed {
        missed.as_str().clone_into(&mut row.missed);
    }
    if let Some(overlap) = wanted.overlap {
        overlap.as_str().clone_into(&mut row.overlap);
    }
    let action = match (was_enabled, row.enabled) {
        (true, false) => "routine.paused",
        (false, true) => "routine.resumed",
        _ => "routine.changed",
    };
    let details = serde_json::json!({ "name": row.name, "schedule": schedule.hint() });
    change.record(action, ("routine", &id), details);
    let row = touch(&mut change, row, None).await?;
    change.wake(state.handle.scheduler());
    change.commit().await?;
    Ok(row)
}
