//! The context of teams.

use crate::agents::claws::ClawsContext;
use crate::execution::runs::RunsHandle;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct TeamsContext {
    pub db: Db,
    pub ids: SharedIds,
    pub claws: ClawsContext,
    pub runs: RunsHandle,
}
