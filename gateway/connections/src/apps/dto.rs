//! Apps in JSON.

use chrono::{DateTime, Utc};
use roost_secret_broker::wire::{RecordState, Secret};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::entity::connection;
use super::model::{WEBHOOK, is_provider};
use roost_platform::ids::{AppConnectionId, ClawId};
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

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

/// A connection with a token that a person got from the app, or to a webhook.
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
    /// The address of a webhook.
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

/// The address for the person's browser.
#[derive(Debug, Serialize, ToSchema)]
pub struct OAuthStarted {
    pub authorize_url: String,
    /// 32 lower-case hex digits; valid for ten minutes and one callback.
    pub state: String,
}

/// The query with which the issuer sends the browser back.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OAuthCallback {
    /// The one-time code.
    pub code: Option<String>,
    /// The state of the sign-in.
    pub state: Option<String>,
    /// The issuer's own name (RFC 9207).
    pub iss: Option<String>,
    /// The error of the issuer, or of the person there (RFC 6749).
    pub error: Option<String>,
}

/// Whether a connection can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppConnectionState {
    Ready,
    /// The app withdrew its consent: a person has to connect again.
    NeedsReauth,
    /// The secret broker does not have the token any more.
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
    /// `oauth`, `mcp_oauth`, or `token` for a pasted token.
    pub auth_type: String,
    /// The issuer. For a `token`: the app's API, or the webhook.
    pub issuer_url: String,
    pub state: AppConnectionState,
    /// When the present access token ends, if the issuer reported it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// Whether the token is renewed without a person.
    pub renewable: bool,
    /// Origins to which the token may be sent.
    pub reaches: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connected_by: Option<UserBrief>,
    pub connected_at: DateTime<Utc>,
}

/// The broker's facts about a connection's token.
pub struct Kept {
    pub state: AppConnectionState,
    pub expires_at: Option<DateTime<Utc>>,
    pub renewable: bool,
    pub reaches: Vec<String>,
}

impl AppConnection {
    /// From the row, the person who made it, and the broker's facts.
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
    /// Only the connections of this agent.
    pub agent_id: Option<ClawId>,
    /// Items on each page: 1 to 200; the default is 50.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// The connections that are possible here.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppOptions {
    /// Whether `oauth` can be used. If not, `missing` names the settings that the operator has to set.
    pub oauth: bool,
    /// Whether `mcp_oauth` can be used.
    pub mcp_oauth: bool,
    /// Missing keys of the configuration.
    pub missing: Vec<String>,
    /// Apps whose API is known, so that their tokens can be used.
    pub providers: Vec<String>,
    /// The redirect address that must be registered with an issuer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
}
