//! Gives work to one agent, without a team.

use super::configure::known;
use crate::dto::RunAgent;
use crate::{RuntimeContext, RuntimeError};
use roost_agents::claws::{self, ClawError};
use roost_connections::checkouts;
use roost_execution::runs::{self, NewRun, Origin, RunError, RunRow, Tier, start_in};
use roost_execution::topology;
use roost_organisation::templates;
use roost_platform::ids::{ClawId, RunId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tenancy::change::Change;

/// Enqueues the run `id`, whose graph has one node. A repeat with the same id returns the existing run.
///
/// # Errors
/// [`ClawError::NotFound`], [`RuntimeError::Wrong`] for an unknown model, [`RunError::AgentGone`], [`RuntimeError::Checkout`].
pub(crate) async fn run(
    state: &RuntimeContext,
    scope: WorkspaceScope,
    user: UserId,
    agent: ClawId,
    id: RunId,
    asked: RunAgent,
) -> Result<RunRow, RuntimeError> {
    let mut change = Change::begin(state, scope, user).await?;
    if let Some(present) = runs::find(change.tx(), scope, id).await? {
        return Ok(present);
    }
    let repo = checkouts::prepare(&state.agents.checkouts, &mut change, asked.repo).await?;
    let claw = claws::find(change.tx(), scope, agent)
        .await?
        .ok_or(ClawError::NotFound)?;
    // The agent's deletion cancels its runs, so a run must begin before it or not at all.
    if !claws::lock_living(change.tx(), scope, agent).await? {
        return Err(RunError::AgentGone.into());
    }
    let link = templates::link::of(change.tx(), scope, agent).await?;
    let slot = link.map(|link| link.role_slot);
    let graph = topology::alone(agent.0, &claw.name, slot.as_deref());
    let graph = match &asked.model {
        Some(model) => {
            known(&change, scope, "/model", model).await?;
            graph.with_model(model)
        }
        None => graph,
    };
    let new = NewRun {
        id,
        origin: Origin::Chat,
        tier: Tier::Single,
        title: runs::titled(&claw.name, &asked.input),
        graph,
        input: asked.input,
        team: None,
        agent: Some(agent),
        under: None,
        forked: None,
        ceiling: asked.cost_ceiling_microusd,
        limits: asked.limits,
    };
    let row = start_in(&state.runs, &mut change, new).await?;
    checkouts::bind(&mut change, id, repo).await?;
    change.commit().await?;
    Ok(row)
}
