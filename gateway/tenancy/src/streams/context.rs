//! The context of live streams: what its handlers and commands need.

use super::handle::LiveHandle;
use roost_platform::db::Db;
use roost_platform::events::Hub;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct LiveContext {
    pub db: Db,
    pub hub: Hub,
    pub live: LiveHandle,
}
