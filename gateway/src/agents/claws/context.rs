//! The context of agents: what its handlers and commands need.

use std::sync::Arc;

use super::{SandboxBriefs, avatar};
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::platform::supervision::Nudge;
use crate::tenancy::change::ChangeContext;
use crate::tenancy::workspaces::Plans;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct ClawsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub plans: Arc<Plans>,
    pub sagas: Nudge,
    pub pictures: avatar::Pictures,
    /// Reads the agents' sandboxes from the machines wing.
    pub sandboxes: Arc<dyn SandboxBriefs>,
}

impl ChangeContext for ClawsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
