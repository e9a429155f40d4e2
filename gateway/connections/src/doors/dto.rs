//! Doors in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::catalogue::Action;
use super::entity::Model;
use super::model::DoorState;
use crate::checkouts::{OfferedBranch, OfferedPackages};
use roost_platform::events::Decision;
use roost_platform::ids::{ClawId, DoorId, RunId};
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// The result of a door.
#[derive(Debug, Serialize, ToSchema)]
pub struct DoorResult {
    /// The status code of the app's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// The address of the created object. It comes from the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Why it was not done. This may come from the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// An action outside Roost that an agent requests. Its texts come from the agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct Door {
    pub id: DoorId,
    pub agent_id: ClawId,
    /// The agent's name at the time of the request.
    pub agent_name: String,
    /// `<provider>.<object>.<verb>` of the catalogue.
    pub action: String,
    pub target: String,
    pub summary: String,
    /// The address of the request, by the agent's connection at that time. It is sent to this address or not at all.
    pub address: String,
    /// All parameters of the request.
    #[schema(value_type = Object)]
    pub params: Value,
    pub state: DoorState,
    /// The person on whose authority the agent requests it.
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
    /// The run that requests it. Its step waits for the end of the door.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The step of the run, such as `coder#1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The index of the call in the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<i32>,
    /// What the agent said with its request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The branch of the run's repository that is sent. The gateway wrote this; the agent chose nothing of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<OfferedBranch>,
    /// The packages that are fetched. The gateway read them from the lock file; the names come from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packages: Option<OfferedPackages>,
    /// The workspace's settings allow it, so nobody decided.
    pub allowed_by_setting: bool,
}

impl Door {
    /// From the row, and the people involved.
    pub fn new(row: Model, requested_by: Option<UserBrief>, decided_by: Option<UserBrief>) -> Self {
        let has_result =
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
            result: has_result.then_some(DoorResult {
                status: row.result_status,
                url: row.result_url,
                message: row.result_message,
            }),
            run_id: row.run_id,
            step: row.step,
            call: row.call,
            words: row.words,
            branch: row.branch.and_then(|json| serde_json::from_str(&json).ok()),
            packages: row
                .packages
                .and_then(|json| serde_json::from_str(&json).ok()),
            allowed_by_setting: row.decided_at.is_some() && row.decided_by.is_none(),
        }
    }
}

/// Requests an action on behalf of an agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDoor {
    pub agent_id: ClawId,
    /// An action of `GET /api/doors/catalogue`.
    pub action: String,
    /// Parameters that fit the action's schema.
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
    /// Why it is denied, at most 1,000 characters. The agent reads it.
    #[serde(default)]
    pub reason: Option<String>,
}

impl Check for Resolution {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(reason) = &self.reason {
            mistakes.text("/reason", reason, 1, 1_000);
            if self.decision == Decision::Approve {
                mistakes.add("/reason", "is for a denial only");
            }
        }
    }
}

/// Which doors to list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// Doors that wait for a person.
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
    /// Only the doors of this agent.
    pub agent_id: Option<ClawId>,
    /// Items on each page: 1 to 200; the default is 50.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// An action that agents may request.
#[derive(Debug, Serialize, ToSchema)]
pub struct CatalogueAction {
    pub action: &'static str,
    /// The app to which the agent must be connected. `repo` is the repository that the agent's run works on,
    /// and `supplies` are the registries of its packages.
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
