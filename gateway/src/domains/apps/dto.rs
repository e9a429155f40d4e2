//! Apps in JSON.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::RecordState;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::entity::connection;
use super::model::is_provider;
use crate::domains::auth::dto::UserBrief;
use crate::http::json::{Check, Mistakes};
use crate::ids::{AppConnectionId, ClawId};

/// A sign-in to begin.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OAuthStart {
    /// The agent to connect.
    pub claw_id: ClawId,
    /// The app: `[a-z0-9][a-z0-9_-]{0,62}`.
    #[schema(max_length = 63)]
    pub provider: String,
    /// `oauth` (default) or `mcp_oauth`.
    #[serde(default)]
    pub auth_type: Option<String>,
    /// The MCP server's issuer; only for `mcp_oauth`.
    #[serde(default)]
    #[schema(max_length = 2048)]
    pub issuer_url: Option<String>,
}

impl Check for OAuthStart {
    fn check(&self, mistakes: &mut Mistakes) {
        if !is_provider(&self.provider) {
            mistakes.add(
                "/provider",
                "must be 1 to 63 lower-case letters, digits, `_` and `-`, beginning with a letter or digit",
            );
        }
        if let Some(issuer) = &self.issuer_url {
            check_issuer(issuer, mistakes);
        }
    }
}

fn check_issuer(issuer: &str, mistakes: &mut Mistakes) {
    let url = url::Url::parse(issuer).ok().filter(|url| url.has_host());
    let fine = url.is_some_and(|url| {
        matches!(url.scheme(), "https" | "http")
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    });
    if !fine || issuer.len() > 2048 {
        mistakes.add(
            "/issuerUrl",
            "must be an https address without user, query and fragment",
        );
    }
}

/// Where to send the person's browser.
#[derive(Debug, Serialize, ToSchema)]
pub struct OAuthStarted {
    pub authorize_url: String,
    /// 32 lower-case hex digits; good for ten minutes and one callback.
    pub state: String,
}

/// What the issuer sends the browser back with.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OAuthCallback {
    /// The one-time code.
    pub code: Option<String>,
    /// The state of the sign-in.
    pub state: Option<String>,
    /// The issuer names itself (RFC 9207).
    pub iss: Option<String>,
    /// The issuer, or the person there, refused (RFC 6749).
    pub error: Option<String>,
}

/// Whether a connection can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppConnectionState {
    Ready,
    /// The app took its consent back: a person has to connect again.
    NeedsReauth,
    /// The secret broker holds no such token any more.
    Missing,
    /// The secret broker does not answer.
    Unknown,
}

impl From<RecordState> for AppConnectionState {
    fn from(state: RecordState) -> Self {
        match state {
            RecordState::Ready => Self::Ready,
            RecordState::NeedsReauth => Self::NeedsReauth,
        }
    }
}

/// An app that an agent is connected to. The token itself is never shown.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppConnection {
    pub id: AppConnectionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    pub provider: String,
    /// `oauth` or `mcp_oauth`.
    pub auth_type: String,
    pub issuer_url: String,
    pub state: AppConnectionState,
    /// When the present access token ends, where the issuer said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// Whether it is renewed without a person.
    pub renewable: bool,
    /// Origins that the token may be sent to.
    pub reaches: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connected_by: Option<UserBrief>,
    pub connected_at: DateTime<Utc>,
}

/// What the broker says of a connection's token.
pub struct Kept {
    pub state: AppConnectionState,
    pub expires_at: Option<DateTime<Utc>>,
    pub renewable: bool,
    pub reaches: Vec<String>,
}

impl AppConnection {
    /// From the row, who made it, and what the broker says.
    pub fn new(row: connection::Model, connected_by: Option<UserBrief>, kept: Kept) -> Self {
        Self {
            id: row.id,
            agent_id: row.agent_id,
            provider: row.provider,
            auth_type: row.auth_type,
            issuer_url: row.issuer_url,
            state: kept.state,
            expires_at: kept.expires_at,
            renewable: kept.renewable,
            reaches: kept.reaches,
            connected_by,
            connected_at: row.created_at,
        }
    }
}

/// Filters of the list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ConnectionsQuery {
    /// Of one agent.
    pub agent_id: Option<ClawId>,
    /// Items a page: 1 to 200, 50 when absent.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// What can be connected here.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppOptions {
    /// Whether `oauth` can be used; otherwise `missing` says what the operator has to set.
    pub oauth: bool,
    /// Whether `mcp_oauth` can be used.
    pub mcp_oauth: bool,
    /// Keys of the configuration.
    pub missing: Vec<String>,
    /// Apps whose API is known, so that their tokens can be used.
    pub providers: Vec<String>,
    /// To be registered with an issuer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
}
