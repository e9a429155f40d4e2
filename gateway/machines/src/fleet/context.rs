//! The context of nodes.

use super::FleetHandle;
use roost_platform::events::Hub;
use roost_tenancy::auth::PublicAddress;
use roost_tenancy::streams::LiveHandle;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct FleetContext {
    pub fleet: FleetHandle,
    pub hub: Hub,
    pub live: LiveHandle,
    /// Says whether lines with the gateway's address work.
    pub public_address: PublicAddress,
    /// Whether nodes reach the gateway by TLS, unless another setting decides it.
    pub behind_tls: bool,
}
