//! What an agent shows of its sandbox. Machines are a higher wing, so the gateway connects their implementation at
//! wiring.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::DbErr;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use roost_platform::ids::{ClawId, SandboxId};
use roost_tenancy::auth::WorkspaceScope;

/// Reads the sandboxes of agents.
#[async_trait]
pub trait SandboxBriefs: Send + Sync + 'static {
    /// The sandboxes of these agents. An agent without one is not in the map.
    ///
    /// # Errors
    /// When the database fails.
    async fn of(
        &self,
        scope: WorkspaceScope,
        agents: &[ClawId],
    ) -> Result<HashMap<ClawId, SandboxBrief>, DbErr>;
}

/// A short view of an agent's sandbox.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SandboxBrief {
    pub id: SandboxId,
    /// `local`, or the id of a node.
    pub node_id: String,
    pub node_name: String,
    #[schema(value_type = SandboxState)]
    pub state: String,
    /// The engine's name for the container.
    pub container: String,
    pub created_at: DateTime<Utc>,
}

/// States of a registry row, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxState {
    /// Requested; the machine works on it.
    Provisioning,
    Running,
    /// The container ended by itself (lease, crash, memory).
    Stopped,
    /// The machine was removed, or does not know the sandbox any more.
    Lost,
    /// Its end was requested.
    Destroying,
    /// Removed as requested. Kept for history.
    Destroyed,
    /// It never started. Kept for its reason.
    Failed,
}

impl SandboxState {
    pub const ALL: [Self; 7] = [
        Self::Provisioning,
        Self::Running,
        Self::Stopped,
        Self::Lost,
        Self::Destroying,
        Self::Destroyed,
        Self::Failed,
    ];

    /// As stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provisioning => "provisioning",
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Lost => "lost",
            Self::Destroying => "destroying",
            Self::Destroyed => "destroyed",
            Self::Failed => "failed",
        }
    }

    /// From a row.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Whether it counts in the quota.
    pub fn live(self) -> bool {
        matches!(self, Self::Provisioning | Self::Running | Self::Destroying)
    }

    /// Whether the agent still shows it. An ended sandbox is history.
    pub fn current(self) -> bool {
        self.live() || matches!(self, Self::Stopped | Self::Lost)
    }
}
