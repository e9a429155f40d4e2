//! Signing in and sessions in JSON.

pub mod account;
pub mod device;
pub mod setup;

use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entity::{session, user};
use super::{Role, Scopes};
use roost_platform::ids::{SessionId, UserId, WorkspaceId};
use roost_web::json::{Check, Mistakes};

/// Either a one-time login, or e-mail and password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// A one-time login, as written to the file or shown on the terminal.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub one_time: Option<SecretString>,
    #[serde(default)]
    pub email: Option<String>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub password: Option<SecretString>,
}

impl Check for Login {
    fn check(&self, mistakes: &mut Mistakes) {
        match (&self.one_time, &self.email, &self.password) {
            (Some(_), None, None) | (None, Some(_), Some(_)) => {}
            (None, Some(_), None) => mistakes.add("/password", "is missing"),
            (None, None, Some(_)) => mistakes.add("/email", "is missing"),
            _ => mistakes.add("", "must have either `one_time`, or `email` and `password`"),
        }
    }
}

/// A user, as colleagues see them.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct UserBrief {
    pub id: UserId,
    pub email: String,
    pub name: String,
    /// The version of the person's picture, for `/api/users/{id}/avatar?v=`. Absent without a picture.
    pub avatar: Option<String>,
}

impl From<user::Model> for UserBrief {
    fn from(row: user::Model) -> Self {
        Self {
            id: row.id,
            email: row.email,
            name: row.name,
            avatar: row.avatar,
        }
    }
}

/// A workspace, in short.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WorkspaceBrief {
    pub id: WorkspaceId,
    pub name: String,
}

/// A workspace and the caller's role in it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MembershipBrief {
    pub id: WorkspaceId,
    pub name: String,
    pub role: Role,
}

/// The answer to a sign-in. Programs use the token; a page uses the cookie that comes with the answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignedIn {
    /// Shown once. Send it as `Authorization: Bearer <token>`.
    pub token: String,
    pub user: UserBrief,
    pub workspace: WorkspaceBrief,
    pub role: Role,
    /// The user has no password yet: ask for one.
    pub must_set_password: bool,
    pub expires_at: DateTime<Utc>,
}

/// The caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct Me {
    pub user: UserBrief,
    /// The workspace of this request.
    pub workspace: WorkspaceBrief,
    pub role: Role,
    /// The caller operates the deployment.
    pub operator: bool,
    pub workspaces: Vec<MembershipBrief>,
    /// What the caller's role allows in this workspace, as verbs (`claws.write`).
    pub permissions: Vec<String>,
    pub must_set_password: bool,
    /// The caller also signs in by the identity provider.
    pub hosted: bool,
    /// The address that the caller wants. It is used when its link was opened.
    pub pending_email: Option<String>,
    /// The deployment sends mail. Without it, a new address is used at once, and nobody gets notices.
    pub mail: bool,
    /// The caller gets mail about own runs that fail or wait for an approval.
    pub mail_notices: bool,
}

/// The workspace in which the session continues.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    pub workspace_id: WorkspaceId,
}

impl Check for Switch {
    fn check(&self, _: &mut Mistakes) {}
}

/// The secret of an invitation's link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InvitationLink {
    /// What follows `#` in the link.
    #[schema(value_type = String)]
    pub token: SecretString,
}

impl Check for InvitationLink {
    fn check(&self, _: &mut Mistakes) {}
}

/// What an invitation shows to the person that has its link.
#[derive(Debug, Serialize, ToSchema)]
pub struct InvitationView {
    /// The workspace's name.
    pub workspace: String,
    pub role: Role,
    /// The name of the person that sent the invitation.
    pub invited_by: String,
    /// If present, only the person with this e-mail can accept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    pub expires_at: DateTime<Utc>,
}

/// Accepting an invitation. A signed-in person sends only the token. Any other person also sends an e-mail and a
/// password: of their account, or for the account that they get.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    #[schema(value_type = String)]
    pub token: SecretString,
    #[serde(default)]
    #[schema(max_length = 254)]
    pub email: Option<String>,
    /// For a new account; absent: the part of the e-mail before the `@`.
    #[serde(default)]
    #[schema(max_length = 100)]
    pub name: Option<String>,
    /// At least 10 characters, at most 200.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 10, max_length = 200)]
    pub password: Option<SecretString>,
}

impl Check for Acceptance {
    fn check(&self, mistakes: &mut Mistakes) {
        match (&self.email, &self.password) {
            (Some(email), Some(password)) => {
                check_email("/email", email, mistakes);
                check_password("/password", password, mistakes);
            }
            (Some(_), None) => mistakes.add("/password", "is missing"),
            (None, Some(_)) => mistakes.add("/email", "is missing"),
            (None, None) => {}
        }
        if let Some(name) = &self.name {
            mistakes.name("/name", name, 100);
        }
    }
}

/// The person is a member of the workspace now.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AcceptedInvitation)]
pub struct Accepted {
    pub user: UserBrief,
    pub workspace: WorkspaceBrief,
    pub role: Role,
    /// A token for programs, when the person was not signed in. Shown once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// Checks an address for signing in.
pub fn check_email(pointer: &str, email: &str, mistakes: &mut Mistakes) {
    let email = email.trim();
    let parts = email.split_once('@');
    let plausible = parts.is_some_and(|(name, host)| !name.is_empty() && host.len() > 1)
        && !email.chars().any(|c| c.is_whitespace() || c.is_control())
        && email.matches('@').count() == 1;
    if !plausible || email.len() > 254 {
        mistakes.add(pointer, "must be an e-mail address");
    }
}

fn check_password(pointer: &str, password: &SecretString, mistakes: &mut Mistakes) {
    use secrecy::ExposeSecret;
    let length = password.expose_secret().chars().count();
    if !(10..=200).contains(&length) {
        mistakes.add(pointer, "must have 10 to 200 characters");
    }
}

/// A new password. `current` is required unless the session came from a one-time login.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPassword {
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub current: Option<SecretString>,
    /// At least 10 characters, at most 200.
    #[schema(value_type = String, min_length = 10, max_length = 200)]
    pub new: SecretString,
    /// Also end the tokens of the caller's programs. The caller's other sign-ins end in any case.
    #[serde(default)]
    pub revoke_tokens: bool,
}

impl Check for NewPassword {
    fn check(&self, mistakes: &mut Mistakes) {
        check_password("/new", &self.new, mistakes);
    }
}

/// A session of the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct Session {
    pub id: SessionId,
    /// `login` or `api`.
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The workspace in which the session works.
    pub workspace_id: WorkspaceId,
    /// The address from which the session was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_address: Option<String>,
    /// The browser's name for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// What a program's token may do at most, as verbs. Absent for all that its person may do.
    pub scopes: Option<Vec<String>>,
    /// This is the session of this request.
    pub current: bool,
    pub created_at: DateTime<Utc>,
    pub last_seen_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

impl Session {
    /// The row, as the session `current` sees it.
    pub fn new(row: session::Model, current: Option<SessionId>) -> Self {
        Self {
            current: current == Some(row.id),
            scopes: row
                .scopes
                .map(|stored| Scopes::from_stored(&stored).names()),
            id: row.id,
            kind: row.kind,
            label: row.label,
            workspace_id: row.workspace_id,
            from_address: row.from_address,
            device: row.device,
            created_at: row.created_at,
            last_seen_at: row.last_seen_at,
            expires_at: row.expires_at,
        }
    }
}

/// A new API session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewApiSession {
    /// The purpose of the session, 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100)]
    pub label: String,
    /// 1 to 366. If absent, the longest life that a session can have.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 366)]
    pub expires_in_days: Option<u32>,
    /// What the token may do at most, as verbs (`runs.read`). If absent, all that its person may do.
    #[serde(default)]
    #[schema(min_items = 1, max_items = 100)]
    pub scopes: Option<Vec<String>>,
}

impl Check for NewApiSession {
    fn check(&self, mistakes: &mut Mistakes) {
        mistakes.name("/label", &self.label, 100);
        if let Some(days) = self.expires_in_days
            && !(1..=366).contains(&days)
        {
            mistakes.add("/expires_in_days", "must be from 1 to 366");
        }
        if let Some(scopes) = &self.scopes
            && !(1..=100).contains(&scopes.len())
        {
            mistakes.add("/scopes", "must have 1 to 100 entries");
        }
    }
}

/// A fresh API session. The token is shown once.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApiSession {
    pub id: SessionId,
    pub token: String,
    pub label: String,
    /// What the token may do at most. Absent for all that its person may do.
    pub scopes: Option<Vec<String>>,
    pub expires_at: DateTime<Utc>,
}

/// The address at which the browser signs in at the identity provider.
#[derive(Debug, Serialize, ToSchema)]
pub struct HostedLink {
    pub url: String,
}
