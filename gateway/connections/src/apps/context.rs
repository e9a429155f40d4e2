//! The context of apps.

use super::settings::OAuth;
use roost_platform::broker::{BrokerHandle, Credentials};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::outbound::Outbound;
use roost_platform::supervision::KillPoints;
use roost_tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct AppsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub broker: BrokerHandle,
    pub outbound: Outbound,
    pub oauth: OAuth,
    /// Places, keeps and forgets the tokens.
    pub credentials: Credentials,
    pub kill_points: KillPoints,
}

impl ChangeContext for AppsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
