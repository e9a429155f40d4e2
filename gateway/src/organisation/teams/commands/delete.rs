//! Deletes a team. Its agents stay, or a saga deletes them one after the other.

use crate::execution::runs;
use crate::organisation::teams::{TeamError, TeamsContext, lifecycle, store};
use crate::platform::events::{self, Event, ResourceKind};
use crate::platform::ids::{RunId, TeamId, UserId};
use crate::tenancy::audit;
use crate::tenancy::auth::WorkspaceScope;

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
    let now = state.claws.clock.now();
    let mut tx = state.db.write().await?;
    let row = store::held(&tx, scope, id)
        .await?
        .ok_or(TeamError::NotFound)?;
    if runs::open_of_team(&*tx, id, RunId(uuid::Uuid::nil())).await? {
        return Err(TeamError::Busy);
    }
    let details = serde_json::json!({ "name": row.name, "with_agents": with_agents });
    audit::record(
        &tx,
        &state.ids,
        now,
        scope,
        user,
        "team.deleted",
        ("team", &id),
        details,
    )
    .await?;
    let fact = if with_agents {
        lifecycle::take_down(&mut tx, &state.ids, now, scope, user, row).await?
    } else {
        store::remove(&*tx, scope, id).await?;
        Event::changed(ResourceKind::Team, id, row.version + 1)
    };
    events::append(&mut tx, scope.workspace(), now, [fact]).await?;
    tx.commit().await?;
    state.claws.sagas.nudge();
    Ok(())
}
