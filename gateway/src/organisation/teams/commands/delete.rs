//! Deletes a team. Its agents stay, or a saga deletes them one after the other.

use crate::execution::runs;
use crate::organisation::teams::{TeamError, TeamsContext, lifecycle, store};
use crate::platform::events::{Event, ResourceKind};
use crate::platform::ids::{RunId, TeamId, UserId};
use crate::tenancy::auth::WorkspaceScope;
use crate::tenancy::change::Change;

/// Deletes the team. `with_agents` also purges the agents that were created for it.
///
/// # Errors
/// [`TeamError::NotFound`], [`TeamError::Busy`].
pub async fn delete(
    state: &TeamsContext,
    scope: WorkspaceScope,
    user: UserId,
    id: TeamId,
    with_agents: bool,
) -> Result<(), TeamError> {
    let mut change = Change::begin(state, scope, user).await?;
    let row = store::held(&change, scope, id)
        .await?
        .ok_or(TeamError::NotFound)?;
    if runs::open_of_team(change.tx(), id, RunId(uuid::Uuid::nil())).await? {
        return Err(TeamError::Busy);
    }
    let details = serde_json::json!({ "name": row.name, "with_agents": with_agents });
    change.record("team.deleted", ("team", &id), details);
    let now = change.now();
    let fact = if with_agents {
        lifecycle::take_down(&mut change, &state.ids, now, scope, user, row).await?
    } else {
        store::remove(change.tx(), scope, id).await?;
        Event::changed(ResourceKind::Team, id, row.version + 1)
    };
    change.event(fact);
    change.wake(&state.claws.sagas);
    change.commit().await?;
    Ok(())
}
