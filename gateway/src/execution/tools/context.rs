//! The context of tools.

use axum::extract::FromRef;

use super::mcp::Mcp;
use crate::platform::clock::SharedClock;
use crate::platform::db::Db;
use crate::platform::ids::SharedIds;
use crate::tenancy::change::ChangeContext;

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
