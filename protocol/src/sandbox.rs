//! The sandbox spec that crosses the channel. It holds only what may vary: hardening is the driver's and cannot be weakened.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, NodeId, SandboxId, WorkspaceId};
use crate::limits;

/// What to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxSpec {
    pub sandbox: SandboxId,
    pub workspace: WorkspaceId,
    pub agent: AgentId,
    /// The node it is meant for; absent on the gateway's own host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    /// Rises with each provision for the agent.
    pub epoch: u64,
    /// Image reference, checked by [`crate::text::image_reference`].
    pub image: String,
    /// The wanted image id or digest (`sha256:…`); absent accepts what the tag holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_digest: Option<String>,
    #[serde(deserialize_with = "every_limit_known")]
    pub limits: Limits,
    /// Environment of every command; names are checked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Seconds since last use after which the container ends.
    pub lease_s: u64,
}

/// Resource limits; the owner's caps may lower, never raise them.
///
/// In a spec a limit that this version does not know is refused, since it would go unheeded; in facts it is ignored, so
/// that a gateway understands a newer node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory without swap, bytes; the workspace counts in it.
    pub memory_bytes: u64,
    /// Size of the workspace, bytes.
    pub workspace_bytes: u64,
    /// Billionths of a cpu.
    pub nano_cpus: u64,
    /// Processes and threads.
    pub pids: u32,
}

fn every_limit_known<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Limits, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        memory_bytes: u64,
        workspace_bytes: u64,
        nano_cpus: u64,
        pids: u32,
    }
    let Strict {
        memory_bytes,
        workspace_bytes,
        nano_cpus,
        pids,
    } = Strict::deserialize(from)?;
    Ok(Limits {
        memory_bytes,
        workspace_bytes,
        nano_cpus,
        pids,
    })
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: limits::DEFAULT_MEMORY_BYTES,
            workspace_bytes: limits::DEFAULT_WORKSPACE_BYTES,
            nano_cpus: limits::DEFAULT_NANO_CPUS,
            pids: limits::DEFAULT_PIDS,
        }
    }
}

/// A sandbox as the machine sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SandboxFacts {
    pub sandbox: SandboxId,
    pub workspace: WorkspaceId,
    pub agent: AgentId,
    pub epoch: u64,
    /// The engine's container id.
    pub container: String,
    pub image: String,
    pub state: ContainerState,
    /// Seconds since the epoch, by the machine's clock.
    pub created_at_s: i64,
    pub limits: Limits,
}

/// State of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContainerState {
    Running,
    Stopped,
    #[serde(other)]
    Unknown,
}

/// What the workspace held at the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "workspace", rename_all = "snake_case")]
pub enum WorkspaceState {
    Empty,
    Restored {
        digest: String,
    },
    /// The archive asked for is not on this machine.
    ArchiveMissing {
        digest: String,
    },
}

/// Answer to `sb_health`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SandboxHealth {
    pub state: ContainerState,
    /// The guest answered.
    pub guest: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pids: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_used_bytes: Option<u64>,
    /// Commands running now.
    pub running: u32,
}
