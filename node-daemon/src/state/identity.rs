//! The identity of this machine: installation, node, gateway, token.
use roost_protocol::ids::{InstallId, NodeId};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::folder::{StateError, StateFolder};

const TOKEN: &str = "token";
const INSTALL: &str = "install-id";
const NODE: &str = "node.json";
/// The certificate authority that the owner gave at join.
pub const CA: &str = "ca.pem";

/// What a join stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub node_id: NodeId,
    pub workspace_name: String,
    /// The gateway's address, e.g. `https://roost.example`.
    pub gateway: String,
    /// The channel's address, e.g. `wss://roost.example/api/nodes/agent`.
    pub channel: String,
    /// The owner accepted an unencrypted connection to another machine.
    #[serde(default)]
    pub insecure_plain: bool,
}

impl Identity {
    /// Reads what the last join stored; `None` before the first join.
    ///
    /// # Errors
    /// When the file cannot be read or is not valid.
    pub fn load(state: &StateFolder) -> Result<Option<Self>, StateError> {
        let Some(text) = state.read(NODE)? else {
            return Ok(None);
        };
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| StateError {
                path: state.file(NODE),
                source: std::io::Error::new(std::io::ErrorKind::InvalidData, error),
            })
    }

    /// Stores it.
    ///
    /// # Errors
    /// The file system's error.
    pub fn store(&self, state: &StateFolder) -> Result<(), StateError> {
        let text = serde_json::to_vec_pretty(self).map_err(|error| StateError {
            path: state.file(NODE),
            source: std::io::Error::other(error),
        })?;
        state.write(NODE, &text)
    }
}

/// The installation's id. The first call makes it.
///
/// # Errors
/// The file system's error, or a file without an id.
pub fn install_id(state: &StateFolder) -> Result<InstallId, StateError> {
    if let Some(text) = state.read(INSTALL)? {
        return text.trim().parse().map_err(|error| StateError {
            path: state.file(INSTALL),
            source: std::io::Error::new(std::io::ErrorKind::InvalidData, error),
        });
    }
    let id = InstallId(Uuid::now_v7());
    state.write(INSTALL, id.to_string().as_bytes())?;
    Ok(id)
}

/// The node token. This machine makes it and sends it only in the channel's Authorization header.
#[derive(Clone)]
pub struct Token(SecretString);

impl Token {
    /// The token of this installation; made and synced on the first call.
    ///
    /// # Errors
    /// The error of the file system or of the random source.
    pub fn load_or_make(state: &StateFolder) -> Result<Self, StateError> {
        if let Some(token) = Self::load(state)? {
            return Ok(token);
        }
        let mut bytes = zeroize::Zeroizing::new([0u8; 32]);
        getrandom::fill(&mut *bytes).map_err(|error| StateError {
            path: "/dev/urandom".into(),
            source: std::io::Error::other(error),
        })?;
        let text = hex::encode(*bytes);
        state.write(TOKEN, text.as_bytes())?;
        Ok(Self(SecretString::from(text)))
    }

    /// The token of this installation, if there is one.
    ///
    /// # Errors
    /// When the file cannot be read or holds no token.
    pub fn load(state: &StateFolder) -> Result<Option<Self>, StateError> {
        let Some(text) = state.read(TOKEN)? else {
            return Ok(None);
        };
        let text = text.trim().to_owned();
        if text.len() != 64 || hex::decode(&text).is_err() {
            return Err(StateError {
                path: state.file(TOKEN),
                source: std::io::Error::new(
                    std::io::ErrorKind::InvalidData,
                    "invalid node token; run `roostd leave`, then join again",
                ),
            });
        }
        Ok(Some(Self(SecretString::from(text))))
    }

    /// SHA-256 of the token's bytes in hex. The gateway stores only this.
    pub fn sha256(&self) -> String {
        let bytes =
            zeroize::Zeroizing::new(hex::decode(self.0.expose_secret()).unwrap_or_default());
        hex::encode(Sha256::digest(&*bytes))
    }

    /// The Authorization header's value, marked sensitive.
    ///
    /// # Errors
    /// Never for a loaded token: it is hex.
    pub fn header(&self) -> Result<http::HeaderValue, http::header::InvalidHeaderValue> {
        let text = zeroize::Zeroizing::new(format!("Bearer {}", self.0.expose_secret()));
        let mut value = http::HeaderValue::from_str(&text)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// Removes token, node and installation, in an order that makes an interrupted removal repeatable.
///
/// # Errors
/// The file system's error.
pub fn forget(state: &StateFolder) -> Result<(), StateError> {
    for name in [NODE, TOKEN, CA, INSTALL] {
        state.remove(name)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_and_installation_id_are_made_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateFolder::find(Some(folder.path().join("s")), false, |_| None);
        state.make().expect("made");
        let first = Token::load_or_make(&state).expect("a token");
        let again = Token::load_or_make(&state).expect("a token");
        assert_eq!(first.sha256(), again.sha256());
        assert_eq!(first.sha256().len(), 64);
        assert!(first.header().expect("a header").is_sensitive());
        assert_eq!(
            install_id(&state).expect("an id"),
            install_id(&state).expect("an id")
        );
        state.write(TOKEN, b"zz").expect("writes");
        assert!(Token::load(&state).is_err());
        forget(&state).expect("forgets");
        assert!(Token::load(&state).expect("reads").is_none());
    }
}
