//! The JSON of tokens.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entity::Model;
use roost_platform::ids::AgentTokenId;
use roost_web::json::{Check, Mistakes};

/// The default lifetime of a token, in days.
pub const DAYS: u32 = 90;
/// The longest lifetime of a token, in days.
pub const MOST_DAYS: u32 = 365;
/// The longest label, in characters.
const LABEL: usize = 100;

/// A valid token of an agent. The gateway does not keep the token itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentToken {
    pub id: AgentTokenId,
    pub label: String,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// Accurate to five minutes. Absent when the token was never used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<DateTime<Utc>>,
}

impl From<Model> for AgentToken {
    fn from(row: Model) -> Self {
        Self {
            id: row.id,
            label: row.label,
            created_at: row.created_at,
            expires_at: row.expires_at,
            last_used_at: row.last_used_at,
        }
    }
}

/// A token to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAgentToken {
    /// Its purpose, so that people know which token to revoke.
    #[schema(min_length = 1, max_length = 100)]
    pub label: String,
    /// 1 to 365; 90 when absent.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 365)]
    pub expires_in_days: Option<u32>,
}

impl Check for NewAgentToken {
    fn check(&self, mistakes: &mut Mistakes) {
        let label = self.label.trim();
        if label.is_empty() || label.chars().count() > LABEL {
            mistakes.add("/label", format!("must have 1 to {LABEL} characters"));
        }
        if label.chars().any(roost_protocol::text::is_hidden) {
            mistakes.add("/label", "must not contain invisible characters");
        }
        if !(1..=MOST_DAYS).contains(&self.expires_in_days.unwrap_or(DAYS)) {
            mistakes.add("/expires_in_days", "must be 1 to 365");
        }
    }
}

/// A new token. The API shows it once.
#[derive(Debug, Serialize, ToSchema)]
pub struct FreshAgentToken {
    pub id: AgentTokenId,
    /// Use it as `Authorization: Bearer <token>` at `/mcp/skills`, `/mcp/sandbox` and `/mcp/repo`.
    pub token: String,
    pub label: String,
    pub expires_at: DateTime<Utc>,
}
