//! The content of a sealed record.

use roost_secret_broker::wire::{
    Allow, ClientAuth, Description, Inject, RecordKind, RecordName, RecordState, Secret,
};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// An opened record. It lives for one use and is then wiped.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    pub kind: RecordKind,
    pub state: RecordState,
    /// The credential; for a sign-in, the PKCE verifier.
    pub secret: Secret,
    pub inject: Inject,
    pub allow: Vec<Allow>,
    pub created_ms: i64,
    pub updated_ms: i64,
    /// Set for [`RecordKind::OAuth`] and [`RecordKind::SignIn`].
    pub grant: Option<Grant>,
    /// Set for [`RecordKind::SignIn`].
    pub sign_in: Option<SignIn>,
}

/// The issuer of tokens, and the client that requests them.
#[derive(Debug, Serialize, Deserialize)]
pub struct Grant {
    pub token_endpoint: String,
    pub client_id: String,
    pub client_auth: ClientAuth,
    pub client_secret: Option<RecordName>,
    pub resource: Option<String>,
    pub refresh_token: Option<Secret>,
    pub expires_ms: Option<i64>,
    pub scope: Option<String>,
    /// Where a token is revoked (RFC 7009); records of older brokers have none.
    #[serde(default)]
    pub revocation_endpoint: Option<String>,
}

/// What the callback is compared with.
#[derive(Debug, Serialize, Deserialize)]
pub struct SignIn {
    /// Name under which the token will be stored.
    pub name: RecordName,
    pub issuer: String,
    pub issuer_required: bool,
    pub redirect_uri: String,
    pub until_ms: i64,
}

/// Room for the largest record, so that encoding one never grows a buffer that holds a secret.
const ROOM: usize = 128 * 1024;

impl Record {
    /// Encodes it for sealing.
    ///
    /// # Errors
    /// When a value has no MessagePack form.
    pub fn encode(&self) -> Result<Zeroizing<Vec<u8>>, rmp_serde::encode::Error> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(ROOM));
        rmp_serde::encode::write_named(&mut *bytes, self)?;
        Ok(bytes)
    }

    /// Decodes opened bytes.
    ///
    /// # Errors
    /// When they are not a record.
    pub fn decode(bytes: &[u8]) -> Result<Self, rmp_serde::decode::Error> {
        rmp_serde::from_slice(bytes)
    }

    /// The public description, without the secret.
    pub fn describe(&self, name: &RecordName, generation: u64) -> Description {
        Description {
            name: name.clone(),
            kind: self.kind,
            state: self.state,
            inject: self.inject.clone(),
            allow: self.allow.clone(),
            generation,
            created_ms: self.created_ms,
            updated_ms: self.updated_ms,
            expires_ms: self.grant.as_ref().and_then(|grant| grant.expires_ms),
            renewable: self
                .grant
                .as_ref()
                .is_some_and(|grant| grant.refresh_token.is_some()),
            scope: self.grant.as_ref().and_then(|grant| grant.scope.clone()),
        }
    }
}
