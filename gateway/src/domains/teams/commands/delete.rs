//! Deleting a team. Its agents stay, or go with it; then a saga takes them down one after the other.

use crate::domains::audit;
use crate::domains::auth::WorkspaceScope;
use crate::domains::runs::store as runs;
use crate::domains::teams::routes::TeamsState;
use crate::domains::teams::{TeamError, lifecycle, store};
use crate::events::{self, Event, ResourceKind};
use crate::ids::{RunId, TeamId, UserId};

/// Deletes the team; `with_agents` purges the agents that were made for it as well.
///
/// # Errors
/// [`TeamError::NotFound`], [`TeamError::Busy`].
pub async fn delete(
    state: &TeamsState,
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
