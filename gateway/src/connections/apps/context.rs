//! The context of apps.

use super::settings::OAuth;
use crate::platform::broker::BrokerHandle;
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::platform::outbound::Outbound;
use crate::platform::supervision::{KillPoints, Nudge};

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct AppsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub broker: BrokerHandle,
    pub outbound: Outbound,
    pub oauth: OAuth,
    /// Wakes the worker that deletes tokens in the broker.
    pub credentials: Nudge,
    pub kill_points: KillPoints,
}
