//! The context of doors.

use crate::connections::apps::AppCaller;
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::platform::supervision::Nudge;
use crate::tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct DoorsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub apps: AppCaller,
    /// Wakes the worker that performs approved doors.
    pub approvals: Nudge,
}

impl ChangeContext for DoorsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
