//! The context of agents' skills.

use roost_platform::db::Db;

/// What the handlers of the room need.
#[derive(Clone)]
pub struct AgentSkillsContext {
    pub db: Db,
}
