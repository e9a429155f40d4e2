//! The verbs. There is none that returns a secret.

use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::git::{Fetching, GitFetch, GitForget, Mirror};
use super::oauth::{Begin, Begun, Exchange};
use super::record::{Allow, Description, Inject, RecordName};
use super::secret::Secret;
use super::status::{AuditReport, Saved, Status};

/// The version that is spoken here.
pub const VERSION: u16 = 1;

/// The first message of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub oldest: u16,
    pub newest: u16,
    /// For the broker's log.
    pub program: String,
}

/// Its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Greeting {
    Welcome(Welcome),
    Refused(Fault),
}

/// What both speak from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    pub version: u16,
    pub build: String,
}

/// A credential to keep. One of the same name is replaced.
#[derive(Debug, Serialize, Deserialize)]
pub struct Store {
    pub name: RecordName,
    pub secret: Secret,
    pub inject: Inject,
    pub allow: Vec<Allow>,
}

/// A request to send with the credential put in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forward {
    pub name: RecordName,
    pub method: String,
    /// Whole; checked against the record's allow-list.
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// Body frames follow.
    pub body: bool,
    /// Bytes of the body, where known: sent as `Content-Length`.
    pub body_length: Option<u64>,
    /// Milliseconds for the whole; the broker's own limit stays.
    pub deadline_ms: Option<u64>,
    /// On whose behalf, for the audit log: an agent, a run.
    pub on_behalf: String,
}

/// The head of a remote's answer; body frames follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub status: u16,
    pub headers: Vec<(String, String)>,
}

/// What a client asks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    Store(Store),
    Delete(RecordName),
    Describe(RecordName),
    Begin(Begin),
    Exchange(Exchange),
    Forward(Forward),
    GitFetch(GitFetch),
    GitForget(GitForget),
    Status,
    /// A new root key, and everything sealed anew. Administrators only, as all below.
    Rekey,
    /// The sealed records as they are, without any key.
    Backup,
    /// Replaces all records by those of a backup, which follows as body frames.
    Restore,
    VerifyAudit,
}

/// What the broker answers.
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
    Head(Head),
    /// How far a `git_fetch` is; others or [`Fetched`](Self::Fetched) follow.
    Fetching(Fetching),
    Fetched(Mirror),
    Forgotten {
        existed: bool,
    },
    Status(Status),
    /// Of `rekey` and `restore`; of `backup` at its end, after the bytes.
    Saved(Saved),
    /// The bytes of a backup follow.
    Backup,
    Audit(AuditReport),
    Failed(Fault),
}

impl Request {
    /// As in the audit log.
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Store(_) => "store",
            Self::Delete(_) => "delete",
            Self::Describe(_) => "describe",
            Self::Begin(_) => "begin",
            Self::Exchange(_) => "exchange",
            Self::Forward(_) => "forward",
            Self::GitFetch(_) => "git_fetch",
            Self::GitForget(_) => "git_forget",
            Self::Status => "status",
            Self::Rekey => "rekey",
            Self::Backup => "backup",
            Self::Restore => "restore",
            Self::VerifyAudit => "verify_audit",
        }
    }

    /// Whether only an administrator may ask it.
    pub const fn is_administration(&self) -> bool {
        matches!(
            self,
            Self::Rekey | Self::Backup | Self::Restore | Self::VerifyAudit
        )
    }
}
