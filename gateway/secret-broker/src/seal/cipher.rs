//! XChaCha20-Poly1305 with random nonces of 24 bytes, which do not repeat in practice.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{Key, KeyInit, XChaCha20Poly1305, XNonce};
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a key.
pub const KEY: usize = 32;
/// Bytes of a nonce.
pub const NONCE: usize = 24;

/// The key of one record, wiped when dropped.
pub struct DataKey([u8; KEY]);

impl DataKey {
    /// Makes a new key.
    pub fn fresh() -> Self {
        Self(fresh())
    }

    /// Reads a key from unwrapped bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The bytes, for wrapping.
    pub fn reveal(&self) -> &[u8; KEY] {
        &self.0
    }
}

impl Drop for DataKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// Random bytes from the kernel.
pub fn fresh<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .expect("the kernel gives random bytes; without them nothing may be sealed");
    bytes
}

/// Encrypts; the tag is at the end.
pub fn encrypt(key: &DataKey, nonce: &[u8; NONCE], plain: &[u8], associated: &[u8]) -> Vec<u8> {
    let payload = Payload {
        msg: plain,
        aad: associated,
    };
    cipher(key)
        .encrypt(&XNonce::from(*nonce), payload)
        .expect("a record is far below the length that the cipher takes")
}

/// Decrypts; `None` when anything was changed.
pub fn decrypt(
    key: &DataKey,
    nonce: &[u8; NONCE],
    secret: &[u8],
    associated: &[u8],
) -> Option<Zeroizing<Vec<u8>>> {
    let payload = Payload {
        msg: secret,
        aad: associated,
    };
    let plain = cipher(key).decrypt(&XNonce::from(*nonce), payload).ok()?;
    Some(Zeroizing::new(plain))
}

fn cipher(key: &DataKey) -> XChaCha20Poly1305 {
    let mut bytes = Key::from(key.0);
    let cipher = XChaCha20Poly1305::new(&bytes);
    bytes.zeroize();
    cipher
}
