//! A mesh network in JSON.

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model::{MeshKind, is_tailnet};
use roost_platform::ids::{MeshNetworkId, NodeId};
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// A mesh network to connect. It replaces a connected one. The key and the tailnet's name are never shown again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMeshNetwork {
    pub kind: MeshKind,
    /// Tailscale's name of the network; the default is the key's own network.
    #[serde(default)]
    #[schema(max_length = 255)]
    pub tailnet: Option<String>,
    /// The address of the API; optional for Tailscale.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub base_url: Option<String>,
    /// A key that may list devices.
    #[schema(value_type = String, min_length = 8, max_length = 1000, format = Password)]
    pub api_key: SecretString,
}

impl Check for NewMeshNetwork {
    fn check(&self, mistakes: &mut Mistakes) {
        match (&self.tailnet, self.kind) {
            (Some(_), MeshKind::Headscale) => {
                mistakes.add(
                    "/tailnet",
                    "is only for Tailscale; a Headscale has one network",
                );
            }
            (Some(name), MeshKind::Tailscale) if !is_tailnet(name) => {
                mistakes.add(
                    "/tailnet",
                    "must be the name of a tailnet, such as example.com",
                );
            }
            _ => {}
        }
        if let Some(url) = &self.base_url {
            mistakes.text("/base_url", url, 1, 500);
        }
        let key = self.api_key.expose_secret();
        if !(8..=1_000).contains(&key.len()) || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            mistakes.add(
                "/api_key",
                "must be a key of 8 to 1000 characters, without blanks",
            );
        }
    }
}

/// The workspace's mesh network.
#[derive(Debug, Serialize, ToSchema)]
pub struct MeshNetwork {
    pub id: MeshNetworkId,
    pub kind: MeshKind,
    /// The address of its API.
    pub base_url: String,
    pub created_by: Option<UserBrief>,
    pub created_at: DateTime<Utc>,
}

/// The mesh network of the workspace, if any.
#[derive(Debug, Serialize, ToSchema)]
pub struct MeshSetting {
    /// Absent if no network is connected.
    pub network: Option<MeshNetwork>,
}

/// A device of the mesh network.
#[derive(Debug, Serialize, ToSchema)]
pub struct MeshDevice {
    pub id: String,
    pub name: String,
    pub os: Option<String>,
    /// The first address.
    pub ip: Option<String>,
    pub addresses: Vec<String>,
    pub online: bool,
    pub last_seen: Option<DateTime<Utc>>,
    /// The machine of this workspace that has one of these addresses.
    pub node: Option<MeshDeviceNode>,
}

/// The machine that this device is.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MeshDeviceNode {
    pub id: NodeId,
    pub name: String,
}

/// The devices, from the network's API.
#[derive(Debug, Serialize, ToSchema)]
pub struct MeshDevices {
    pub items: Vec<MeshDevice>,
    /// When they were read: at most a few seconds ago.
    pub read_at: DateTime<Utc>,
}
