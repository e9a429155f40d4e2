//! The mesh network of a workspace: its own Tailscale or Headscale. The page shows its devices beside the workspace's
//! machines.
//!
//! Invariants: the secret broker has the API key, and neither the key nor the network's name is shown again; the key may
//! only list devices; a workspace has at most one network; within a few seconds the API gets only one request, however
//! many callers there are. Table: `mesh_networks`. No actors.

mod commands;
mod context;
mod devices;
mod dto;
pub(crate) mod entity;
mod error;
mod model;
mod routes;
mod store;

pub use commands::remove_all;
pub use context::MeshContext;
pub use devices::Devices;
pub use error::MeshError;
pub use routes::router;
