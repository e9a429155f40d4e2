//! Bare mirrors of repositories that a credential may read: made and renewed by the broker, which alone has them.

use serde::{Deserialize, Serialize};

use super::record::RecordName;

/// What stands for git among the methods of an allow-list: such an entry lets repositories below its path be fetched,
/// and is of no use to `forward`.
pub const GIT: &str = "GIT";

/// A mirror to make, or to bring up to date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitFetch {
    pub name: RecordName,
    /// What the mirror is called among those of this credential: 1 to 64 small letters, digits and `-`.
    pub mirror: String,
    /// The repository's address, as `https://git.example/acme/tools.git`; an entry with [`GIT`] must cover it.
    pub url: String,
    /// The user beside the credential in `Authorization: Basic`, which is what git hosts take.
    pub user: String,
    /// The branch that the mirror's `HEAD` shall name, when it is there.
    pub head: Option<String>,
    /// Milliseconds for the whole; the broker's own limit stays.
    pub deadline_ms: Option<u64>,
    /// On whose behalf, for the audit log.
    pub on_behalf: String,
}

/// How far a fetch is. Repeated at least every half minute, so that silence means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetching {
    pub phase: FetchPhase,
    /// Of this phase; 0 where it cannot be known.
    pub percent: u8,
    /// That came from the host until now.
    pub bytes: u64,
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FetchPhase {
    /// Others are fetched before it.
    Waiting,
    /// The host counts and packs.
    Preparing,
    Receiving,
    /// Deltas are resolved and objects checked.
    Checking,
    /// Packs are put together.
    Tidying,
}

/// A mirror that is up to date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mirror {
    /// On the broker's disk.
    pub bytes: u64,
    pub branches: u64,
    pub tags: u64,
    /// What `HEAD` names; `None` in a repository without commits.
    pub head: Option<MirrorHead>,
}

/// A branch and its newest commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorHead {
    pub branch: String,
    /// Hexadecimal, 40 or 64 digits.
    pub commit: String,
}

/// A mirror that nobody needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitForget {
    pub name: RecordName,
    pub mirror: String,
}
