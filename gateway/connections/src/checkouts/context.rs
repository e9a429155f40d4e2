//! The context of checkouts.

use crate::supplies::SuppliesContext;
use roost_machines::sandboxes::SandboxesHandle;
use roost_platform::broker::BrokerHandle;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::supervision::Nudge;
use roost_tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct CheckoutsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub broker: BrokerHandle,
    pub sandboxes: SandboxesHandle,
    pub supplies: SuppliesContext,
    /// Wakes the scheduler that assigns mirrors.
    pub mirrors: Nudge,
}

impl ChangeContext for CheckoutsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
