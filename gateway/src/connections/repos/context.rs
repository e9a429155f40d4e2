//! The context of repositories.

use crate::platform::broker::BrokerHandle;
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::platform::outbound::Outbound;
use crate::platform::supervision::Nudge;

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
    /// Wakes the worker that has the broker delete tokens.
    pub credentials: Nudge,
}
