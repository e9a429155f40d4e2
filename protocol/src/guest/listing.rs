//! What the guest's `snapshot-list` writes to its stdout, and what `snapshot-read` takes and gives.
//!
//! ```text
//!  snapshot-list:  Listed Listed Listed …                       (MessagePack, sorted: a folder before its content)
//!  snapshot-read:  stdin:  (length u32, path)…                   stdout, for each path: (length u32 > 0, bytes)… 0u32 status u8
//! ```
//! Numbers are little-endian. `snapshot-list` writes [`UNCHANGED`] alone when the BLAKE3 hash of its stdout and stderr is
//! the one in [`KNOWN_LISTING`]. A guest of an older version ignores that variable.
use serde::{Deserialize, Serialize};

/// The environment variable with the hash of the list that the host has, in hex digits.
pub const KNOWN_LISTING: &str = "ROOST_KNOWN_LISTING";
/// The list is the known one. No MessagePack value begins with this byte.
pub const UNCHANGED: u8 = 0xC1;

/// One entry of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Relative to the workspace; its bytes need not be UTF-8.
    #[serde(with = "serde_bytes")]
    pub path: Vec<u8>,
    pub kind: ListedKind,
    /// Permission bits.
    pub mode: u32,
    /// Time of the last change of the content, nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Time of the last change of content or attributes, nanoseconds since 1970. A program cannot set it.
    pub ctime_ns: i64,
    /// Bytes of a file; 0 for the other kinds.
    pub size: u64,
    pub inode: u64,
    /// The inode may have other names.
    pub linked: bool,
    /// The target of a symbolic link; empty for the other kinds.
    #[serde(with = "serde_bytes")]
    pub target: Vec<u8>,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListedKind {
    Folder,
    File,
    Link,
}

/// How the reading of one file ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadStatus {
    Whole,
    /// It changed while it was read, so the bytes may be of two versions.
    Changed,
    /// It is gone, or it cannot be read.
    Unreadable,
}

impl ReadStatus {
    pub fn byte(self) -> u8 {
        match self {
            Self::Whole => 0,
            Self::Changed => 1,
            Self::Unreadable => 2,
        }
    }

    /// An unknown byte counts as unreadable.
    pub fn of_byte(byte: u8) -> Self {
        match byte {
            0 => Self::Whole,
            1 => Self::Changed,
            _ => Self::Unreadable,
        }
    }
}
