//! The status of an agent, as far as its sandbox decides it.

use sea_orm::DbErr;

use super::{SandboxError, SandboxesHandle};
use roost_agents::claws;
use roost_platform::db::WriteTx;
use roost_platform::events::AgentState;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// The status of an agent whose sandbox has the status `state`. An agent stays at work while one of its steps runs, even
/// if its sandbox is idle between two commands of the step.
///
/// # Errors
/// When the database fails.
pub(super) async fn status_of(
    sandboxes: &SandboxesHandle,
    tx: &WriteTx,
    agent: ClawId,
    state: AgentState,
) -> Result<AgentState, DbErr> {
    let rests = matches!(state, AgentState::Idle | AgentState::Online);
    if rests && sandboxes.agents.is_at_work(tx, agent).await? {
        return Ok(AgentState::Working);
    }
    Ok(state)
}

/// Stores the status that the agent is shown with.
pub(super) async fn show(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
    state: AgentState,
) -> Result<(), SandboxError> {
    let mut tx = sandboxes.db.write().await?;
    let state = status_of(sandboxes, &tx, agent, state).await?;
    claws::status::set(&mut tx, scope, agent, state, sandboxes.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}
