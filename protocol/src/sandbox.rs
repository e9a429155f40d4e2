//! The sandbox spec that crosses the channel. It holds only what may vary; the driver sets the hardening, and a spec
//! cannot weaken it.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, NodeId, SandboxId, WorkspaceId};
use crate::limits;

/// A request for a sandbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxSpec {
    pub sandbox: SandboxId,
    pub workspace: WorkspaceId,
    pub agent: AgentId,
    /// The target node; absent on the gateway's own host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    /// Rises with each provision for the agent.
    pub epoch: u64,
    /// Image reference, checked by [`crate::text::image_reference`].
    pub image: String,
    /// The wanted image id or digest (`sha256:…`); absent accepts any image with this tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_digest: Option<String>,
    #[serde(deserialize_with = "every_limit_known")]
    pub limits: Limits,
    /// Environment of every command. Names are checked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Seconds after its last use until the container ends.
    pub lease_s: u64,
}

/// Resource limits. The owner's caps may lower them, but never raise them.
///
/// In a spec, an unknown limit is refused, because this version could not enforce it. In facts it is ignored, so that a
/// gateway can decode facts of a newer node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory without swap, bytes; it includes the workspace.
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

/// A sandbox as the machine reports it.
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

/// The name of a sandbox's container at the engine.
pub fn container_name(sandbox: SandboxId) -> String {
    format!("roost-{sandbox}")
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
    /// The requested snapshot is not on this machine.
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
    /// Number of running commands.
    pub running: u32,
}
