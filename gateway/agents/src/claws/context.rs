//! The context of agents: what its handlers and commands need.

use std::sync::Arc;

use super::SandboxBriefs;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::supervision::Nudge;
use roost_tenancy::change::ChangeContext;
use roost_tenancy::workspaces::Plans;
use roost_web::picture::Pictures;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct ClawsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub plans: Arc<Plans>,
    pub sagas: Nudge,
    pub pictures: Pictures,
    /// Reads the agents' sandboxes from the machines wing.
    pub sandboxes: Arc<dyn SandboxBriefs>,
}

impl ChangeContext for ClawsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
