//! The graph for a kind and the roles of a template: ids, seats, edges.

use std::collections::HashSet;

use super::graph::{Attributes, Edge, EdgeKind, Graph, Kind, Node, NodeKind, Seat, Settings};
use super::kinds;

/// A role that wants a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Its slot in the template; becomes the node's id.
    pub slot: String,
    pub title: String,
    /// Where it should sit; the kind decides where it is not said.
    pub seat: Option<Seat>,
}

/// The topology of this kind for these roles, in their order, nobody bound yet. A `single` has the first role only.
/// Too few roles for a kind give a graph that [`super::check()`] refuses with the reason.
pub fn build(kind: Kind, roles: &[Role]) -> Graph {
    let mut taken = HashSet::new();
    let nodes = roles
        .iter()
        .map(|role| Node {
            id: free_id(&role.slot, &mut taken),
            kind: NodeKind::Agent,
            label: role.title.clone(),
            role: Some(role.slot.clone()),
            seat: role.seat,
            attributes: Attributes::default(),
        })
        .collect();
    let mut graph = Graph {
        kind,
        nodes,
        edges: Vec::new(),
        settings: Settings::default(),
    };
    if !graph.nodes.is_empty() {
        kinds::of(kind).arrange(&mut graph);
    }
    graph
}

/// An id made of the slot that no node has yet.
fn free_id(slot: &str, taken: &mut HashSet<String>) -> String {
    let mut id: String = slot
        .chars()
        .take(36)
        .map(|c| match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9' | '_' | '-') => c,
            _ => '-',
        })
        .collect();
    if id.is_empty() {
        id.push_str("node");
    }
    let mut candidate = id.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{id}-{number}");
        number += 1;
    }
    candidate
}

/// An edge between two nodes of the graph.
pub(super) fn edge(graph: &Graph, from: usize, to: usize, kind: EdgeKind) -> Edge {
    Edge {
        from: graph.nodes[from].id.clone(),
        to: graph.nodes[to].id.clone(),
        kind,
    }
}

/// The node that leads: the first of these seats that somebody has, else the first node.
pub(super) fn leading(graph: &Graph, seats: &[Seat]) -> usize {
    seats
        .iter()
        .find_map(|&seat| graph.nodes.iter().position(|node| node.seat == Some(seat)))
        .unwrap_or(0)
}
