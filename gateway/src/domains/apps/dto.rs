//! Apps in JSON.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::{RecordState, Secret};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::entity::connection;
use super::model::{WEBHOOK, is_provider};
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
            mistakes.add("/provider", PROVIDER);
        }
        if let Some(issuer) = &self.issuer_url {
            check_address("/issuerUrl", issuer, mistakes);
        }
    }
}

const PROVIDER: &str =
    "must be 1 to 63 lower-case letters, digits, `_` and `-`, beginning with a letter or digit";

fn check_address(pointer: &str, address: &str, mistakes: &mut Mistakes) {
    let url = url::Url::parse(address).ok().filter(url::Url::has_host);
    let fine = url.is_some_and(|url| {
        matches!(url.scheme(), "https" | "http")
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    });
    if !fine || address.len() > 2048 {
        mistakes.add(
            pointer,
            "must be an https address without user, query and fragment",
        );
    }
}

/// A connection by a token that a person has from the app itself, or to a webhook.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewConnection {
    /// The agent to connect.
    pub claw_id: ClawId,
    /// One of the providers of `GET /api/apps/options`, or `webhook`.
    #[schema(max_length = 63)]
    pub provider: String,
    /// The token, sent as `Authorization: Bearer` and never shown again: 8 to 16384 visible ASCII characters.
    #[schema(value_type = String, min_length = 8, max_length = 16384)]
    pub secret: Secret,
    /// Of a webhook: where it is.
    #[serde(default)]
    #[schema(max_length = 2048)]
    pub url: Option<String>,
}

impl Check for NewConnection {
    fn check(&self, mistakes: &mut Mistakes) {
        if !is_provider(&self.provider) {
            mistakes.add("/provider", PROVIDER);
        }
        let secret = self.secret.reveal();
        if !(Secret::LEAST..=Secret::MOST).contains(&secret.len()) {
            mistakes.add("/secret", "must have 8 to 16384 characters");
        } else if !secret.iter().all(u8::is_ascii_graphic) {
            mistakes.add(
                "/secret",
                "must have visible ASCII characters only; was a blank or a line end pasted with it?",
            );
        }
        match (&self.url, self.provider == WEBHOOK) {
            (Some(url), true) => check_address("/url", url, mistakes),
            (None, true) => mistakes.add("/url", "a webhook needs its address"),
            (Some(_), false) => mistakes.add("/url", "is for webhooks only"),
            (None, false) => {}
        }
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
    /// `oauth`, `mcp_oauth`, or `token` for one that a person pasted.
    pub auth_type: String,
    /// Who signed in; of a `token` the app's API, or the webhook.
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
