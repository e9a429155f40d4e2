//! Secret bytes: they cannot be printed, compared or copied, and are wiped when dropped.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroize;

/// A credential on its way into the broker. It has no `Debug` that shows it, no `Clone` and no `PartialEq`.
pub struct Secret(Vec<u8>);

impl Secret {
    /// Shortest secret. A shorter one would look like ordinary text in an answer and could not be redacted.
    pub const LEAST: usize = 8;
    /// Longest secret.
    pub const MOST: usize = 16 * 1024;

    /// Takes ownership of the bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes, at the one place that needs them.
    pub fn reveal(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Decode directly into one buffer: a growing vector would leave copies behind.
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Secret;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Secret, E> {
                Ok(Secret(bytes.to_vec()))
            }
            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Secret, E> {
                Ok(Secret(bytes))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}
