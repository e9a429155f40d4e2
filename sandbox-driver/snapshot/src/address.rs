//! Addresses of chunks: BLAKE3 with a key of the tenant.
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The address of a chunk: 32 bytes, written as 64 hex digits in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address([u8; Address::BYTES]);

impl Address {
    pub const BYTES: usize = 32;

    /// An address that was read from a store's own file.
    pub fn of_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an address has 64 hex digits in lower case")]
pub struct BadAddress;

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let lower = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        let mut bytes = [0; Self::BYTES];
        if !lower || hex::decode_to_slice(text, &mut bytes).is_err() {
            return Err(BadAddress);
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Address {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serde_bytes::Bytes::new(&self.0).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let bytes = serde_bytes::ByteBuf::deserialize(from)?;
        let bytes = bytes.into_vec().try_into();
        bytes
            .map(Self)
            .map_err(|_| serde::de::Error::custom("an address has 32 bytes"))
    }
}

/// The tenant whose chunks are addressed.
#[derive(Clone)]
pub struct Tenant([u8; blake3::KEY_LEN]);

impl Tenant {
    /// The tenant of a workspace.
    pub fn of(workspace: Uuid) -> Self {
        Self(blake3::derive_key(
            "roost 2026-11-24 chunks of a workspace",
            workspace.as_bytes(),
        ))
    }

    /// The address of a chunk with this content.
    pub fn address(&self, content: &[u8]) -> Address {
        Address(*blake3::keyed_hash(&self.0, content).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_content_of_two_tenants_has_two_addresses() {
        let (one, other) = (
            Tenant::of(Uuid::from_u128(1)),
            Tenant::of(Uuid::from_u128(2)),
        );
        assert_eq!(one.address(b"text"), one.address(b"text"));
        assert_ne!(one.address(b"text"), other.address(b"text"));
    }

    #[test]
    fn address_reads_only_its_own_form() {
        let address = Tenant::of(Uuid::nil()).address(b"text");
        assert_eq!(address.to_string().parse(), Ok(address));
        let upper = address.to_string().to_uppercase();
        for bad in ["", "..", &upper, &address.to_string()[1..]] {
            assert_eq!(bad.parse::<Address>(), Err(BadAddress), "{bad}");
        }
    }
}
