//! The context of models.

use crate::platform::broker::BrokerHandle;
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::platform::outbound::Outbound;
use crate::platform::supervision::Nudge;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct ModelsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub broker: BrokerHandle,
    pub outbound: Outbound,
    /// Wakes the worker that deletes keys in the broker.
    pub credentials: Nudge,
}
