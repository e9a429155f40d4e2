//! Invitations in JSON.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entity::Model;
use crate::auth::{Role, UserBrief, check_email};
use roost_platform::ids::InvitationId;
use roost_web::json::{Check, Mistakes};

/// The days for which an invitation is valid, unless the request sets them.
pub const DAYS: u32 = 7;
/// The most days for which an invitation may be valid.
pub const MOST_DAYS: u32 = 30;

/// An invitation that was not accepted yet.
#[derive(Debug, Serialize, ToSchema)]
pub struct Invitation {
    pub id: InvitationId,
    pub role: Role,
    /// If present, only the person with this e-mail can accept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    pub invited_by: UserBrief,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

impl Invitation {
    /// From the row.
    pub fn new(row: Model, invited_by: UserBrief) -> Self {
        Self {
            id: row.id,
            role: Role::from_stored(&row.role),
            email: row.email,
            invited_by,
            created_at: row.created_at,
            expires_at: row.expires_at,
        }
    }
}

/// An invitation to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewInvitation {
    /// At most the inviter's own role.
    pub role: Role,
    /// If present, only the person with this e-mail can accept.
    #[serde(default)]
    #[schema(max_length = 254)]
    pub email: Option<String>,
    /// 1 to 30; 7 when absent.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 30)]
    pub expires_in_days: Option<u32>,
}

impl Check for NewInvitation {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(email) = &self.email {
            check_email("/email", email, mistakes);
        }
        if !(1..=MOST_DAYS).contains(&self.expires_in_days.unwrap_or(DAYS)) {
            mistakes.add("/expires_in_days", "must be 1 to 30");
        }
    }
}

/// A fresh invitation. The link is shown once.
#[derive(Debug, Serialize, ToSchema)]
pub struct FreshInvitation {
    pub id: InvitationId,
    /// The part after `#` never reaches a server or its log. Without a `public_url` the link is only a path.
    pub link: String,
    /// The secret of the link.
    pub token: String,
    /// The link is also sent to the invitation's e-mail.
    pub mailed: bool,
    /// Why others may not reach the gateway by the link, and what to do. Absent when the gateway knows of nothing.
    pub address_problem: Option<String>,
    pub role: Role,
    pub expires_at: DateTime<Utc>,
}
