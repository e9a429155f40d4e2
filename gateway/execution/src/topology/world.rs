//! A topology as nodes and edges of the world view.

use super::graph::{EdgeKind, Graph, Node};
use roost_platform::events::{
    Formation, TopologyUpdate, WorldEdge, WorldEdgeKind, WorldNode, WorldNodeId,
};
use roost_platform::ids::{ClawId, TeamId};

/// The layout of a topology that rests: a hierarchy where a node is above another one.
pub fn formation(graph: &Graph) -> Formation {
    match graph.edges.iter().any(|edge| edge.kind == EdgeKind::Parent) {
        true => Formation::Hierarchy,
        false => Formation::Flat,
    }
}

/// The topology below `root`. An agent's and a team's node has the same name in every topology that they belong to.
pub fn world(
    root: WorldNodeId,
    label: &str,
    graph: &Graph,
    formation: Formation,
) -> TopologyUpdate {
    let id = |node: &str| {
        let held = graph.node(node).and_then(holder);
        held.unwrap_or_else(|| WorldNodeId::place(&root, node))
    };
    let edges = graph.edges.iter().map(|edge| WorldEdge {
        from: id(&edge.from),
        to: id(&edge.to),
        kind: Some(match edge.kind {
            EdgeKind::Parent => WorldEdgeKind::Parent,
            EdgeKind::Peer => WorldEdgeKind::Peer,
            EdgeKind::Flow => WorldEdgeKind::Flow,
        }),
    });
    let edges = edges.collect();
    let nodes = graph.nodes.iter().map(|node| {
        let parent = Some(root.clone());
        WorldNode::new(id(&node.id), node.name(), parent)
    });
    let whole = WorldNode::new(root.clone(), label, None);
    TopologyUpdate {
        formation,
        nodes: std::iter::once(whole).chain(nodes).collect(),
        edges,
    }
}

/// Who works at a place.
fn holder(node: &Node) -> Option<WorldNodeId> {
    let agent = node.attributes.agent.map(ClawId).map(WorldNodeId::Agent);
    agent.or(node.attributes.team.map(TeamId).map(WorldNodeId::Team))
}
