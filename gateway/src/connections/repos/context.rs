//! The context of repositories.

use crate::platform::broker::{BrokerHandle, Credentials};
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::platform::outbound::Outbound;
use crate::platform::supervision::Nudge;
use crate::tenancy::change::ChangeContext;

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
