//! The context of mesh networks.

use super::devices::Devices;
use crate::platform::broker::BrokerHandle;
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::platform::outbound::Outbound;
use crate::platform::supervision::Nudge;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct MeshContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub broker: BrokerHandle,
    pub outbound: Outbound,
    pub devices: Devices,
    /// Wakes the worker that has the broker delete keys.
    pub credentials: Nudge,
}
