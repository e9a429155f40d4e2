//! Running a team: its topology is pinned in a run.

use crate::domains::auth::WorkspaceScope;
use crate::domains::runs::commands::{New, start_in};
use crate::domains::runs::entity::run;
use crate::domains::runs::model::{Kind, Tier};
use crate::domains::runs::store as runs;
use crate::domains::teams::dto::RunTeam;
use crate::domains::teams::model::State;
use crate::domains::teams::routes::TeamsState;
use crate::domains::teams::{TeamError, store};
use crate::ids::{RunId, TeamId, UserId};

/// Enqueues a run of the team's graph.
///
/// # Errors
/// [`TeamError::NotFound`], [`TeamError::Going`].
pub async fn run(
    state: &TeamsState,
    scope: WorkspaceScope,
    user: UserId,
    team: TeamId,
    id: RunId,
    asked: RunTeam,
) -> Result<run::Model, TeamError> {
    let mut tx = state.db.write().await?;
    if let Some(present) = runs::get(&*tx, scope, id).await? {
        return Ok(present);
    }
    let row = store::get(&*tx, scope, team)
        .await?
        .ok_or(TeamError::NotFound)?;
    if State::from_stored(&row.state) == State::Going {
        return Err(TeamError::Going);
    }
    let new = New {
        id,
        kind: Kind::Team,
        tier: Tier::Team,
        title: row.name.clone(),
        graph: serde_json::from_str(&row.topology).map_err(|_| TeamError::NotFound)?,
        input: asked.input,
        team: Some(team),
        parent: None,
        forked: None,
        ceiling: asked.cost_ceiling_microusd,
    };
    let row = start_in(&state.runs, &mut tx, scope, user, new).await?;
    tx.commit().await?;
    state.runs.nudge();
    Ok(row)
}
