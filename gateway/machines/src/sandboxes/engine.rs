//! The engine that a registry row names: a node, or the gateway's own host.

use roost_protocol::ids as wire;
use roost_protocol::operation::OnBehalf;

use super::entity::container;
use crate::fleet::operations::Target;
use roost_platform::ids::NodeId;

/// The name of the gateway's own host in the registry.
pub(super) const LOCAL: &str = "local";

/// The registry's name of an engine.
pub(super) fn name_of(node: Option<NodeId>) -> String {
    node.map_or_else(|| LOCAL.to_owned(), |node| node.to_string())
}

/// The node that a registry row names, if it is one.
pub(super) fn node_of(machine: &str) -> Option<NodeId> {
    machine.parse().ok()
}

/// The engine of the row's sandbox.
pub(super) fn target_of(row: &container::Model) -> Target {
    node_of(&row.node_id).map_or(Target::Local, Target::Node)
}

/// The owner on whose behalf a machine works.
pub(super) fn on_behalf(row: &container::Model) -> OnBehalf {
    OnBehalf {
        workspace: wire::WorkspaceId(row.workspace_id.0),
        agent: wire::AgentId(row.owner_id.0),
    }
}
