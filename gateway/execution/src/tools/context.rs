//! The context of tools.

use axum::extract::FromRef;

use super::mcp::Mcp;
use roost_platform::clock::SharedClock;
use roost_platform::db::Db;
use roost_platform::ids::SharedIds;
use roost_tenancy::change::ChangeContext;

/// What the handlers and commands of the domain need.
#[derive(Clone)]
pub struct ToolsContext {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: SharedIds,
    pub mcp: Mcp,
}

impl ChangeContext for ToolsContext {
    fn parts(&self) -> (&Db, &SharedClock, &SharedIds) {
        (&self.db, &self.clock, &self.ids)
    }
}

impl FromRef<ToolsContext> for Mcp {
    fn from_ref(state: &ToolsContext) -> Self {
        state.mcp.clone()
    }
}
