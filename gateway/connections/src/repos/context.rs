//! The context of repositories.

use roost_platform::broker::{BrokerHandle, Credentials};
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::outbound::Outbound;
use roost_platform::supervision::Nudge;
use roost_tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct ReposContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub broker: BrokerHandle,
    pub outbound: Outbound,
    /// Wakes the scheduler that assigns syncs.
    pub syncs: Nudge,
    /// Wakes the scheduler that assigns mirrors.
    pub mirrors: Nudge,
    /// Places, keeps and forgets the tokens.
    pub credentials: Credentials,
}

impl ChangeContext for ReposContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
