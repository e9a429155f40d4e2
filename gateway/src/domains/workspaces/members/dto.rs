//! Members in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domains::auth::Role;
use crate::domains::auth::dto::UserBrief;
use crate::domains::workspaces::entity::member;
use crate::http::json::{Check, Mistakes};

/// Somebody who belongs to the workspace.
#[derive(Debug, Serialize, ToSchema)]
pub struct Member {
    pub user: UserBrief,
    pub role: Role,
    pub joined_at: DateTime<Utc>,
    /// The caller.
    pub you: bool,
}

impl Member {
    /// From the row.
    pub fn new(row: &member::Model, user: UserBrief, you: bool) -> Self {
        Self {
            user,
            role: Role::from_stored(&row.role),
            joined_at: row.created_at,
            you,
        }
    }
}

/// Another role.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRole {
    pub role: Role,
}

impl Check for NewRole {
    fn check(&self, _: &mut Mistakes) {}
}
