//! Branches of agents: a commit of a mirror goes out as a bundle, a branch comes back as a bundle, and the broker pushes it.

use serde::{Deserialize, Serialize};

use super::record::RecordName;

/// The method name for pushes in an allow-list. Such an entry allows `git_push` to repositories below its path.
pub const GIT_PUSH: &str = "GIT-PUSH";

/// The beginning of each branch that the broker receives and pushes.
pub const BRANCHES: &str = "roost/";

/// A commit of a mirror to bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitBundle {
    pub name: RecordName,
    pub mirror: String,
    /// A whole commit id, or a name below `refs/heads/` or `refs/tags/`.
    pub from: String,
    /// The only branch that the bundle names, below [`BRANCHES`].
    pub branch: String,
    /// Where the history ends when it has to be cut: an ancestor of the commit. Absent: at the commit itself.
    pub base: Option<String>,
    /// The history is cut when its objects have more bytes than this.
    pub shallow_above: u64,
    /// Most bytes of the bundle.
    pub most: u64,
    /// The agent or run behind the request, for the audit log.
    pub on_behalf: String,
}

/// The head of a bundle; its bytes follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bundled {
    /// The commit of the branch.
    pub commit: String,
    /// The commit whose parents are left out, if the history was cut. A reader writes it to `.git/shallow` first.
    pub shallow: Option<String>,
}

/// A branch from a sandbox. Its bundle follows as body frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitReceive {
    pub name: RecordName,
    pub mirror: String,
    /// The only branch that the bundle may name, below [`BRANCHES`].
    pub branch: String,
    /// The commit that the branch began at.
    pub base: String,
    /// Whether changes of the host's workflow files are accepted.
    pub workflows: bool,
    pub on_behalf: String,
}

/// A branch that the broker keeps now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Received {
    pub commit: String,
    /// Commits after the base.
    pub commits: u64,
    /// The newest of them, newest first.
    pub newest: Vec<CommitLine>,
    /// Files that differ from the base.
    pub files: u64,
    /// The first of them, by path.
    pub changed: Vec<FileLine>,
}

/// One commit, for people. Its texts are shortened and have no control characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitLine {
    pub commit: String,
    pub author: String,
    /// As the commit says.
    pub at_s: i64,
    pub subject: String,
}

/// One changed file, for people. The path is shortened and has no control characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLine {
    pub path: String,
    /// Lines; absent for a binary file.
    pub added: Option<u64>,
    pub removed: Option<u64>,
}

/// The difference of two commits of a mirror, as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitDiff {
    pub name: RecordName,
    pub mirror: String,
    pub base: String,
    pub commit: String,
    /// Most bytes; the broker's own limit still holds.
    pub most: u64,
}

/// The head of a diff; its bytes follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diffed {
    /// The end is left out.
    pub cut: bool,
}

/// A received branch to push. The host gets exactly this commit under exactly this name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitPush {
    pub name: RecordName,
    pub mirror: String,
    /// The repository's address; entries with [`GIT`](super::GIT) and [`GIT_PUSH`] must cover it.
    pub url: String,
    pub user: String,
    /// A branch that was received.
    pub branch: String,
    /// Its commit. Another commit was received meanwhile: the push is refused.
    pub commit: String,
    pub deadline_ms: Option<u64>,
    pub on_behalf: String,
}

/// A branch that the host has now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pushed {
    pub commit: String,
    /// The host had this commit already.
    pub unchanged: bool,
}
