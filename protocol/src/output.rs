//! Output of an operation: one byte-numbered sequence over both streams (promise P3).
use serde::{Deserialize, Serialize};

use crate::ids::OperationId;

/// The stream of the bytes. A pseudo-terminal has only `Stdout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamName {
    Stdout,
    Stderr,
}

/// A piece of output. `offset` counts the bytes of both streams in the order in which the guest read them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputChunk {
    pub operation: OperationId,
    #[serde(flatten)]
    pub piece: Piece,
}

/// Bytes, or a mark for bytes that are lost. A gap is always marked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Piece {
    Data {
        stream: StreamName,
        offset: u64,
        #[serde(with = "serde_bytes")]
        data: Vec<u8>,
    },
    /// Bytes `from..to` are no longer available.
    Gap { from: u64, to: u64 },
}

impl Piece {
    /// Offset of the first byte.
    pub fn start(&self) -> u64 {
        match self {
            Self::Data { offset, .. } => *offset,
            Self::Gap { from, .. } => *from,
        }
    }

    /// Offset after the last byte.
    pub fn end(&self) -> u64 {
        match self {
            // A hostile offset must not overflow.
            Self::Data { offset, data, .. } => offset.saturating_add(data.len() as u64),
            Self::Gap { to, .. } => *to,
        }
    }
}
