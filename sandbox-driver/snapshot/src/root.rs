//! The root of a snapshot. Its address is the snapshot's digest.
use serde::{Deserialize, Serialize};

use crate::address::Address;

/// Most lines about what was left out.
pub const MOST_LEFT_OUT: usize = 50;
/// The version of the form.
const VERSION: u8 = 1;

/// A snapshot: where its tree is, and what a person wants to know first. It contains no time, so that an unchanged
/// workspace has the same digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    version: u8,
    /// Number of files.
    pub files: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Chunks of the tree, in their order.
    pub tree: Vec<Address>,
    /// What was left out and why, one line each; at most [`MOST_LEFT_OUT`] lines.
    pub left_out: Vec<String>,
}

/// Why a root cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    #[error("the chunk is not the root of a snapshot")]
    Malformed(#[source] rmp_serde::decode::Error),
    #[error("the root of a snapshot cannot be written")]
    Encode(#[source] rmp_serde::encode::Error),
    #[error(
        "the snapshot has the form {0}, which this version does not know; upgrade Roost on this machine"
    )]
    Version(u8),
}

impl Root {
    pub fn new(files: u64, bytes: u64, tree: Vec<Address>, mut left_out: Vec<String>) -> Self {
        left_out.truncate(MOST_LEFT_OUT);
        Self {
            version: VERSION,
            files,
            bytes,
            tree,
            left_out,
        }
    }

    /// # Errors
    /// [`RootError::Encode`].
    pub fn encode(&self) -> Result<Vec<u8>, RootError> {
        rmp_serde::to_vec(self).map_err(RootError::Encode)
    }

    /// # Errors
    /// [`RootError::Malformed`], [`RootError::Version`].
    pub fn decode(bytes: &[u8]) -> Result<Self, RootError> {
        let root: Self = rmp_serde::from_slice(bytes).map_err(RootError::Malformed)?;
        if root.version != VERSION {
            return Err(RootError::Version(root.version));
        }
        Ok(root)
    }
}
