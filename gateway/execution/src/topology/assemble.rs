//! Builds the graph for a kind from the roles of a template: ids, seats, edges.

use std::collections::HashSet;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::check::{check, is_hidden};
use super::graph::{
    Attributes, Edge, EdgeKind, Graph, Kind, Node, NodeKind, OnReject, Seat, Settings,
};
use super::kinds;

/// A role that needs a node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Role {
    /// Its slot in the template. It becomes the node's id.
    pub slot: String,
    pub title: String,
    /// Its requested seat. The kind decides when it is absent.
    pub seat: Option<Seat>,
    /// What follows when it rejects the work.
    pub on_reject: Option<OnReject>,
    /// The slot of the role that the work goes back to.
    pub back_to: Option<String>,
    /// The commands that its work must pass.
    pub checks: Vec<String>,
}

/// The topology of this kind for these roles, in their order. No node is bound yet. A `single` has the first role
/// only. If a kind has too few roles, [`super::check()`] refuses the graph with the reason.
pub fn build(kind: Kind, roles: &[Role]) -> Graph {
    let mut taken = HashSet::new();
    let ids: Vec<String> = roles
        .iter()
        .map(|role| free_id(&role.slot, &mut taken))
        .collect();
    let id_of = |slot: &str| {
        let place = roles.iter().position(|role| role.slot == slot)?;
        Some(ids[place].clone())
    };
    let nodes = roles
        .iter()
        .zip(&ids)
        .map(|(role, id)| Node {
            id: id.clone(),
            kind: NodeKind::Agent,
            label: role.title.clone(),
            role: Some(role.slot.clone()),
            seat: role.seat,
            attributes: Attributes {
                checks: role.checks.clone(),
                on_reject: role.on_reject,
                back_to: role.back_to.as_deref().and_then(id_of),
                ..Attributes::default()
            },
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

/// The topology of one agent that works alone. `slot` is its role, if it has one.
pub fn alone(agent: Uuid, name: &str, slot: Option<&str>) -> Graph {
    let mut graph = build(
        Kind::Single,
        &[Role {
            slot: slot.unwrap_or("agent").to_owned(),
            title: plain(name),
            ..Role::default()
        }],
    );
    for node in &mut graph.nodes {
        node.attributes.agent = Some(agent);
    }
    graph
}

/// The text as a label: one line, without hidden characters, within the limit of labels.
fn plain(label: &str) -> String {
    let shown = label.chars().map(|c| if is_hidden(c) { ' ' } else { c });
    shown.take(120).collect()
}

/// The same nodes under another kind, with that kind's edges. A `single` has the first node only.
///
/// # Errors
/// Why the nodes do not fit the kind.
pub fn rearranged(graph: &Graph, kind: Kind) -> Result<Graph, String> {
    if kind == Kind::Compare {
        return Err("a team cannot be a comparison".to_owned());
    }
    let mut graph = Graph {
        kind,
        edges: Vec::new(),
        ..graph.clone()
    };
    if !graph.nodes.is_empty() {
        kinds::of(kind).arrange(&mut graph);
    }
    match check(&graph) {
        Ok(()) => Ok(graph),
        Err(mistakes) => Err(mistakes
            .into_iter()
            .map(|mistake| mistake.detail)
            .next()
            .unwrap_or_default()),
    }
}

/// A team to compare with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contender {
    pub team: Uuid,
    /// For people. The judge does not see it.
    pub label: String,
    /// Another kind than the team's own.
    pub topology: Option<Kind>,
}

/// The topology that compares these teams, in their order. Their letters for the judge are shuffled by a hash of
/// `lot`. So neither a name nor a place in the request influences the judge, and the same lot gives the same letters.
pub fn comparison(contenders: &[Contender], judge: Option<Uuid>, lot: Uuid) -> Graph {
    let drawn = |place: &usize| Sha256::digest(format!("letter/{lot}/{place}").as_bytes());
    let mut order: Vec<usize> = (0..contenders.len()).collect();
    order.sort_by_key(drawn);
    let mut nodes: Vec<Node> = contenders
        .iter()
        .enumerate()
        .map(|(place, contender)| {
            let letter = ('a'..='z').zip(&order).find(|(_, at)| **at == place);
            Node {
                id: letter
                    .map(|(letter, _)| letter.to_string())
                    .unwrap_or_default(),
                kind: NodeKind::Team,
                label: plain(&contender.label),
                role: None,
                seat: None,
                attributes: Attributes {
                    team: Some(contender.team),
                    topology: contender.topology,
                    ..Attributes::default()
                },
            }
        })
        .collect();
    nodes.extend(judge.map(|judge| Node {
        id: "judge".to_owned(),
        kind: NodeKind::Agent,
        label: "Judge".to_owned(),
        role: Some("judge".to_owned()),
        seat: None,
        attributes: Attributes {
            agent: Some(judge),
            ..Attributes::default()
        },
    }));
    let mut graph = Graph {
        kind: Kind::Compare,
        nodes,
        edges: Vec::new(),
        settings: Settings::default(),
    };
    kinds::of(Kind::Compare).arrange(&mut graph);
    graph
}

/// An unused node id, made from the slot.
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

/// The leading node: the node with the first of these seats that is taken, else the first node.
pub(super) fn leading(graph: &Graph, seats: &[Seat]) -> usize {
    seats
        .iter()
        .find_map(|&seat| graph.nodes.iter().position(|node| node.seat == Some(seat)))
        .unwrap_or(0)
}
