//! `roost world`: the landmarks of the workspace as a tree: missions in flight, teams, agents, and on which machine each
//! sandbox runs.

use std::collections::{HashMap, HashSet};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;

use crate::api::types::{TopologyUpdate, WorldEdge, WorldEvents, WorldNode, WorldTouch};
use crate::api::{Api, routes};
use crate::show::{self, Shown};

/// How many of the last touches are shown below the landmarks.
const TOUCHES: usize = 8;

/// What there is, and where it works
#[derive(Debug, clap::Args)]
pub struct World {
    /// Stay, draw it anew when it changes, and show what agents touch
    #[arg(long, short)]
    watch: bool,
}

impl World {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let mut touches = Vec::new();
        let mut wait = Duration::from_millis(500);
        loop {
            match self.read(api, &mut touches).await {
                Ok(()) if !self.watch => return Ok(ExitCode::SUCCESS),
                Ok(()) => wait = Duration::from_millis(500),
                Err(error) if !self.watch => return Err(error),
                Err(error) => {
                    let error = format!("{error:#}");
                    eprintln!("roost: {}; trying again", show::clean(&error));
                    wait = (wait * 2).min(Duration::from_secs(30));
                }
            }
            tokio::time::sleep(wait).await;
        }
    }

    /// Reads one stream: to its first landmarks, or to its end.
    async fn read(&self, api: &Api, touches: &mut Vec<String>) -> anyhow::Result<()> {
        let mut stream = api.stream(routes::world()).await?;
        let mut names = HashMap::new();
        let mut drawn = String::new();
        while let Some(message) = stream.next().await? {
            match WorldEvents::read(&message.event, &message.data)? {
                // The layout of one team is an event of the log, with an id.
                WorldEvents::TopologyUpdate(world) if message.id.is_none() => {
                    if api.json {
                        show::json_line(world.raw());
                    }
                    names = names_of(&world);
                    drawn = tree(&world);
                }
                WorldEvents::WorldTouch(touch) if self.watch => {
                    if api.json {
                        show::json_line(touch.raw());
                    }
                    touches.push(sentence(&touch, &names));
                    let more = touches.len().saturating_sub(TOUCHES);
                    touches.drain(..more);
                }
                _ => continue,
            }
            if !api.json {
                if self.watch {
                    // Home, then clear what was below: no flicker.
                    print!("\u{1b}[H\u{1b}[J");
                }
                println!("{drawn}");
                for touch in touches.iter() {
                    println!("{touch}");
                }
            }
            if !self.watch {
                return Ok(());
            }
        }
        if self.watch {
            return Ok(());
        }
        bail!("the stream ended before the landmarks came")
    }
}

fn names_of(world: &TopologyUpdate) -> HashMap<String, String> {
    let nodes = world.nodes.iter().flatten();
    nodes
        .map(|node| (node.id.shown(), node.label.shown()))
        .collect()
}

/// `Ada: tool/shell`
fn sentence(touch: &WorldTouch, names: &HashMap<String, String>) -> String {
    let agent = names.get(&format!("agent:{}", touch.agent_id.shown()));
    let agent = agent.cloned().unwrap_or_else(|| touch.agent_id.shown());
    let node = touch.node_id.shown();
    let what = names.get(&node).cloned().unwrap_or_else(|| {
        let name = node.split_once(':').map(|(_, name)| name.to_owned());
        name.unwrap_or(node)
    });
    format!("{agent}: {what}")
}

/// The landmarks below one another, each with the machine on which its sandbox runs.
fn tree(world: &TopologyUpdate) -> String {
    let nodes: Vec<&WorldNode> = world.nodes.iter().flatten().collect();
    if nodes.is_empty() {
        return "There is nothing in this workspace yet. Begin with `roost team create`."
            .to_owned();
    }
    let edges: Vec<&WorldEdge> = world.edges.iter().flatten().collect();
    let names = names_of(world);
    let known: HashSet<String> = nodes.iter().map(|node| node.id.shown()).collect();
    let mut below: HashMap<String, Vec<&WorldNode>> = HashMap::new();
    let mut roots = Vec::new();
    for node in &nodes {
        let parent = node.parent_id.as_ref().map(Shown::shown);
        match parent.filter(|parent| known.contains(parent)) {
            Some(parent) => below.entry(parent).or_default().push(node),
            None => roots.push(*node),
        }
    }
    let mut lines = Vec::new();
    for root in roots {
        draw(root, "", "", &below, &edges, &names, &mut lines);
    }
    lines.join("\n")
}

fn draw(
    node: &WorldNode,
    first: &str,
    rest: &str,
    below: &HashMap<String, Vec<&WorldNode>>,
    edges: &[&WorldEdge],
    names: &HashMap<String, String>,
    lines: &mut Vec<String>,
) {
    let id = node.id.shown();
    let kind = id.split_once(':').map_or("", |(kind, _)| kind);
    let at: Vec<String> = edges
        .iter()
        .filter(|edge| edge.from.shown() == id && edge.to.shown().starts_with("machine:"))
        .filter_map(|edge| names.get(&edge.to.shown()).cloned())
        .collect();
    let at = match at.as_slice() {
        [] => String::new(),
        at => format!("  on {}", at.join(", ")),
    };
    lines.push(format!("{first}{kind:<8}{}{at}", node.label.shown()));
    let children = below.get(&id).map_or(&[][..], Vec::as_slice);
    for (n, child) in children.iter().enumerate() {
        let (branch, more) = match n + 1 == children.len() {
            true => ("└ ", "  "),
            false => ("├ ", "│ "),
        };
        let (first, next) = (format!("{rest}{branch}"), format!("{rest}{more}"));
        draw(child, &first, &next, below, edges, names, lines);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn landmarks_stand_below_what_they_belong_to_with_their_machines() {
        let world = json!({ "formation": "live",
            "nodes": [
                { "id": "mission:m", "tier": "event", "label": "Faster" },
                { "id": "machine:local", "tier": "service", "label": "This gateway" },
                { "id": "team:t", "tier": "team", "label": "Coders", "parentId": "mission:m" },
                { "id": "agent:a", "tier": "agent", "label": "Ada", "parentId": "team:t" },
                { "id": "agent:b", "tier": "agent", "label": "B\u{1b}[2J", "parentId": "team:t" },
            ],
            "edges": [
                { "from": "team:t", "to": "agent:a", "kind": "parent" },
                { "from": "agent:a", "to": "machine:local", "kind": "flow" },
            ] });
        let world: TopologyUpdate = serde_json::from_value(world).expect("a world");
        let drawn = tree(&world);
        assert!(!drawn.contains('\u{1b}'), "{drawn}");
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[0], "mission Faster");
        assert_eq!(lines[1], "└ team    Coders");
        assert_eq!(lines[2], "  ├ agent   Ada  on This gateway");
        assert!(lines[3].starts_with("  └ agent   B"), "{drawn}");
        assert_eq!(lines[4], "machine This gateway");
    }

    #[test]
    fn empty_workspace_says_how_to_begin() {
        let world: TopologyUpdate =
            serde_json::from_value(json!({ "formation": "live" })).expect("a world");
        assert!(tree(&world).contains("roost team create"));
    }
}
