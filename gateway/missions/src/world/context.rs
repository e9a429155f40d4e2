//! The context of the world view.

use roost_platform::db::Db;
use roost_platform::events::Hub;
use roost_tenancy::streams::LiveHandle;

/// What the world stream needs.
#[derive(Clone)]
pub struct WorldContext {
    pub db: Db,
    pub hub: Hub,
    pub live: LiveHandle,
}
