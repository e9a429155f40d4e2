//! Deletes a team with its sandbox. Its agents stay, or a saga deletes them one after the other.

use crate::teams::{TeamError, TeamsContext, lifecycle, store};
use roost_execution::runs;
use roost_platform::ids::{TeamId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

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
    let row = store::locked(&change, scope, id)
        .await?
        .ok_or(TeamError::NotFound)?;
    if runs::open_of_team(change.tx(), id, None).await? || runs::is_pinned(change.tx(), id).await? {
        return Err(TeamError::Busy);
    }
    let details = serde_json::json!({ "name": row.name, "with_agents": with_agents });
    change.record("team.deleted", ("team", &id), details);
    let now = change.now();
    let fact = if with_agents {
        lifecycle::take_down(&mut change, &state.ids, now, scope, user, row).await?
    } else {
        lifecycle::remove(&mut change, &state.ids, now, scope, user, &row).await?
    };
    change.event(fact);
    change.wake(&state.claws.sagas);
    change.commit().await?;
    Ok(())
}
