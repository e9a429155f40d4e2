//! Root keys in memory: the active one, and older ones while records are still sealed under them.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use roost_secret_broker::wire::RootKind;
use sha2::{Digest, Sha256};

use super::file::KeySource;
use super::{RootError, Wrapped};
use crate::seal::{DataKey, NONCE, decrypt, encrypt, fresh};

/// One root key.
struct RootKey {
    id: String,
    key: DataKey,
}

impl RootKey {
    fn new(key: DataKey) -> Self {
        // A fingerprint names the key and reveals nothing about it.
        let mut hash = Sha256::new();
        hash.update(b"roost broker root key");
        hash.update(key.reveal());
        Self {
            id: hex::encode(&hash.finalize()[..8]),
            key,
        }
    }
}

/// The keys, the active one first.
pub struct Keyring {
    source: KeySource,
    keys: RwLock<Vec<RootKey>>,
}

impl Keyring {
    /// Reads the keys of a file or credential. Makes the first key when no record needs an older one.
    ///
    /// # Errors
    /// See [`RootError`].
    pub fn open(source: KeySource, store_is_empty: bool) -> Result<Self, RootError> {
        let keys = source.read(store_is_empty)?;
        Ok(Self {
            source,
            keys: RwLock::new(keys.into_iter().map(RootKey::new).collect()),
        })
    }

    #[cfg(test)]
    pub fn in_memory(keys: Vec<[u8; 32]>) -> Self {
        let key = |bytes: [u8; 32]| RootKey::new(DataKey::from_bytes(&bytes).unwrap());
        Self {
            source: KeySource::Memory,
            keys: RwLock::new(keys.into_iter().map(key).collect()),
        }
    }

    pub(super) fn kind(&self) -> RootKind {
        self.source.kind()
    }

    pub(super) fn active(&self) -> String {
        self.keys()[0].id.clone()
    }

    pub(super) fn knows(&self, id: &str) -> bool {
        self.keys().iter().any(|key| key.id == id)
    }

    pub(super) fn has_older(&self) -> bool {
        self.keys().len() > 1
    }

    pub(super) fn wrap(&self, key: &DataKey, context: &[u8]) -> Wrapped {
        let keys = self.keys();
        let root = &keys[0];
        let nonce = fresh::<NONCE>();
        let mut bytes = nonce.to_vec();
        bytes.extend(encrypt(
            &root.key,
            &nonce,
            key.reveal(),
            &associated(&root.id, context),
        ));
        Wrapped {
            root_key: root.id.clone(),
            bytes,
        }
    }

    pub(super) fn unwrap(
        &self,
        id: &str,
        wrapped: &[u8],
        context: &[u8],
    ) -> Result<DataKey, RootError> {
        let keys = self.keys();
        let root = keys.iter().find(|key| key.id == id).ok_or_else(|| {
            let present: Vec<&str> = keys.iter().map(|key| key.id.as_str()).collect();
            RootError::Unknown {
                wanted: id.to_owned(),
                present: present.join(", "),
            }
        })?;
        let (nonce, secret) = wrapped
            .split_first_chunk::<NONCE>()
            .ok_or(RootError::Tampered)?;
        let plain = decrypt(&root.key, nonce, secret, &associated(id, context))
            .ok_or(RootError::Tampered)?;
        DataKey::from_bytes(&plain).ok_or(RootError::Tampered)
    }

    /// The disk comes first: records under a key that was not stored would be lost.
    pub(super) fn renew(&self) -> Result<(), RootError> {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        if keys.len() > 1 {
            return Ok(());
        }
        let new = RootKey::new(DataKey::fresh());
        let both: Vec<&DataKey> = std::iter::once(&new.key)
            .chain(keys.iter().map(|key| &key.key))
            .collect();
        self.source.write(&both)?;
        keys.insert(0, new);
        Ok(())
    }

    pub(super) fn retire(&self) -> Result<Option<String>, RootError> {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        if keys.len() == 1 {
            return Ok(None);
        }
        let note = match self.source.write(&[&keys[0].key]) {
            Ok(()) => {
                keys.truncate(1);
                None
            }
            Err(RootError::ReadOnly { path }) => Some(format!(
                "no record needs the older keys now: remove them from {path} and keep the first line"
            )),
            Err(error) => return Err(error),
        };
        Ok(note)
    }

    fn keys(&self) -> RwLockReadGuard<'_, Vec<RootKey>> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }
}

fn associated(id: &str, context: &[u8]) -> Vec<u8> {
    let mut bytes = b"roost data key\0".to_vec();
    bytes.extend_from_slice(id.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(context);
    bytes
}
