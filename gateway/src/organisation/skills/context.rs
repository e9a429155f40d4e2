//! The context of skills.

use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct SkillsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
}
