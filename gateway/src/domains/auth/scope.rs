//! The key to a tenant's rows.

use crate::ids::WorkspaceId;

/// Proof that whoever holds it may see this workspace. Every tenant query takes one, and only this domain makes them:
/// a query without a tenant does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WorkspaceScope {
    workspace: WorkspaceId,
}

impl WorkspaceScope {
    /// A member was found for this workspace.
    pub(super) fn of_member(workspace: WorkspaceId) -> Self {
        Self { workspace }
    }

    /// For the gateway's own actors (a node's, a saga's), whose row names the workspace that they work for. Never with
    /// an id that came from a request.
    pub fn of_row(workspace: WorkspaceId) -> Self {
        Self { workspace }
    }

    /// The workspace.
    pub fn workspace(&self) -> WorkspaceId {
        self.workspace
    }
}
