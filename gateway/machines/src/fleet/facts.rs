//! What other domains learn about machines. A slow listener may miss facts. Each listener takes [`NodeFact::Connected`]'s
//! inventory as complete, and asks for it again after a lag.

use roost_protocol::control::GoneCause;
use roost_protocol::inventory::Inventory;
use roost_protocol::snapshot::Stored;

use roost_platform::ids::{NodeId, SandboxId, SandboxOwnerId, WorkspaceId};

/// Something that happened to a machine.
#[derive(Debug, Clone)]
pub enum NodeFact {
    /// It is connected. The inventory lists the sandboxes of its own workspace only.
    Connected {
        node: NodeId,
        workspace: WorkspaceId,
        inventory: Inventory,
    },
    /// Its inventory changed without an operation.
    Inventory {
        node: NodeId,
        workspace: WorkspaceId,
        inventory: Inventory,
    },
    /// A sandbox ended without an operation.
    SandboxGone {
        node: NodeId,
        workspace: WorkspaceId,
        sandbox: SandboxId,
        cause: GoneCause,
    },
    /// It has a new snapshot of its own workspace.
    Stored { node: NodeId, snapshot: Stored },
    /// It could not take a snapshot.
    NotStored {
        node: NodeId,
        sandbox: SandboxId,
        detail: String,
    },
    /// Nothing of a removed owner is left on it.
    Forgotten { node: NodeId, owner: SandboxOwnerId },
    /// It is not connected any more. Nothing is destroyed because of that.
    Disconnected {
        node: NodeId,
        workspace: WorkspaceId,
    },
    /// It was deleted: what it held is destroyed or lost.
    Deleted {
        node: NodeId,
        workspace: WorkspaceId,
        /// The sandboxes that it confirmed to have destroyed; the rest is lost.
        destroyed: Vec<SandboxId>,
    },
}
