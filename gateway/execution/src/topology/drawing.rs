//! Drawings of a graph: positions for the page, Graphviz and text for the command line.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{check, is_hidden};
use super::graph::{EdgeKind, Graph, Kind, Node, Seat};
use super::kinds;
use super::wiring::Wiring;

/// The position of a node: its row from the top, and its place in the row from the left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = TopologyPlaced)]
pub struct Placed {
    pub node: String,
    pub tier: u32,
    pub slot: u32,
}

/// A position for every node, in the order of the nodes. An invalid graph is drawn in one row.
pub fn layout(graph: &Graph) -> Vec<Placed> {
    let tiers = match check(graph) {
        Ok(()) => kinds::of(graph.kind).tiers(graph),
        Err(_) => vec![(0..graph.nodes.len()).collect()],
    };
    let mut places = vec![(0, 0); graph.nodes.len()];
    for (tier, nodes) in (0..).zip(&tiers) {
        for (slot, &node) in (0..).zip(nodes) {
            places[node] = (tier, slot);
        }
    }
    let nodes = graph.nodes.iter().zip(places);
    nodes
        .map(|(node, (tier, slot))| Placed {
            node: node.id.clone(),
            tier,
            slot,
        })
        .collect()
}

/// The graph in Graphviz format.
pub fn dot(graph: &Graph) -> String {
    let mut text = String::from("digraph topology {\n  rankdir=TB;\n  node [shape=box];\n");
    for node in &graph.nodes {
        text.push_str(&format!(
            "  {} [label={}];\n",
            quoted(&node.id),
            quoted(&described(node))
        ));
    }
    for edge in &graph.edges {
        let style = match edge.kind {
            EdgeKind::Parent => "",
            EdgeKind::Peer => " [style=dashed, dir=none]",
            EdgeKind::Flow => " [style=bold]",
        };
        text.push_str(&format!(
            "  {} -> {}{style};\n",
            quoted(&edge.from),
            quoted(&edge.to)
        ));
    }
    text.push_str("}\n");
    text
}

/// The graph as text for a terminal.
pub fn text(graph: &Graph) -> String {
    if check(graph).is_err() {
        let nodes = graph.nodes.iter();
        return nodes
            .map(|node| format!("? {}\n", described(node)))
            .collect();
    }
    let tiers = kinds::of(graph.kind).tiers(graph);
    let line = |&node: &usize| described(&graph.nodes[node]);
    match graph.kind {
        Kind::Single | Kind::Pipeline => {
            let lines: Vec<String> = tiers.iter().flatten().map(line).collect();
            lines.join("\n  ↓\n") + "\n"
        }
        Kind::HubSpoke | Kind::Hierarchical => {
            let wiring = Wiring::of(graph, EdgeKind::Parent);
            let mut text = String::new();
            for &top in &tiers[0] {
                text.push_str(&format!("{}\n", line(&top)));
                branches(graph, &wiring, top, "", &mut text);
            }
            text
        }
        Kind::Compare => {
            let lines: Vec<String> = tiers[0].iter().map(line).collect();
            let mut text = lines.join("\n") + "\n";
            if let Some(judge) = tiers.get(1) {
                text.push_str(&format!("└→ {}\n", line(&judge[0])));
            }
            text
        }
        Kind::StarMoe => {
            let mut text = format!("{}\n", line(&tiers[0][0]));
            for (position, expert) in tiers[1].iter().enumerate() {
                let last = position + 1 == tiers[1].len() && tiers.len() < 3;
                let arm = if last { "└─" } else { "├─" };
                text.push_str(&format!("{arm} {}\n", line(expert)));
            }
            if let Some(hub) = tiers.get(2) {
                text.push_str(&format!("└→ {}\n", line(&hub[0])));
            }
            text
        }
    }
}

fn branches(graph: &Graph, wiring: &Wiring, node: usize, indent: &str, text: &mut String) {
    let below = &wiring.down[node];
    for (position, &child) in below.iter().enumerate() {
        let (arm, further) = if position + 1 == below.len() {
            ("└─", "   ")
        } else {
            ("├─", "│  ")
        };
        let line = described(&graph.nodes[child]);
        text.push_str(&format!("{indent}{arm} {line}\n"));
        branches(graph, wiring, child, &format!("{indent}{further}"), text);
    }
}

/// The id, the label if it differs, and the seat. The text contains no control characters for a terminal.
fn described(node: &Node) -> String {
    let mut text = node.id.clone();
    if node.name() != node.id {
        text.push_str(&format!(" {}", node.name()));
    }
    let seat = node.seat.map(|seat| match seat {
        Seat::Hub => "hub",
        Seat::Gate => "gate",
        Seat::Expert => "expert",
        Seat::Spoke => "spoke",
        Seat::Lead => "lead",
        Seat::Member => "member",
    });
    if let Some(seat) = seat {
        text.push_str(&format!(" ({seat})"));
    }
    text.chars()
        .map(|c| if is_hidden(c) { '?' } else { c })
        .collect()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
