//! The context of routines.

use std::sync::Arc;

use crate::missions::MissionsContext;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::supervision::Nudge;
use roost_tenancy::change::ChangeContext;

/// What the handlers, the commands and the scheduler of routines need.
#[derive(Clone)]
pub struct RoutinesContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    /// Mints teams, and creates and launches missions.
    pub missions: MissionsContext,
    pub handle: RoutinesHandle,
}

impl ChangeContext for RoutinesContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}

/// The part of routines that other domains use. Cheap to clone.
#[derive(Clone)]
pub struct RoutinesHandle {
    /// The name of this process in the lease.
    owner: Arc<str>,
    scheduler: Nudge,
}

impl RoutinesHandle {
    /// Creates the handle.
    pub fn new(owner: &str) -> Self {
        Self {
            owner: owner.into(),
            scheduler: Nudge::default(),
        }
    }

    pub(super) fn owner(&self) -> &str {
        &self.owner
    }

    /// Wakes the scheduler.
    pub(super) fn scheduler(&self) -> &Nudge {
        &self.scheduler
    }
}
