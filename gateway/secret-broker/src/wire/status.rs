//! The broker's status.

use serde::{Deserialize, Serialize};

/// Where the root key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootKind {
    File,
    Credential,
    Transit,
}

/// The broker's whole live state, without names of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    pub build: String,
    pub process: u32,
    pub user: u32,
    pub started_ms: i64,
    pub records: u64,
    pub needs_reauth: u64,
    pub root: RootKind,
    /// Id of the root key for new records (a fingerprint, or the transit key's version).
    pub root_key: String,
    /// Records that are sealed under an older root key.
    pub to_rekey: u64,
    pub connections: u32,
    pub forwards: u64,
    pub forwards_failed: u64,
    pub refreshes: u64,
    pub audit_entries: u64,
    /// Problems that an operator should fix.
    pub warnings: Vec<String>,
}

/// The result of a `rekey`, `backup` or `restore`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    pub records: u64,
    pub root_key: String,
    /// What is left to do by hand.
    pub note: Option<String>,
}

/// The result of a check of the audit chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditReport {
    pub entries: u64,
    pub files: u32,
    /// The first few.
    pub faults: Vec<String>,
    /// The last entry's hash. A copy in another place reveals a chain that was rewritten.
    pub end: String,
}
