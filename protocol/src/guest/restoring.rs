//! What the guest's `snapshot-in` reads from its stdin: a snapshot in the order of its chunks.
//!
//! ```text
//!  Folder…   (Chunk Piece…)…   Link|SameFile…   Settle…   End        (MessagePack)
//! ```
//! Each chunk comes once and stays compressed on the way, because every byte passes the engine and is checked several times.
//! Each record names its path, so the guest keeps one chunk and no table of the files.
use serde::{Deserialize, Serialize};

/// Largest content of a chunk, bytes.
pub const MOST_CHUNK: usize = 1024 * 1024;

/// One record. Paths are relative to the workspace; their bytes need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Restoring {
    /// Makes a folder, which the owner may write until it is settled. The folder above it exists.
    Folder {
        #[serde(with = "serde_bytes")]
        path: Vec<u8>,
    },
    /// The content of which the next pieces are parts. It replaces the one before.
    Chunk {
        /// Bytes of the content.
        length: u32,
        /// Whether `bytes` are compressed with zstd.
        packed: bool,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
    },
    /// Writes a part of the last chunk into a file.
    Piece {
        #[serde(with = "serde_bytes")]
        path: Vec<u8>,
        /// The file's first piece makes it. That is not always the piece at its beginning.
        first: bool,
        /// Where in the file.
        at: u64,
        /// Where in the chunk.
        offset: u32,
        length: u32,
        /// With the file's last piece.
        facts: Option<EntryFacts>,
    },
    /// Makes a symbolic link. Its target is text and is never followed.
    Link {
        #[serde(with = "serde_bytes")]
        path: Vec<u8>,
        #[serde(with = "serde_bytes")]
        target: Vec<u8>,
        mtime_ns: i64,
    },
    /// Makes another name of a file.
    SameFile {
        #[serde(with = "serde_bytes")]
        path: Vec<u8>,
        #[serde(with = "serde_bytes")]
        first: Vec<u8>,
    },
    /// Sets the facts of a folder, after all of its content: a folder that cannot be written cannot be filled.
    Settle {
        #[serde(with = "serde_bytes")]
        path: Vec<u8>,
        facts: EntryFacts,
    },
    /// Nothing is missing. A stream without it was cut off.
    End,
}

/// What a person sees of a file or folder beside its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryFacts {
    /// Permission bits, at most `0o777`.
    pub mode: u32,
    /// Time of the last change of the content, nanoseconds since 1970.
    pub mtime_ns: i64,
}
