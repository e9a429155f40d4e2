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

/// Characters of a run's title.
const MOST_TITLE: usize = 200;

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
    let row = store::held(&tx, scope, team)
        .await?
        .ok_or(TeamError::NotFound)?;
    if State::from_stored(&row.state) == State::Going {
        return Err(TeamError::Going);
    }
    let new = New {
        id,
        kind: Kind::Team,
        tier: Tier::Team,
        title: titled(&row.name, &asked.input),
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

/// What a run is called: its team, and what it is for.
fn titled(team: &str, goal: &str) -> String {
    let first = goal.lines().map(str::trim).find(|line| !line.is_empty());
    let title = match first {
        Some(goal) => format!("{team}: {goal}"),
        None => team.to_owned(),
    };
    title.chars().take(MOST_TITLE).collect()
}
