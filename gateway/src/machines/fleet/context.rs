//! The context of nodes.

use super::FleetHandle;
use crate::platform::events::Hub;
use crate::tenancy::streams::LiveHandle;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct FleetContext {
    pub fleet: FleetHandle,
    pub hub: Hub,
    pub live: LiveHandle,
    /// Whether nodes reach the gateway by TLS, unless another setting decides it.
    pub behind_tls: bool,
}
