//! The verbs of an OAuth sign-in. The broker makes and stores the verifier, and exchanges the code.

use serde::{Deserialize, Serialize};

use super::record::{Allow, Description, Inject, RecordName};
use super::secret::Secret;

/// How a client authenticates at the token endpoint.
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
    /// Name under which the token will be stored.
    pub name: RecordName,
    /// The value that the callback returns; 8 to 128 letters, digits, `-` and `_`.
    pub state: String,
    pub token_endpoint: String,
    /// Compared with the callback's `iss` when it is present.
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
    /// How requests will carry the token.
    pub inject: Inject,
    pub allow: Vec<Allow>,
    pub lifetime_s: u32,
    /// Where the token is revoked when its record is deleted (RFC 7009), if the issuer supports it.
    #[serde(default)]
    pub revocation_endpoint: Option<String>,
}

/// Values for the authorize URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    pub code_challenge: String,
    /// Always `S256`.
    pub code_challenge_method: String,
}

/// Completes a sign-in. It works once, whatever the result.
#[derive(Debug, Serialize, Deserialize)]
pub struct Exchange {
    pub tenant: String,
    pub state: String,
    pub code: Secret,
    /// `iss` of the callback (RFC 9207).
    pub issuer: Option<String>,
}

/// The issuer of tokens, and the client that requests them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenClient {
    pub token_endpoint: String,
    pub client_id: String,
    pub client_auth: ClientAuth,
    /// The record, or the file of the deployment, that holds the client's secret; never for a public client.
    pub client_secret: Option<RecordName>,
    /// Where the token is revoked when its record is deleted (RFC 7009), if the issuer supports it.
    pub revocation_endpoint: Option<String>,
}

/// Exchanges the code of a person's sign-in at this deployment, in one step. The gateway keeps the verifier with the
/// browser, so the broker stores nothing before the code arrives.
#[derive(Debug, Serialize, Deserialize)]
pub struct Redeem {
    /// Name under which the tokens will be stored; it must be new.
    pub name: RecordName,
    pub client: TokenClient,
    pub redirect_uri: String,
    pub code: Secret,
    pub verifier: Secret,
    /// Where the access token may go: the issuer's userinfo endpoint.
    pub allow: Vec<Allow>,
}

/// The issuer's answer, without the tokens that grant access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redeemed {
    pub description: Description,
    /// Who signed in, signed by the issuer for this deployment. It names a person and grants no access at the issuer.
    pub id_token: Option<String>,
}
