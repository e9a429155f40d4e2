//! The context of templates.

use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct TemplatesContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
}

impl ChangeContext for TemplatesContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}
