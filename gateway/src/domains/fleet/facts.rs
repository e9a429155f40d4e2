//! What other domains hear of machines. Facts may be missed by one who is slow: each reads [`NodeFact::Connected`]'s
//! inventory as the whole truth, and asks for it again after a lag.

use roost_protocol::control::GoneCause;
use roost_protocol::inventory::Inventory;

use crate::ids::{NodeId, SandboxId, WorkspaceId};

/// Something that happened to a machine.
#[derive(Debug, Clone)]
pub enum NodeFact {
    /// It is connected; this is what it holds (its own workspace's sandboxes only).
    Connected {
        node: NodeId,
        workspace: WorkspaceId,
        inventory: Inventory,
    },
    /// What it holds changed without being asked.
    Inventory {
        node: NodeId,
        workspace: WorkspaceId,
        inventory: Inventory,
    },
    /// A sandbox ended without being asked.
    SandboxGone {
        node: NodeId,
        workspace: WorkspaceId,
        sandbox: SandboxId,
        cause: GoneCause,
    },
    /// It is not connected any more. Nothing is destroyed by that.
    Disconnected {
        node: NodeId,
        workspace: WorkspaceId,
    },
    /// It was deleted: what it held is destroyed or lost.
    Deleted {
        node: NodeId,
        workspace: WorkspaceId,
        /// What it is known to have destroyed; the rest is lost.
        destroyed: Vec<SandboxId>,
    },
}
