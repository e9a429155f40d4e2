//! Fires a routine now. It acts for the person who fires it, also when it is paused.

use crate::routines::entity::firing;
use crate::routines::model::{Cause, Overlap, may_start};
use crate::routines::scheduler::fire_in;
use crate::routines::touch::touch;
use crate::routines::{RoutineError, RoutinesContext, store};
use roost_platform::ids::{FiringId, RoutineId, UserId};
use roost_tenancy::auth::{Role, WorkspaceScope};
use roost_tenancy::change::Change;

/// Fires the routine. A repeat with the same id returns the first firing. One that cannot start leaves no line: the caller
/// gets the reason.
///
/// # Errors
/// [`RoutineError::NotFound`], [`RoutineError::Busy`], and those of a firing.
pub async fn fire(
    state: &RoutinesContext,
    scope: WorkspaceScope,
    (user, role): (UserId, Role),
    routine: RoutineId,
    id: FiringId,
) -> Result<firing::Model, RoutineError> {
    let mut change = Change::begin(state, scope, user).await?;
    if let Some(present) = store::firing(change.tx(), scope, id).await? {
        return Ok(present);
    }
    let row = store::locked(&change, scope, routine)
        .await?
        .ok_or(RoutineError::NotFound)?;
    let at_work = store::at_work(change.tx(), scope, &[routine]).await?;
    let at_work = at_work.get(&routine).copied().unwrap_or_default().firings;
    if !may_start(Overlap::from_stored(&row.overlap), at_work) {
        return Err(RoutineError::Busy);
    }
    let of = (id, change.now(), Cause::Manual);
    fire_in(state, &mut change, &row, Some(role), of).await?;
    touch(&mut change, row, None).await?;
    change.commit().await?;
    let fired = store::firing(state.db.read(), scope, id).await?;
    fired.ok_or(RoutineError::NotFound)
}
