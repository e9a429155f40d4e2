//! The verbs of an OAuth sign-in: the verifier is made and kept inside, the code is exchanged inside.

use serde::{Deserialize, Serialize};

use super::record::{Allow, Inject, RecordName};
use super::secret::Secret;

/// How a client shows its secret at the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientAuth {
    /// Public client: PKCE alone.
    None,
    Basic,
    Post,
}

/// Begins a sign-in. The gateway has read the discovery document; the broker checks every address again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// What the token will be stored as.
    pub name: RecordName,
    /// As it comes back in the callback; 8 to 128 letters, digits, `-` and `_`.
    pub state: String,
    pub token_endpoint: String,
    /// Compared with the callback's `iss` when that is there.
    pub issuer: String,
    /// The issuer announced that it always sends `iss`.
    pub issuer_required: bool,
    pub client_id: String,
    pub client_auth: ClientAuth,
    /// The record that holds the client's secret; never for a public client.
    pub client_secret: Option<RecordName>,
    pub redirect_uri: String,
    /// RFC 8707, for `mcp_oauth`.
    pub resource: Option<String>,
    /// Of the token to come.
    pub inject: Inject,
    pub allow: Vec<Allow>,
    pub lifetime_s: u32,
    /// Where the token is given back when its record is deleted (RFC 7009), where the issuer has such a place.
    #[serde(default)]
    pub revocation_endpoint: Option<String>,
}

/// What goes into the authorize URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    pub code_challenge: String,
    /// Always `S256`.
    pub code_challenge_method: String,
}

/// Ends a sign-in: works once, whatever comes of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Exchange {
    pub tenant: String,
    pub state: String,
    pub code: Secret,
    /// `iss` of the callback (RFC 9207).
    pub issuer: Option<String>,
}
