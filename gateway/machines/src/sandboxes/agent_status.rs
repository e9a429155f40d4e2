//! The status of an agent, as far as its sandbox decides it.

use super::{SandboxError, SandboxesHandle};
use roost_agents::claws;
use roost_platform::events::AgentState;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// Stores the status that the agent is shown with.
pub(super) async fn show(
    sandboxes: &SandboxesHandle,
    scope: WorkspaceScope,
    agent: ClawId,
    state: AgentState,
) -> Result<(), SandboxError> {
    let mut tx = sandboxes.db.write().await?;
    claws::status::set(&mut tx, scope, agent, state, sandboxes.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}
