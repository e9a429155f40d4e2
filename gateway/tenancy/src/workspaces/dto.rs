//! Workspaces and quotas in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entity::workspace;
use crate::auth::Role;
use roost_platform::ids::{SagaId, WorkspaceId};
use roost_web::json::{Check, Mistakes};

/// A workspace, as a member sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Workspace {
    pub id: WorkspaceId,
    pub name: String,
    pub plan: String,
    /// The caller's role.
    pub role: Role,
    pub created_at: DateTime<Utc>,
    pub version: i64,
}

impl Workspace {
    /// The row, as a member with this role sees it.
    pub fn new(row: workspace::Model, role: Role) -> Self {
        Self {
            id: row.id,
            name: row.name,
            plan: row.plan,
            role,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

/// A new workspace; the caller becomes its Owner.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWorkspace {
    /// 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
}

impl Check for NewWorkspace {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/name", &self.name, 1, 100);
    }
}

/// A new name.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceChange {
    /// 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
}

impl Check for WorkspaceChange {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.text("/name", &self.name, 1, 100);
    }
}

/// The confirmation of a deletion.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WorkspaceDeletion {
    /// The name of the workspace.
    #[serde(default)]
    #[param(required)]
    pub confirm: String,
}

/// The deletion has begun. It finishes by itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkspaceGoing {
    pub saga_id: SagaId,
}

/// A quota: what is used, and what the plan allows.
#[derive(Debug, Serialize, ToSchema)]
pub struct Usage {
    pub used: u64,
    pub limit: u64,
}

/// All quotas of the workspace.
#[derive(Debug, Serialize, ToSchema)]
pub struct Quota {
    pub plan: String,
    pub agents: Usage,
    pub live_containers: Usage,
}
