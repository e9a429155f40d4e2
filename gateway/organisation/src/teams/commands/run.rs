//! Runs a team. The run keeps the team's topology of that moment.

use super::create::no_model;
use crate::teams::dto::RunTeam;
use crate::teams::model::State;
use crate::teams::{TeamError, TeamsContext, store};
use roost_connections::checkouts::{self, RunRepo};
use roost_connections::repos;
use roost_execution::models;
use roost_execution::runs::{self, NewRun, Origin, RunRow, Tier, start_in};
use roost_execution::topology::Graph;
use roost_platform::db::WriteTx;
use roost_platform::ids::{RunId, TeamId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Enqueues a run of the team's graph.
///
/// # Errors
/// [`TeamError::NotFound`], [`TeamError::Wrong`] for an unknown model, [`TeamError::Going`], [`TeamError::RepoRemoved`], [`TeamError::Checkout`].
pub async fn run(
    state: &TeamsContext,
    scope: WorkspaceScope,
    user: UserId,
    team: TeamId,
    id: RunId,
    asked: RunTeam,
) -> Result<RunRow, TeamError> {
    let mut change = Change::begin(state, scope, user).await?;
    if let Some(present) = runs::find(change.tx(), scope, id).await? {
        return Ok(present);
    }
    let work = Work {
        id,
        origin: Origin::Team,
        title: None,
        earlier: None,
    };
    let row = run_in(state, &mut change, team, work, asked).await?;
    change.commit().await?;
    Ok(row)
}

/// What a run of a team is for.
#[derive(Debug)]
pub struct Work {
    pub id: RunId,
    pub origin: Origin,
    /// The title after the team's name. The goal when it is absent.
    pub title: Option<String>,
    /// The run whose newest commits the run begins with.
    pub earlier: Option<RunId>,
}

/// As [`run`], in the caller's change.
///
/// # Errors
/// As [`run`].
pub async fn run_in(
    state: &TeamsContext,
    change: &mut Change,
    team: TeamId,
    work: Work,
    asked: RunTeam,
) -> Result<RunRow, TeamError> {
    let scope = change.scope();
    // A run that names no repository works on the team's. This read comes before the lock: `prepare` locks the workspace.
    let repo = match asked.repo {
        Some(named) => named,
        None => of_team(change, scope, team).await?,
    };
    let repo = checkouts::prepare(&state.checkouts, change, repo).await?;
    let row = store::locked(change, scope, team)
        .await?
        .ok_or(TeamError::NotFound)?;
    if State::from_stored(&row.state) == State::Going {
        return Err(TeamError::Going);
    }
    let graph: Graph = serde_json::from_str(&row.topology).map_err(|_| TeamError::NotFound)?;
    let graph = match &asked.model {
        Some(model) if !models::is_there(change.tx(), scope, model).await? => {
            return Err(TeamError::Wrong(vec![no_model("/model".to_owned(), model)]));
        }
        Some(model) => graph.with_model(model),
        None => graph,
    };
    let new = NewRun {
        id: work.id,
        origin: work.origin,
        tier: Tier::Team,
        title: runs::titled(&row.name, work.title.as_ref().unwrap_or(&asked.input)),
        graph,
        input: asked.input,
        team: Some(team),
        agent: None,
        under: None,
        forked: None,
        ceiling: asked.cost_ceiling_microusd,
        limits: asked.limits,
    };
    let row = start_in(&state.runs, change, new).await?;
    checkouts::bind_after(change, work.id, repo, work.earlier).await?;
    Ok(row)
}

/// The team's own repository.
async fn of_team(
    tx: &WriteTx,
    scope: WorkspaceScope,
    team: TeamId,
) -> Result<Option<RunRepo>, TeamError> {
    let row = store::get(&**tx, scope, team)
        .await?
        .ok_or(TeamError::NotFound)?;
    let Some(repo) = row.repo_id else {
        return Ok(None);
    };
    if repos::upstream(&**tx, scope, repo).await?.is_none() {
        return Err(TeamError::RepoRemoved);
    }
    Ok(Some(RunRepo {
        repo_id: Some(repo),
        upload_id: None,
        base: row.repo_base,
    }))
}
