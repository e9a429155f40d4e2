//! The first frame of each side.
use serde::{Deserialize, Serialize};

use crate::caps::Bounds;
use crate::ids::{ConnectionEpoch, InstallId, InstanceId, NodeId};
use crate::inventory::Inventory;
use crate::version::{Version, VersionRange};

/// First frame of a node. A cloned disk has the same `install_id` with another `boot_id`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    pub versions: VersionRange,
    /// Daemon version, e.g. `0.1.0`.
    pub daemon_version: String,
    pub install_id: InstallId,
    /// New at every start of the daemon.
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

/// What this machine offers. New fields default to absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    /// The container engine, if one answers.
    pub engine: Option<Engine>,
    /// State of the agent image.
    pub image: ImageState,
    /// The owner enabled the host shell.
    pub shell: bool,
    /// The owner paused this machine: it accepts no new sandboxes.
    pub paused: bool,
    /// The owner's caps, for placement.
    pub most_sandboxes: Option<u32>,
    /// The limits of what the machine lends; absent if it does not know its engine yet, or if the daemon is older.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// The image that `image` describes; absent from an older daemon, which checks an image of its own choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_reference: Option<String>,
    /// The id (`sha256:…`) of the image with that reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_id: Option<String>,
    /// Why that image cannot be a sandbox, if it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_unfit: Option<String>,
    /// It knows `sb_flush`. Absent from an older daemon, which is not sent one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flush: bool,
    /// It runs terminals without a deadline. Absent from an older daemon, which is sent the longest deadline.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub endless: bool,
}

/// A container engine's description of itself.
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
    /// Another image than the wanted one, or an unusable one.
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
    /// Lease of a sandbox since its last use, seconds.
    pub lease_s: u64,
    /// Whether the gateway wants this node to drain.
    pub draining: bool,
    /// The agent image for the gateway's sandboxes; a machine reports whether it has it. Absent from an older gateway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// The images of the gateway's catalogue; heartbeats report what the machine has of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<WantedImage>,
}

/// An image that the gateway's catalogue names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedImage {
    pub reference: String,
    /// The image id or registry digest (`sha256:…`) that it must have; absent accepts any image with this reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// What a machine has of a wanted image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldImage {
    pub reference: String,
    pub state: ImageState,
    /// The id (`sha256:…`) of the image with that reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Why that image cannot be a sandbox, if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfit: Option<String>,
    /// The machine fetches the image from the gateway now, or could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetch: Option<ImageFetch>,
}

/// How far a machine is with an image that it fetches from the gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImageFetch {
    /// Bytes of the packed image that are on the machine.
    pub done: u64,
    /// Bytes of the packed image; 0 while the gateway packs it.
    pub total: u64,
    /// Why the machine does not get it, in words for people; absent while it is on its way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The gateway refuses the connection; the daemon shows `detail` to the owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub reason: RefusedReason,
    pub detail: String,
}

/// Why a connection is refused. [`Self::retry`] returns whether a new attempt can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedReason {
    /// The version ranges have no common version.
    Version,
    /// Another machine with this installation id is connected and answers.
    Cloned,
    /// The install id is not the one that redeemed the join code.
    WrongInstall,
    /// The node was deleted or its token revoked.
    Revoked,
    /// The first frame was not a `hello`, or it was late.
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
