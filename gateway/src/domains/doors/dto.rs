//! Doors in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::catalogue::Action;
use super::entity::Model;
use super::model::DoorState;
use crate::domains::auth::dto::UserBrief;
use crate::events::Decision;
use crate::http::json::{Check, Mistakes};
use crate::ids::{ClawId, DoorId};

/// What came of a door.
#[derive(Debug, Serialize, ToSchema)]
pub struct DoorResult {
    /// What the app answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// What was made. Comes from the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Why it was not done. May come from the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Something that an agent wants to do outside. Its texts come from the agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct Door {
    pub id: DoorId,
    pub agent_id: ClawId,
    /// As it was called when it asked.
    pub agent_name: String,
    /// `<provider>.<object>.<verb>` of the catalogue.
    pub action: String,
    pub target: String,
    pub summary: String,
    /// Where it would be sent, by the agent's connection as it was then. It is sent there or not at all.
    pub address: String,
    /// All that it asks for.
    #[schema(value_type = Object)]
    pub params: Value,
    pub state: DoorState,
    /// On whose authority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<UserBrief>,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<UserBrief>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<DoorResult>,
}

impl Door {
    /// From the row, and who was there.
    pub fn new(row: Model, requested_by: Option<UserBrief>, decided_by: Option<UserBrief>) -> Self {
        let told =
            row.result_status.is_some() || row.result_url.is_some() || row.result_message.is_some();
        Self {
            id: row.id,
            agent_id: row.agent_id,
            agent_name: row.agent_name,
            action: row.action,
            target: row.target,
            summary: row.summary,
            address: row.address,
            params: row.params,
            state: DoorState::from_stored(&row.state),
            requested_by,
            created_at: row.created_at,
            expires_at: row.expires_at,
            decided_by,
            decided_at: row.decided_at,
            result: told.then_some(DoorResult {
                status: row.result_status,
                url: row.result_url,
                message: row.result_message,
            }),
        }
    }
}

/// Asks for an action on behalf of an agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDoor {
    pub agent_id: ClawId,
    /// Of `GET /api/doors/catalogue`.
    pub action: String,
    /// As the action's schema has it.
    #[schema(value_type = Object)]
    pub params: Value,
}

impl Check for NewDoor {
    fn check(&self, mistakes: &mut Mistakes) {
        if !self.params.is_object() {
            mistakes.add("/params", "must be an object");
        }
    }
}

/// A decision.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolution {
    pub decision: Decision,
}

impl Check for Resolution {
    fn check(&self, _: &mut Mistakes) {}
}

/// Which doors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// Those that wait for a person.
    Pending,
    #[default]
    All,
}

/// Filters of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DoorsQuery {
    /// `pending` or `all` (default).
    #[serde(default)]
    #[param(inline)]
    pub state: Which,
    /// Of one agent.
    pub agent_id: Option<ClawId>,
    /// Items a page: 1 to 200, 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// An action that agents may ask for.
#[derive(Debug, Serialize, ToSchema)]
pub struct CatalogueAction {
    pub action: &'static str,
    /// The app that the agent has to be connected to.
    pub provider: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// JSON Schema.
    #[schema(value_type = Object)]
    pub params_schema: Value,
}

impl From<&Action> for CatalogueAction {
    fn from(action: &Action) -> Self {
        Self {
            action: action.name,
            provider: action.provider,
            title: action.title,
            description: action.description,
            params_schema: action.params_schema(),
        }
    }
}

/// The closed catalogue.
#[derive(Debug, Serialize, ToSchema)]
pub struct Catalogue {
    pub items: Vec<CatalogueAction>,
}
