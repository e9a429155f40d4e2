//! The first frame of each side.
use serde::{Deserialize, Serialize};

use crate::ids::{ConnectionEpoch, InstallId, InstanceId, NodeId};
use crate::inventory::Inventory;
use crate::version::{Version, VersionRange};

/// First frame of a node. A cloned disk shows as the same `install_id` with another `boot_id`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    pub versions: VersionRange,
    /// Daemon version, e.g. `0.1.0`.
    pub daemon_version: String,
    pub install_id: InstallId,
    /// A new one at every start of the daemon.
    pub instance_id: InstanceId,
    /// The kernel's boot id, as text.
    pub boot_id: String,
    pub hostname: String,
    /// e.g. `linux`.
    pub os: String,
    /// e.g. `x86_64`.
    pub arch: String,
    pub capabilities: Capabilities,
    pub inventory: Inventory,
}

/// What this machine offers; new fields default to absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    /// The container engine, when one answers.
    pub engine: Option<Engine>,
    /// State of the agent image.
    pub image: ImageState,
    /// The owner switched the host shell on.
    pub shell: bool,
    /// The owner paused this machine locally: it accepts no new sandbox.
    pub paused: bool,
    /// The owner's caps, for placement.
    pub most_sandboxes: Option<u32>,
}

/// A container engine as it describes itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Engine {
    /// `docker` or `podman`.
    pub name: String,
    pub version: String,
    pub api: String,
}

/// Whether the agent image can be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageState {
    Ready,
    Missing,
    WrongDigest,
    #[default]
    #[serde(other)]
    Unknown,
}

/// The gateway accepts the connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    pub version: Version,
    pub node_id: NodeId,
    pub epoch: ConnectionEpoch,
    /// Seconds between heartbeats on this connection.
    pub heartbeat_s: u32,
    /// Seconds a sandbox lives after its last use.
    pub lease_s: u64,
    /// Whether the gateway holds this node as draining.
    pub draining: bool,
}

/// The gateway refuses the connection; the daemon shows `detail` to the owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub reason: RefusedReason,
    pub detail: String,
}

/// Why a connection is refused. `retry` says whether coming back can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedReason {
    /// The version ranges do not meet.
    Version,
    /// Another machine with this installation is connected and answers.
    Cloned,
    /// The install id is not the one that redeemed the join code.
    WrongInstall,
    /// The node was deleted or its token revoked.
    Revoked,
    /// The first frame was not a `hello`, or came too late.
    BadHello,
    /// The gateway is stopping.
    Stopping,
    #[serde(other)]
    Other,
}

impl RefusedReason {
    /// Whether the daemon should try again by itself.
    pub fn retry(self) -> bool {
        matches!(self, Self::Stopping | Self::Cloned | Self::Other)
    }
}
