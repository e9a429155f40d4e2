//! The validity of a graph. The rules for all kinds are here, and the rules of each kind are in `kinds/`.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::checks::{MAX_CHECKS, MAX_COMMAND};
use super::graph::{EdgeKind, Graph, Kind, MAX_EXPERTS, MAX_LAPS, Node, NodeKind};
use super::kinds;
use super::wiring::{Wiring, positions};

/// The maximum number of nodes in a graph.
pub const MAX_NODES: usize = 200;
/// The maximum number of edges in a graph.
pub const MAX_EDGES: usize = 1_000;
/// The maximum number of commands of a node.
pub const MAX_COMMANDS: usize = 100;
/// The longest instructions of a node, in characters: as long as those of an agent.
pub const MAX_INSTRUCTIONS: usize = 20_000;
/// The maximum size of a command's script, in bytes.
pub const MAX_SCRIPT: usize = 16_000;
/// The longest time that a command may have, in seconds.
pub const MAX_SCRIPT_S: u64 = 4 * 3600;
/// The maximum number of reported mistakes. Later checks report the rest.
const MAX_MISTAKES: usize = 50;

/// A mistake in a graph, and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = TopologyMistake)]
pub struct Mistake {
    /// A JSON pointer into the graph: `/nodes/3/id`.
    pub pointer: String,
    pub detail: String,
}

/// Collects mistakes, up to the maximum.
#[derive(Default)]
pub(super) struct Mistakes(Vec<Mistake>);

impl Mistakes {
    pub(super) fn add(&mut self, pointer: impl Into<String>, detail: impl Into<String>) {
        if self.0.len() < MAX_MISTAKES {
            self.0.push(Mistake {
                pointer: pointer.into(),
                detail: detail.into(),
            });
        }
    }
}

/// Checks whether the graph can run.
///
/// # Errors
/// All mistakes, each with a pointer, at most 50. When a size is wrong, only the sizes are reported.
pub fn check(graph: &Graph) -> Result<(), Vec<Mistake>> {
    let mut mistakes = Mistakes::default();
    sizes(graph, &mut mistakes);
    if mistakes.0.is_empty() {
        settings(graph, &mut mistakes);
        nodes(graph, &mut mistakes);
        edges(graph, &mut mistakes);
    }
    // With invalid names, a check of the shape would only repeat the same mistakes.
    if mistakes.0.is_empty() {
        kinds::of(graph.kind).shape(graph, &mut mistakes);
    }
    if mistakes.0.is_empty() {
        Ok(())
    } else {
        Err(mistakes.0)
    }
}

/// The mistakes as one sentence, for a run that was enqueued with this graph.
pub(super) fn summary(kind: Kind, mistakes: &[Mistake]) -> String {
    let first: Vec<String> = mistakes
        .iter()
        .take(3)
        .map(|mistake| format!("{} {}", mistake.pointer, mistake.detail))
        .collect();
    format!(
        "the graph does not fit its kind {kind}: {}",
        first.join("; ")
    )
}

fn sizes(graph: &Graph, mistakes: &mut Mistakes) {
    match graph.nodes.len() {
        0 => mistakes.add("/nodes", "must have at least one node"),
        many if many > MAX_NODES => mistakes.add(
            "/nodes",
            format!("has {many} nodes, at most {MAX_NODES} are allowed: make teams of them and a graph of the teams"),
        ),
        _ => {}
    }
    let many = graph.edges.len();
    if many > MAX_EDGES {
        mistakes.add(
            "/edges",
            format!("has {many} edges, at most {MAX_EDGES} are allowed"),
        );
    }
}

fn settings(graph: &Graph, mistakes: &mut Mistakes) {
    let mut within = |name: &str, value: u32, most: u32| {
        if !(1..=most).contains(&value) {
            mistakes.add(
                format!("/settings/{name}"),
                format!("must be between 1 and {most}"),
            );
        }
    };
    within("max_laps", graph.settings.max_laps, MAX_LAPS);
    within("experts", graph.settings.experts, MAX_EXPERTS);
}

fn nodes(graph: &Graph, mistakes: &mut Mistakes) {
    let mut seen = HashSet::new();
    for (position, node) in graph.nodes.iter().enumerate() {
        let at = format!("/nodes/{position}");
        if !is_id(&node.id) {
            mistakes.add(
                format!("{at}/id"),
                "must be 1 to 40 of a to z, 0 to 9, - and _",
            );
        } else if !seen.insert(node.id.as_str()) {
            mistakes.add(
                format!("{at}/id"),
                format!("there is already a node {:?}", node.id),
            );
        }
        line(&node.label, 120, &format!("{at}/label"), mistakes);
        let role = node.role.as_deref().unwrap_or("");
        line(role, 64, &format!("{at}/role"), mistakes);
        bindings(node, &at, mistakes);
        checks(node, &at, mistakes);
        commands(node, &at, mistakes);
        back_to(graph, node, &at, mistakes);
    }
}

/// A rejection goes back to another node of the graph.
fn back_to(graph: &Graph, node: &Node, at: &str, mistakes: &mut Mistakes) {
    let Some(back_to) = &node.attributes.back_to else {
        return;
    };
    if *back_to == node.id || graph.node(back_to).is_none() {
        mistakes.add(
            format!("{at}/attributes/back_to"),
            format!("must name another node, and {back_to:?} is not one"),
        );
    }
}

/// A node is bound only to what its kind allows.
fn bindings(node: &Node, at: &str, mistakes: &mut Mistakes) {
    let attributes = &node.attributes;
    let bound = [
        ("agent", attributes.agent.is_some(), NodeKind::Agent),
        ("team", attributes.team.is_some(), NodeKind::Team),
        ("company", attributes.company.is_some(), NodeKind::Company),
    ];
    for (name, is_there, kind) in bound {
        if is_there && node.kind != kind {
            mistakes.add(
                format!("{at}/attributes/{name}"),
                format!("only a node of kind {name} is bound to one"),
            );
        }
    }
    if let Some(kind) = attributes.topology {
        let pointer = format!("{at}/attributes/topology");
        if node.kind != NodeKind::Team {
            mistakes.add(pointer, "only a team runs under another kind");
        } else if kind == Kind::Compare {
            mistakes.add(pointer, "a team cannot be a comparison");
        }
    }
    if let Some(text) = &attributes.instructions {
        let pointer = format!("{at}/attributes/instructions");
        if node.kind != NodeKind::Agent {
            mistakes.add(pointer, "only a node of kind agent has instructions");
        } else if text.chars().count() > MAX_INSTRUCTIONS {
            let most = format!("must have at most {MAX_INSTRUCTIONS} characters");
            mistakes.add(pointer, most);
        }
    }
    for (name, text) in [
        ("model", &attributes.model),
        ("machine", &attributes.machine),
    ] {
        let text = text.as_deref().unwrap_or("");
        line(text, 200, &format!("{at}/attributes/{name}"), mistakes);
    }
}

/// The commands of an agent node, each on one line.
fn checks(node: &Node, at: &str, mistakes: &mut Mistakes) {
    let checks = &node.attributes.checks;
    let pointer = format!("{at}/attributes/checks");
    if !checks.is_empty() && node.kind != NodeKind::Agent {
        mistakes.add(&pointer, "only a node of kind agent has checks");
    }
    if checks.len() > MAX_CHECKS {
        mistakes.add(&pointer, format!("must have at most {MAX_CHECKS} commands"));
        return;
    }
    for (place, command) in checks.iter().enumerate() {
        let pointer = format!("{pointer}/{place}");
        if command.trim().is_empty() {
            mistakes.add(pointer, "must be a command");
        } else {
            line(command, MAX_COMMAND, &pointer, mistakes);
        }
    }
}

/// What a node of the kind `commands` runs.
fn commands(node: &Node, at: &str, mistakes: &mut Mistakes) {
    let commands = &node.attributes.commands;
    let pointer = format!("{at}/attributes/commands");
    match (node.kind == NodeKind::Commands, commands.is_empty()) {
        (true, true) => mistakes.add(&pointer, "a node of kind commands has at least one command"),
        (false, false) => mistakes.add(&pointer, "only a node of kind commands has commands"),
        _ => {}
    }
    if commands.len() > MAX_COMMANDS {
        mistakes.add(
            &pointer,
            format!("must have at most {MAX_COMMANDS} commands"),
        );
        return;
    }
    for (place, command) in commands.iter().enumerate() {
        let pointer = format!("{pointer}/{place}");
        line(&command.name, 120, &format!("{pointer}/name"), mistakes);
        let script = &command.script;
        if script.trim().is_empty() || script.len() > MAX_SCRIPT || script.contains('\0') {
            let detail = format!("must have 1 to {MAX_SCRIPT} bytes, without zero bytes");
            mistakes.add(format!("{pointer}/script"), detail);
        }
        if !(1..=MAX_SCRIPT_S).contains(&command.deadline_s) {
            let detail = format!("must be between 1 and {MAX_SCRIPT_S}");
            mistakes.add(format!("{pointer}/deadline_s"), detail);
        }
    }
}

fn line(text: &str, most: usize, pointer: &str, mistakes: &mut Mistakes) {
    // Check the bytes first, so that a very long text need not be counted in characters.
    if text.len() > most * 4 || text.chars().count() > most {
        mistakes.add(pointer, format!("must have at most {most} characters"));
    } else if text.chars().any(is_hidden) {
        mistakes.add(pointer, "must not contain control characters");
    }
}

/// Control characters, and characters that change the text direction: labels appear in prompts and on terminals.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether the text is valid as a node's id.
pub(super) fn is_id(text: &str) -> bool {
    (1..=40).contains(&text.len())
        && text
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
}

fn edges(graph: &Graph, mistakes: &mut Mistakes) {
    let known = positions(graph);
    let mut seen = HashSet::new();
    for (position, edge) in graph.edges.iter().enumerate() {
        let at = format!("/edges/{position}");
        for (end, id) in [("from", &edge.from), ("to", &edge.to)] {
            if !known.contains_key(id.as_str()) {
                let named: String = id.chars().take(40).collect();
                mistakes.add(format!("{at}/{end}"), format!("there is no node {named:?}"));
            }
        }
        if edge.from == edge.to {
            mistakes.add(at, "goes from a node to itself");
        } else if !seen.insert((&edge.from, &edge.to, edge.kind)) {
            mistakes.add(at, "is there twice");
        }
    }
}

/// Checks that the edges that carry the work have no cycle. The mistake names the nodes of the cycle.
pub(super) fn no_cycle(graph: &Graph, wiring: &Wiring, mistakes: &mut Mistakes) -> bool {
    let Some(circle) = wiring.cycle() else {
        return true;
    };
    let mut names: Vec<&str> = circle
        .iter()
        .take(6)
        .map(|&node| graph.nodes[node].id.as_str())
        .collect();
    if circle.len() > names.len() {
        names.push("…");
    }
    names.push(&graph.nodes[circle[0]].id);
    mistakes.add("/edges", format!("go in a circle: {}", names.join(" → ")));
    false
}

/// Checks that all edges are of this kind, or of `peer` if `peers` is set.
pub(super) fn only(graph: &Graph, kind: EdgeKind, peers: bool, mistakes: &mut Mistakes) {
    for (position, edge) in graph.edges.iter().enumerate() {
        let fits = edge.kind == kind || (peers && edge.kind == EdgeKind::Peer);
        if !fits {
            let wanted = match kind {
                EdgeKind::Parent => "parent",
                EdgeKind::Flow => "flow",
                EdgeKind::Peer => "peer",
            };
            mistakes.add(
                format!("/edges/{position}/kind"),
                format!("work goes along edges of kind {wanted} in a {}", graph.kind),
            );
        }
    }
}
