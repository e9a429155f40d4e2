//! Makes a routine.

use crate::routines::entity::routine;
use crate::routines::error::MOST_ROUTINES;
use crate::routines::model::{Missed, Overlap};
use crate::routines::recipe::{self, Recipe};
use crate::routines::schedule::Schedule;
use crate::routines::touch::{announce, due_at};
use crate::routines::{RoutineError, RoutinesContext, store};
use roost_platform::ids::{FiringId, MissionId, RoutineId, UserId, fresh};
use roost_tenancy::auth::{Role, WorkspaceScope};
use roost_tenancy::change::Change;

/// What a new routine is made of.
#[derive(Debug, Clone)]
pub struct Made {
    pub id: RoutineId,
    pub name: String,
    pub schedule: Schedule,
    pub recipe: Recipe,
    pub missed: Missed,
    pub overlap: Overlap,
    pub enabled: bool,
    /// The mission from which it is made.
    pub mission_id: Option<MissionId>,
}

/// Makes the routine. A repeat with the same id returns the existing one. The recipe is tried first, so that what is missing
/// is said now.
///
/// # Errors
/// [`RoutineError::TooMany`], and those of a firing.
pub async fn create(
    state: &RoutinesContext,
    scope: WorkspaceScope,
    (user, role): (UserId, Role),
    made: Made,
) -> Result<routine::Model, RoutineError> {
    if let Some(present) = store::get(state.db.read(), scope, made.id).await? {
        return Ok(present);
    }
    due_at(&made.schedule, state.clock.now())?;
    tried(state, scope, (user, role), &made.name, &made.recipe).await?;
    let mut change = Change::begin(state, scope, user).await?;
    if let Some(present) = store::get(change.tx(), scope, made.id).await? {
        return Ok(present);
    }
    let row = create_in(state, &mut change, made).await?;
    change.commit().await?;
    Ok(row)
}

/// Carries out a recipe in a transaction that is taken back.
///
/// # Errors
/// Those of a firing.
pub async fn tried(
    state: &RoutinesContext,
    scope: WorkspaceScope,
    (user, role): (UserId, Role),
    name: &str,
    recipe: &Recipe,
) -> Result<(), RoutineError> {
    let mut change = Change::begin(state, scope, user).await?;
    let (routine, firing): (RoutineId, FiringId) = (fresh(&state.ids), fresh(&state.ids));
    let of = (name, routine, firing);
    recipe::start(state, &mut change, Some(role), recipe, of).await?;
    Ok(())
}

/// As [`create`], in the caller's change, and without the trial.
///
/// # Errors
/// [`RoutineError::TooMany`].
pub async fn create_in(
    state: &RoutinesContext,
    change: &mut Change,
    made: Made,
) -> Result<routine::Model, RoutineError> {
    let (scope, now) = (change.scope(), change.now());
    if store::count(change.tx(), scope).await? >= MOST_ROUTINES {
        return Err(RoutineError::TooMany);
    }
    let schedule = made.schedule.starting(now);
    let checked = due_at(&schedule, now)?;
    let row = routine::Model {
        id: made.id,
        workspace_id: scope.workspace(),
        name: made.name.trim().to_owned(),
        schedule: stored(&schedule)?,
        recipe: stored(&made.recipe)?,
        missed: made.missed.as_str().to_owned(),
        overlap: made.overlap.as_str().to_owned(),
        enabled: made.enabled,
        next_due_at: checked.first(now),
        mission_id: made.mission_id,
        created_by: change.actor(),
        created_at: now,
        updated_at: now,
        version: 1,
    };
    store::insert(change, row.clone()).await?;
    let details = serde_json::json!({ "name": row.name, "schedule": schedule.hint() });
    change.record("routine.created", ("routine", &row.id), details);
    announce(change, &row, None).await?;
    change.wake(state.handle.scheduler());
    Ok(row)
}

pub(super) fn stored(value: &impl serde::Serialize) -> Result<String, RoutineError> {
    serde_json::to_string(value).map_err(RoutineError::Unreadable)
}
