//! Deletes a routine with its journal. What it started goes on.

use crate::routines::{RoutineError, RoutinesContext, store};
use roost_platform::events::{Event, ResourceKind};
use roost_platform::ids::{RoutineId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Deletes the routine.
///
/// # Errors
/// [`RoutineError::NotFound`].
pub async fn delete(
    state: &RoutinesContext,
    scope: WorkspaceScope,
    user: UserId,
    id: RoutineId,
) -> Result<(), RoutineError> {
    let mut change = Change::begin(state, scope, user).await?;
    let row = store::locked(&change, scope, id)
        .await?
        .ok_or(RoutineError::NotFound)?;
    store::remove(&change, scope, id).await?;
    let details = serde_json::json!({ "name": row.name });
    change.record("routine.deleted", ("routine", &id), details);
    change.event(Event::changed(ResourceKind::Routine, id, row.version + 1));
    change.commit().await?;
    Ok(())
}
