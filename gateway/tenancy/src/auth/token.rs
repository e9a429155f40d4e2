//! Opaque tokens: 32 random bytes, shown once, stored as SHA-256.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::AuthError;

/// A secret that is shown once. It has no `Debug` and no `Serialize`.
pub struct Token(String);

impl Token {
    /// Creates a token whose text begins with `prefix`, so that people and scanners recognise it.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn fresh(prefix: &str) -> Result<Self, AuthError> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(AuthError::Randomness)?;
        Ok(Self(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// Returns the text, for the one answer, file or terminal that shows it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The hash that is stored.
    pub fn sha256(&self) -> String {
        sha256_hex(&self.0)
    }
}

/// SHA-256 of a text as 64 hex digits. Enough for tokens of 256 random bits; passwords get Argon2id.
pub fn sha256_hex(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}
