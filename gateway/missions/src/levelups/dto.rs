//! The JSON of level-up proposals.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::LevelUpError;
use super::entity::proposal;
use super::model::{MOST_ITEMS, Outline, Payload, Status};
use super::store::{Listed, Wanted};
use roost_platform::ids::{ClawId, LevelUpId, TeamId, UserId, WorkspaceId};
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// The proposal that was made.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LevelUpMade)]
pub struct Made {
    pub proposal_id: LevelUpId,
}

/// A proposal that improves an agent or a team.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LevelUpProposal)]
pub struct Proposal {
    pub id: LevelUpId,
    pub workspace_id: WorkspaceId,
    /// Exactly one of `agent_id` and `team_id` is present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    pub status: Status,
    pub payload: Payload,
    /// The ids of the items that were applied.
    pub applied_items: Vec<String>,
    /// The model that made it: `provider/model`, or `scripted`.
    pub model: String,
    /// Absent when the user does not exist any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserBrief>,
    /// Who applied it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<UserBrief>,
    pub created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_at: Option<DateTime<Utc>>,
}

impl Proposal {
    /// From the row.
    ///
    /// # Errors
    /// [`LevelUpError::Unreadable`].
    pub(super) fn new(
        row: proposal::Model,
        people: &HashMap<UserId, UserBrief>,
    ) -> Result<Self, LevelUpError> {
        let read = |error| LevelUpError::Unreadable(error);
        Ok(Self {
            id: row.id,
            workspace_id: row.workspace_id,
            agent_id: row.agent_id,
            team_id: row.team_id,
            status: Status::from_stored(&row.status),
            payload: serde_json::from_str(&row.payload).map_err(read)?,
            applied_items: serde_json::from_str(&row.applied_items).map_err(read)?,
            model: row.model,
            created_by: people.get(&row.created_by).cloned(),
            approved_by: row.approved_by.and_then(|by| people.get(&by).cloned()),
            created_at: row.created_at,
            applied_at: row.applied_at,
        })
    }
}

/// A proposal in a list: its items have no texts.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LevelUpProposalBrief)]
pub struct ProposalBrief {
    pub id: LevelUpId,
    pub workspace_id: WorkspaceId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    pub status: Status,
    pub payload: Outline,
    pub applied_items: Vec<String>,
    pub model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserBrief>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<UserBrief>,
    pub created_at: DateTime<Utc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_at: Option<DateTime<Utc>>,
}

impl ProposalBrief {
    /// From the row.
    ///
    /// # Errors
    /// [`LevelUpError::Unreadable`].
    pub(super) fn new(
        row: Listed,
        workspace_id: WorkspaceId,
        people: &HashMap<UserId, UserBrief>,
    ) -> Result<Self, LevelUpError> {
        let read = |error| LevelUpError::Unreadable(error);
        Ok(Self {
            id: row.id,
            workspace_id,
            agent_id: row.agent_id,
            team_id: row.team_id,
            status: Status::from_stored(&row.status),
            payload: serde_json::from_str(&row.outline).map_err(read)?,
            applied_items: serde_json::from_str(&row.applied_items).map_err(read)?,
            model: row.model,
            created_by: people.get(&row.created_by).cloned(),
            approved_by: row.approved_by.and_then(|by| people.get(&by).cloned()),
            created_at: row.created_at,
            applied_at: row.applied_at,
        })
    }
}

/// Which proposals are listed.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProposalQuery {
    /// `pending` when absent.
    #[param(inline)]
    pub status: Option<Status>,
    /// Only of this agent.
    pub agent_id: Option<ClawId>,
    /// Only of this team.
    pub team_id: Option<TeamId>,
}

impl ProposalQuery {
    pub(super) fn wanted(&self) -> Wanted {
        Wanted {
            status: self.status.unwrap_or(Status::Pending),
            agent: self.agent_id,
            team: self.team_id,
        }
    }
}

/// The items that a person approves.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LevelUpApproval)]
pub struct Approval {
    /// At least one. Only these are applied.
    #[schema(min_items = 1)]
    pub approved_item_ids: Vec<String>,
}

impl Check for Approval {
    fn check(&self, mistakes: &mut Mistakes) {
        if self.approved_item_ids.is_empty() {
            mistakes.add(
                "/approved_item_ids",
                "must name at least one item; to apply none, reject the proposal",
            );
        }
        if self.approved_item_ids.len() > MOST_ITEMS * 2 {
            mistakes.add(
                "/approved_item_ids",
                "has more ids than a proposal has items",
            );
        }
    }
}
