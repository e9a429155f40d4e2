//! The context of mesh networks.

use super::devices::Devices;
use roost_platform::broker::{BrokerHandle, Credentials};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::outbound::Outbound;
use roost_tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct MeshContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub broker: BrokerHandle,
    pub outbound: Outbound,
    pub devices: Devices,
    /// Places, keeps and forgets the keys.
    pub credentials: Credentials,
}

impl ChangeContext for MeshContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
