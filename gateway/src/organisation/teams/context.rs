//! The context of teams.

use crate::agents::claws::ClawsContext;
use crate::execution::runs::RunsHandle;
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct TeamsContext {
    pub db: Db,
    pub ids: SharedIds,
    pub claws: ClawsContext,
    pub runs: RunsHandle,
}

impl ChangeContext for TeamsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.claws.clock, &self.ids)
    }
}
