//! The key to a tenant's rows.

use super::ids::WorkspaceId;

/// Proof that its holder may see this workspace. Every tenant query needs one. Only a membership or a row creates one,
/// so a query without a tenant does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WorkspaceScope {
    workspace: WorkspaceId,
}

impl WorkspaceScope {
    /// For a member of this workspace. Only `tenancy` calls it; the tidy test checks that.
    pub fn of_member(workspace: WorkspaceId) -> Self {
        Self { workspace }
    }

    /// For the gateway's own actors (a node's, a saga's), whose row names their workspace. Never use it with an id from
    /// a request.
    pub fn of_row(workspace: WorkspaceId) -> Self {
        Self { workspace }
    }

    /// The workspace.
    pub fn workspace(&self) -> WorkspaceId {
        self.workspace
    }
}
