//! The context of apps.

use super::settings::OAuth;
use crate::platform::broker::{BrokerHandle, Credentials};
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::platform::outbound::Outbound;
use crate::platform::supervision::KillPoints;
use crate::tenancy::change::ChangeContext;

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
