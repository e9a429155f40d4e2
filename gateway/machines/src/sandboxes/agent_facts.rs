//! What sandboxes need to know about their agents. Teams are above this wing, so the gateway wires the answers.

use async_trait::async_trait;
use sea_orm::DbErr;

use super::NewLimits;
use roost_platform::ids::ClawId;
use roost_tenancy::auth::WorkspaceScope;

/// What an agent, its team and its template prefer for a new sandbox of the agent. A request may name other values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The machine; the workspace's placement applies without it.
    pub machine: Option<String>,
    /// A name of the catalogue; the deployment's default image applies without it.
    pub image: Option<String>,
    pub limits: NewLimits,
}

/// Facts about agents that other wings know.
#[async_trait]
pub trait AgentFacts: Send + Sync + 'static {
    /// What is preferred for the agent's sandbox.
    ///
    /// # Errors
    /// When the database fails.
    async fn preferences(&self, scope: WorkspaceScope, agent: ClawId)
    -> Result<Preferences, DbErr>;
}
