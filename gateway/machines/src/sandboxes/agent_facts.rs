//! What sandboxes need to know about their agents. Teams and runs are above this wing, so the gateway wires the answers.

use async_trait::async_trait;
use sea_orm::DbErr;

use roost_platform::db::WriteTx;
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

    /// Whether a step of the agent is running, read in the caller's transaction.
    ///
    /// # Errors
    /// When the database fails.
    async fn is_at_work(&self, tx: &WriteTx, agent: ClawId) -> Result<bool, DbErr>;
}
