//! The mesh network of a workspace: its own Tailscale or Headscale, whose devices are shown beside the machines here.
//!
//! Invariants: the API key is with the secret broker, and neither it nor the network's name is shown again; the key may
//! only list devices; a workspace has at most one; what was just read is not asked again for a few seconds, whoever asks.
//! Table: `mesh_networks`. No actors.

mod commands;
mod devices;
pub mod dto;
pub mod entity;
mod error;
pub mod model;
pub mod routes;
pub mod store;

pub use commands::remove_all;
pub use devices::Devices;
pub use error::MeshError;
