//! What sandboxes need to know about their agents. Teams are above this wing, so the gateway wires the answers.

use async_trait::async_trait;
use sea_orm::DbErr;

use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// Facts about agents that other wings know.
#[async_trait]
pub trait AgentFacts: Send + Sync + 'static {
    /// The machine that the agent's team prefers; `None` leaves the choice to the workspace's placement.
    ///
    /// # Errors
    /// When the database fails.
    async fn preferred_machine(
        &self,
        scope: WorkspaceScope,
        agent: ClawId,
    ) -> Result<Option<String>, DbErr>;
}
