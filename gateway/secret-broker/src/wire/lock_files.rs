//! Files of a commit of a mirror, by name: lock files, from which the gateway loads what they name.

use serde::{Deserialize, Serialize};

use super::record::RecordName;

/// Files of a commit to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitFiles {
    pub name: RecordName,
    pub mirror: String,
    /// A whole commit id.
    pub commit: String,
    /// Names of files in any folder. One `*` stands for any text: `requirements*.txt`.
    pub names: Vec<String>,
    /// Most files that are read; the broker's own limit still holds.
    pub most_files: u32,
    /// Most bytes of one file; the broker's own limit still holds.
    pub most_bytes: u64,
    /// The run behind the request, for the audit log.
    pub on_behalf: String,
}

/// The files of a commit. The bytes of `files` follow, one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFiles {
    /// Those near the top of the tree first.
    pub files: Vec<FoundFile>,
    /// Files of these names that are not read: they are too large, or too many.
    pub unread: Vec<FoundFile>,
}

/// A file of a commit. The path is shortened and has no control characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundFile {
    pub path: String,
    pub bytes: u64,
}
