//! What the check of an address needs.

use roost_platform::db::Db;
use roost_platform::outbound::OwnAddress;

/// The store, which has the deployment's id, and the client that asks.
#[derive(Clone)]
pub struct PublicAddressContext {
    pub db: Db,
    pub own_address: OwnAddress,
}
