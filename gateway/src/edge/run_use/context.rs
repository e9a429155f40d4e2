//! What the sums are read from.

use roost_platform::clock::SharedClock;
use roost_platform::db::Db;

/// The store, and the clock of the default times.
#[derive(Clone)]
pub struct RunUseContext {
    pub db: Db,
    pub clock: SharedClock,
}
