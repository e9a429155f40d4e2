//! The root key: it wraps the data keys of records and nothing else.
//!
//! It comes from a file that only the broker's user can read or from a systemd credential, or it stays in Vault or
//! OpenBao (transit). The first two are a [`Keyring`], which holds several keys during a rekey.

mod file;
mod keyring;
mod transit;

use roost_secret_broker::wire::RootKind;
use zeroize::Zeroizing;

use crate::seal::DataKey;

pub use file::KeySource;
pub use keyring::Keyring;
pub use transit::{Transit, TransitSettings};

/// A data key that only the root key can unwrap.
pub struct Wrapped {
    /// The root key's id.
    pub root_key: String,
    pub bytes: Vec<u8>,
}

/// Why the root key cannot be used. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    #[error("the root key in {path} cannot be read")]
    Unreadable {
        path: String,
        #[source]
        source: std::io::Error,
    },
    #[error(
        "the root key in {path} can be read by others on this machine (mode {mode:o}): `chmod 600 {path}`"
    )]
    Open { path: String, mode: u32 },
    #[error(
        "the root key in {path} belongs to user {owner}; it must belong to the broker's user or to root"
    )]
    Owner { path: String, owner: u32 },
    #[error(
        "{path} holds no root key: each line has 64 hexadecimal digits, and the first line is the active key"
    )]
    Malformed { path: String },
    #[error(
        "the root key {path} is missing, and there are records that need it: restore it from your copy"
    )]
    Missing { path: String },
    #[error(
        "it was sealed under the root key {wanted}, but the present key is {present}: give the broker the former key file (or transit key)"
    )]
    Unknown { wanted: String, present: String },
    #[error(
        "its data key cannot be unwrapped: the record was changed, or moved to another tenant or connection"
    )]
    Tampered,
    #[error(
        "the root key in {path} cannot be changed from here: put a new key above the old one in the credential, restart the broker, and rekey"
    )]
    ReadOnly { path: String },
    #[error("the root key file {path} cannot be written")]
    Unwritable {
        path: String,
        #[source]
        source: std::io::Error,
    },
    #[error("Vault at {address} sent no valid answer of its transit interface: {problem}")]
    Transit { address: String, problem: String },
}

/// The root key.
pub enum Root {
    Keyring(Keyring),
    Transit(Transit),
}

impl Root {
    /// Wraps a data key, bound to its record's context.
    ///
    /// # Errors
    /// When the root key cannot be used.
    pub async fn wrap(&self, key: &DataKey, context: &[u8]) -> Result<Wrapped, RootError> {
        match self {
            Self::Keyring(keyring) => Ok(keyring.wrap(key, context)),
            Self::Transit(transit) => transit.wrap(key, context).await,
        }
    }

    /// Unwraps a data key.
    ///
    /// # Errors
    /// When the root key cannot be used, or is another key.
    pub async fn unwrap(
        &self,
        root_key: &str,
        wrapped: &[u8],
        context: &[u8],
    ) -> Result<DataKey, RootError> {
        match self {
            Self::Keyring(keyring) => keyring.unwrap(root_key, wrapped, context),
            Self::Transit(transit) => transit.unwrap(root_key, wrapped, context).await,
        }
    }

    /// Where the key is.
    pub fn kind(&self) -> RootKind {
        match self {
            Self::Keyring(keyring) => keyring.kind(),
            Self::Transit(_) => RootKind::Transit,
        }
    }

    /// Id of the key that new records use.
    pub fn active(&self) -> String {
        match self {
            Self::Keyring(keyring) => keyring.active(),
            Self::Transit(transit) => transit.active(),
        }
    }

    /// Whether records under this key can be opened here.
    pub fn knows(&self, root_key: &str) -> bool {
        match self {
            Self::Keyring(keyring) => keyring.knows(root_key),
            Self::Transit(transit) => transit.knows(root_key),
        }
    }

    /// Whether an older key is still held. An interrupted rekey leaves one behind.
    pub fn has_older(&self) -> bool {
        match self {
            Self::Keyring(keyring) => keyring.has_older(),
            Self::Transit(_) => false,
        }
    }

    /// Makes a new key active and keeps the older one until [`retire`](Self::retire). Continues an interrupted rekey.
    ///
    /// # Errors
    /// When no new key can be made.
    pub async fn renew(&self) -> Result<(), RootError> {
        match self {
            Self::Keyring(keyring) => keyring.renew(),
            Self::Transit(transit) => transit.renew().await,
        }
    }

    /// Drops the older keys; no record may be sealed under them. Returns what is left to do by hand.
    ///
    /// # Errors
    /// When the key file cannot be written.
    pub fn retire(&self) -> Result<Option<String>, RootError> {
        match self {
            Self::Keyring(keyring) => keyring.retire(),
            Self::Transit(_) => Ok(None),
        }
    }

    /// A root key for tests, in memory.
    #[cfg(test)]
    pub fn of_test(seed: u8) -> Self {
        Self::Keyring(Keyring::in_memory(vec![[seed; 32]]))
    }
}

/// Text of a key, wiped on drop.
type KeyText = Zeroizing<String>;
