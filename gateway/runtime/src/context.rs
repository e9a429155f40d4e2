//! The context of the runtime's routes.

use super::Agents;
use roost_execution::runs::RunsHandle;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct RuntimeContext {
    pub agents: Agents,
    pub runs: RunsHandle,
    pub clock: SharedClock,
}

impl ChangeContext for RuntimeContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.agents.db, &self.clock, &self.agents.ids)
    }
}
