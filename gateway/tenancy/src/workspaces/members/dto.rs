//! Members in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::auth::{Role, UserBrief};
use crate::workspaces::entity::member;
use roost_web::json::{Check, Mistakes};

/// A member of the workspace.
#[derive(Debug, Serialize, ToSchema)]
pub struct Member {
    pub user: UserBrief,
    pub role: Role,
    pub joined_at: DateTime<Utc>,
    /// The member is the caller.
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

/// A new role.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRole {
    pub role: Role,
}

impl Check for NewRole {
    fn check(&self, _: &mut Mistakes) {}
}
