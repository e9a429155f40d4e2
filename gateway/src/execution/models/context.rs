//! The context of models.

use crate::platform::broker::{BrokerHandle, Credentials};
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::platform::outbound::Outbound;
use crate::tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct ModelsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub broker: BrokerHandle,
    pub outbound: Outbound,
    /// Places, keeps and forgets the keys.
    pub credentials: Credentials,
}

impl ChangeContext for ModelsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
