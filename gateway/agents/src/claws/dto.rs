//! Agents in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::avatar::dto::Avatar;
use super::brain::dto::MOST_CHARACTERS;
use super::sandbox::SandboxBrief;
use super::view_store::View;
use roost_platform::events::AgentState;
use roost_platform::ids::{ClawId, SagaId};
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// An agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct Claw {
    pub id: ClawId,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_binding: Option<String>,
    /// The person with whose authority the agent acts.
    pub managed_by: UserBrief,
    pub status: AgentState,
    /// The agent's sandbox, if it has one.
    pub sandbox: Option<SandboxBrief>,
    pub avatar: Avatar,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub deleted_at: Option<DateTime<Utc>>,
    /// For `If-Match`.
    pub version: i64,
}

impl Claw {
    /// From the view of this wing, and the sandbox.
    pub fn new(view: View, sandbox: Option<SandboxBrief>) -> Self {
        let row = view.claw;
        Self {
            avatar: Avatar::new(row.id, view.avatar_sha256.as_deref()),
            id: row.id,
            name: row.name,
            role: row.role,
            system_prompt: row.system_prompt,
            model_binding: row.model_binding,
            managed_by: view.manager,
            status: view.status,
            sandbox,
            created_at: row.created_at,
            updated_at: row.updated_at,
            deleted_at: row.deleted_at,
            version: row.version,
        }
    }
}

/// A new agent. The caller manages it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewClaw {
    /// 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// 1 to 100 characters.
    #[serde(default)]
    pub role: Option<String>,
    /// At most 20,000 characters.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// The model that it uses, 1 to 200 characters.
    #[serde(default)]
    pub model_binding: Option<String>,
    /// The first text of its brain: Markdown, at most 100,000 characters.
    #[serde(default)]
    pub brain_seed: Option<String>,
}

impl Check for NewClaw {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.name("/name", &self.name, 100);
        if let Some(role) = &self.role {
            mistakes.text("/role", role, 1, 100);
        }
        if let Some(prompt) = &self.system_prompt {
            mistakes.text("/system_prompt", prompt, 0, 20_000);
        }
        if let Some(model) = &self.model_binding {
            mistakes.text("/model_binding", model, 1, 200);
        }
        if let Some(seed) = &self.brain_seed {
            mistakes.text("/brain_seed", seed, 0, MOST_CHARACTERS);
        }
    }
}

/// What to change. An absent field stays unchanged; `null` removes the value.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClawChange {
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<String>)]
    pub role: Option<Option<String>>,
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<String>)]
    pub system_prompt: Option<Option<String>>,
    #[serde(default, deserialize_with = "roost_web::json::nullable")]
    #[schema(value_type = Option<String>)]
    pub model_binding: Option<Option<String>>,
}

impl Check for ClawChange {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(name) = &self.name {
            mistakes.name("/name", name, 100);
        }
        if let Some(Some(role)) = &self.role {
            mistakes.text("/role", role, 1, 100);
        }
        if let Some(Some(prompt)) = &self.system_prompt {
            mistakes.text("/system_prompt", prompt, 0, 20_000);
        }
        if let Some(Some(model)) = &self.model_binding {
            mistakes.text("/model_binding", model, 1, 200);
        }
    }
}

/// A purge under way. It finishes even when the gateway is killed.
#[derive(Debug, Serialize, ToSchema)]
pub struct PurgeStarted {
    pub saga_id: SagaId,
    /// `running` or `done`.
    pub state: String,
}

/// What to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Items a page: 1 to 200, 50 when absent.
    pub limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
    /// Also list softly deleted agents.
    #[serde(default)]
    pub include_deleted: bool,
}

/// How to delete.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeleteQuery {
    /// Delete permanently, with all data of the agent. Needs the role admin.
    #[serde(default)]
    pub purge: bool,
}
