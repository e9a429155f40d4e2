//! The context of doors.

use std::sync::Arc;

use super::AskingRuns;
use crate::apps::AppCaller;
use crate::checkouts::CheckoutsContext;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_platform::supervision::Nudge;
use roost_tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct DoorsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub apps: AppCaller,
    pub checkouts: CheckoutsContext,
    /// Wakes the worker that performs approved doors.
    pub approvals: Nudge,
    /// The runs that request doors.
    pub runs: Arc<dyn AskingRuns>,
}

impl ChangeContext for DoorsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
