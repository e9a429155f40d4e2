//! The verbs. No verb returns a secret.

use serde::{Deserialize, Serialize};

use super::branches::{Bundled, Diffed, GitBundle, GitDiff, GitPush, GitReceive, Pushed, Received};
use super::fault::Fault;
use super::files::{GitArchive, GitImport, Imported};
use super::git::{Branches, Fetching, GitBranches, GitFetch, GitForget, Mirror};
use super::lock_files::{GitFiles, ReadFiles};
use super::oauth::{Begin, Begun, Exchange, Redeem, Redeemed};
use super::record::{Allow, Description, Inject, RecordName};
use super::secret::Secret;
use super::status::{AuditReport, Saved, Status};

/// The protocol version of this build.
pub const VERSION: u16 = 1;

/// The first message of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub oldest: u16,
    pub newest: u16,
    /// For the broker's log.
    pub program: String,
}

/// The broker's answer to a hello.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Greeting {
    Welcome(Welcome),
    Refused(Fault),
}

/// The common version from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    pub version: u16,
    pub build: String,
}

/// A credential to store. It replaces one of the same name.
#[derive(Debug, Serialize, Deserialize)]
pub struct Store {
    pub name: RecordName,
    pub secret: Secret,
    pub inject: Inject,
    pub allow: Vec<Allow>,
}

/// A request to send with the credential added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forward {
    pub name: RecordName,
    pub method: String,
    /// The whole URL; checked against the record's allow-list.
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// Body frames follow.
    pub body: bool,
    /// Bytes of the body, if known: sent as `Content-Length`.
    pub body_length: Option<u64>,
    /// Deadline for the whole exchange, milliseconds; the broker's own limit still holds.
    pub deadline_ms: Option<u64>,
    /// The agent or run behind the request, for the audit log.
    pub on_behalf: String,
}

/// Removes a credential from a text that its remote sent in pieces and that the gateway has joined: `forward` sees only
/// the pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clean {
    pub name: RecordName,
    /// May be empty, to read only `least`.
    pub text: String,
}

/// The same text without the credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cleaned {
    /// The same number of bytes; those of the credential are `*`.
    pub text: String,
    /// Bytes of the shortest form that is masked. A text without so many visible ASCII characters in a row needs no
    /// cleaning. Absent when there is no secret to mask.
    pub least: Option<u32>,
}

/// The head of a remote's answer; body frames follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub status: u16,
    pub headers: Vec<(String, String)>,
}

/// A client's request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    Store(Store),
    Delete(RecordName),
    Describe(RecordName),
    Begin(Begin),
    Exchange(Exchange),
    Redeem(Redeem),
    /// Renews the tokens of a person's sign-in now, even before they expire. The issuer then confirms again who the
    /// person is.
    Renew(RecordName),
    Forward(Forward),
    Clean(Clean),
    GitFetch(GitFetch),
    GitForget(GitForget),
    GitBranches(GitBranches),
    GitBundle(GitBundle),
    GitReceive(GitReceive),
    GitDiff(GitDiff),
    GitFiles(GitFiles),
    GitPush(GitPush),
    GitImport(GitImport),
    GitArchive(GitArchive),
    Status,
    /// Makes a new root key and seals every record again. For administrators only, like all below.
    Rekey,
    /// Returns the sealed records, without any key.
    Backup,
    /// Replaces all records with those of a backup, which follows as body frames.
    Restore,
    VerifyAudit,
}

/// The broker's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Stored(Description),
    Deleted {
        existed: bool,
    },
    Described(Description),
    Begun(Begun),
    Exchanged(Description),
    /// Of `redeem` and `renew`.
    Redeemed(Redeemed),
    Head(Head),
    Cleaned(Cleaned),
    /// Progress of a `git_fetch`; more of these or [`Fetched`](Self::Fetched) follow.
    Fetching(Fetching),
    Fetched(Mirror),
    Forgotten {
        existed: bool,
    },
    Branches(Branches),
    /// The bytes of the bundle follow.
    Bundled(Bundled),
    Received(Received),
    /// The text follows.
    Diffed(Diffed),
    /// The bytes of the files follow, one after the other.
    ReadFiles(ReadFiles),
    Pushed(Pushed),
    Imported(Imported),
    /// The bytes of a tar archive follow.
    Archive,
    Status(Status),
    /// Of `rekey` and `restore`; of `backup` at its end, after the bytes.
    Saved(Saved),
    /// The bytes of a backup follow.
    Backup,
    Audit(AuditReport),
    Failed(Fault),
}

impl Request {
    /// The verb's name, as in the audit log.
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Store(_) => "store",
            Self::Delete(_) => "delete",
            Self::Describe(_) => "describe",
            Self::Begin(_) => "begin",
            Self::Exchange(_) => "exchange",
            Self::Redeem(_) => "redeem",
            Self::Renew(_) => "renew",
            Self::Forward(_) => "forward",
            Self::Clean(_) => "clean",
            Self::GitFetch(_) => "git_fetch",
            Self::GitForget(_) => "git_forget",
            Self::GitBranches(_) => "git_branches",
            Self::GitBundle(_) => "git_bundle",
            Self::GitReceive(_) => "git_receive",
            Self::GitDiff(_) => "git_diff",
            Self::GitFiles(_) => "git_files",
            Self::GitPush(_) => "git_push",
            Self::GitImport(_) => "git_import",
            Self::GitArchive(_) => "git_archive",
            Self::Status => "status",
            Self::Rekey => "rekey",
            Self::Backup => "backup",
            Self::Restore => "restore",
            Self::VerifyAudit => "verify_audit",
        }
    }

    /// Whether only an administrator may send it.
    pub const fn is_administration(&self) -> bool {
        matches!(
            self,
            Self::Rekey | Self::Backup | Self::Restore | Self::VerifyAudit
        )
    }
}
