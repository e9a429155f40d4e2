//! The context of teams.

use roost_agents::claws::ClawsContext;
use roost_connections::checkouts::CheckoutsContext;
use roost_execution::runs::RunsHandle;
use roost_machines::sandboxes::SandboxesHandle;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct TeamsContext {
    pub db: Db,
    pub ids: SharedIds,
    pub claws: ClawsContext,
    pub runs: RunsHandle,
    pub checkouts: CheckoutsContext,
    /// What the machines have for the sandboxes of a team's agents.
    pub sandboxes: SandboxesHandle,
}

impl ChangeContext for TeamsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.claws.clock, &self.ids)
    }
}
