//! The closed list of work that a gateway can request. The type has nothing else.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, OperationId, SandboxId, WorkspaceId};
use crate::limits::{ENDLESS_S, NO_DEADLINE_S};
use crate::sandbox::SandboxSpec;
use crate::text;

/// One operation. The caller makes the id; a node starts an id at most once (promise P2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationRequest {
    pub id: OperationId,
    /// The workspace and agent it serves, for the owner's log and for checks on the node; absent for `verify` and
    /// `sb_list`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_behalf: Option<OnBehalf>,
    /// The agent's request in its own words. It is shown and never acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
    #[serde(deserialize_with = "known_or_unsupported")]
    pub operation: Operation,
}

/// An operation whose body this version cannot decode (a newer name, or a newer field that must not be ignored) becomes
/// [`Operation::Unsupported`] and is answered. Failing the whole frame would close the connection, and the operation
/// would be sent again.
fn known_or_unsupported<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Operation, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Readable {
        Known(Operation),
        Other(serde::de::IgnoredAny),
    }
    Ok(match Readable::deserialize(from)? {
        Readable::Known(operation) => operation,
        Readable::Other(_) => Operation::Unsupported,
    })
}

/// An agent's request. A tool wraps it in a program of the gateway, and people want to read the agent's own text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purpose {
    /// Name of the tool: `shell`, `read_file`, `pane`, ...
    pub tool: String,
    /// The command or path from the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Purpose {
    /// Longest stored command, bytes. The rest is cut: the owner's log and the pages show no more.
    pub const MOST_BYTES: usize = 4096;

    /// A tool's name with its command or path.
    pub fn new(tool: &str, command: Option<&str>) -> Self {
        let command = command.map(|command| text::clean(command, Self::MOST_BYTES));
        Self {
            tool: text::clean(tool, 64),
            command,
        }
    }
}

/// The workspace and agent that an operation serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnBehalf {
    pub workspace: WorkspaceId,
    pub agent: AgentId,
}

/// The work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Operation {
    /// Fixed check of host and engine, with a probe sandbox.
    Verify(Verify),
    SbProvision(Provision),
    SbExec(Exec),
    SbDestroy(Destroy),
    SbHealth(Health),
    SbList(List),
    SbFlush(Flush),
    /// An operation of a newer version; answered with `unsupported` (promise P10).
    #[serde(other)]
    Unsupported,
}

impl Operation {
    /// The wire name, for logs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Verify(_) => "verify",
            Self::SbProvision(_) => "sb_provision",
            Self::SbExec(_) => "sb_exec",
            Self::SbDestroy(_) => "sb_destroy",
            Self::SbHealth(_) => "sb_health",
            Self::SbList(_) => "sb_list",
            Self::SbFlush(_) => "sb_flush",
            Self::Unsupported => "unsupported",
        }
    }

    /// The sandbox of the operation, if it has one.
    pub fn sandbox(&self) -> Option<SandboxId> {
        match self {
            Self::SbProvision(p) => Some(p.spec.sandbox),
            Self::SbExec(e) => Some(e.sandbox),
            Self::SbDestroy(d) => Some(d.sandbox),
            Self::SbHealth(h) => Some(h.sandbox),
            Self::SbFlush(f) => Some(f.sandbox),
            Self::Verify(_) | Self::SbList(_) | Self::Unsupported => None,
        }
    }
}

/// `verify`: with `probe`, a sandbox is made and its hardening is checked from inside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verify {
    #[serde(default)]
    pub probe: bool,
}

/// `sb_provision`: makes and starts a sandbox; `restore` names a stored workspace: the digest of a
/// snapshot, or the SHA-256 of an archive of an older version, in hex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provision {
    pub spec: SandboxSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restore: Option<String>,
}

/// `sb_exec`: runs a command inside a sandbox through its guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exec {
    pub sandbox: SandboxId,
    pub argv: Vec<String>,
    /// Absolute path inside the sandbox; the default is the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Whether stdin stays open for control frames; otherwise it is closed at once.
    #[serde(default)]
    pub stdin: bool,
    /// A pseudo-terminal of this size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tty: Option<TtySize>,
    /// Seconds until the whole process tree is killed. [`NO_DEADLINE_S`]: never; only a terminal has none.
    pub deadline_s: u64,
}

impl Exec {
    /// Whether the command lives until somebody ends it.
    pub fn is_endless(&self) -> bool {
        self.deadline_s == NO_DEADLINE_S
    }

    /// Seconds until the whole process tree is killed.
    pub fn lasts_s(&self) -> u64 {
        match self.is_endless() {
            true => ENDLESS_S,
            false => self.deadline_s,
        }
    }
}

/// Size of a terminal in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TtySize {
    pub rows: u16,
    pub cols: u16,
}

/// `sb_destroy`: stops and removes a sandbox; with `archive`, the workspace is stored first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Destroy {
    pub sandbox: SandboxId,
    #[serde(default)]
    pub archive: bool,
}

/// `sb_health`: whether the sandbox runs, whether its guest answers, and what it uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Health {
    pub sandbox: SandboxId,
}

/// `sb_list`: every sandbox with our labels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {}

/// `sb_flush`: takes a snapshot of the workspace now, if something changed, and answers with the latest one. Only a machine
/// with the capability `flush` knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flush {
    pub sandbox: SandboxId,
    /// Seconds until the answer. A snapshot that takes longer follows later, as after a command.
    pub deadline_s: u64,
}
