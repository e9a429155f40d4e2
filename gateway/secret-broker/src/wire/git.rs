//! Bare mirrors of repositories that a credential may read. Only the broker makes, updates and reads them.

use serde::{Deserialize, Serialize};

use super::record::RecordName;

/// The method name for git in an allow-list. Such an entry allows `git_fetch` of repositories below its path, and
/// nothing for `forward`.
pub const GIT: &str = "GIT";

/// A mirror to make or update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitFetch {
    pub name: RecordName,
    /// The mirror's name among those of this credential: 1 to 64 small letters, digits and `-`.
    pub mirror: String,
    /// The repository's address, such as `https://git.example/acme/tools.git`; an entry with [`GIT`] must cover it.
    pub url: String,
    /// The user beside the credential in `Authorization: Basic`, which git hosts require.
    pub user: String,
    /// The branch for the mirror's `HEAD`, if the branch exists.
    pub head: Option<String>,
    /// Deadline for the whole fetch, milliseconds; the broker's own limit still holds.
    pub deadline_ms: Option<u64>,
    /// The agent or person behind the request, for the audit log.
    pub on_behalf: String,
}

/// Progress of a fetch. Sent at least every half minute, so that the client can detect a hang.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetching {
    pub phase: FetchPhase,
    /// Percent of this phase; 0 when unknown.
    pub percent: u8,
    /// Bytes received from the host so far.
    pub bytes: u64,
}

/// The present phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FetchPhase {
    /// Other fetches run first.
    Waiting,
    /// The host counts and packs objects.
    Preparing,
    Receiving,
    /// Deltas are resolved and objects checked.
    Checking,
    /// Packs are merged.
    Tidying,
}

/// An updated mirror.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mirror {
    /// Size on the broker's disk.
    pub bytes: u64,
    pub branches: u64,
    pub tags: u64,
    /// The commit of `HEAD`; `None` in a repository without commits.
    pub head: Option<MirrorHead>,
}

/// A branch and its newest commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorHead {
    pub branch: String,
    /// Hexadecimal, 40 or 64 digits.
    pub commit: String,
}

/// The branches of a repository to read from its host. It needs no mirror.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitBranches {
    pub name: RecordName,
    /// The repository's address; an entry with [`GIT`] must cover it.
    pub url: String,
    /// The user beside the credential, as in [`GitFetch`].
    pub user: String,
    /// Only branches with this text in their name; case does not matter. Empty: all.
    pub containing: String,
    /// Most names; the broker's own limit still holds.
    pub most: u32,
    /// Deadline for the answer, milliseconds; the broker's own limit still holds.
    pub deadline_ms: Option<u64>,
    /// The agent or person behind the request, for the audit log.
    pub on_behalf: String,
}

/// The branches that a host has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branches {
    /// Names without `refs/heads/`, in the order of the host.
    pub names: Vec<String>,
    /// There are more than these.
    pub more: bool,
}

/// A mirror to delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitForget {
    pub name: RecordName,
    pub mirror: String,
}
