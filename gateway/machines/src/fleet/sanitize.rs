//! What a node may report, beyond the limits that decoding sets (`roost_protocol::clean`): its own workspace's sandboxes
//! and the known tools. Pure but for the counters.

use roost_protocol::hello::{HeldImage, ImageState, WantedImage};
use roost_protocol::ids::{SandboxId, WorkspaceId as WireWorkspace};
use roost_protocol::inventory::Inventory;
use roost_protocol::report::Outcome;
use roost_protocol::snapshot::Stored;
use roost_protocol::vitals::NodeTools;

use super::dto::{NodeImage, NodeImageFetch};
use roost_platform::ids::WorkspaceId;

/// Tools that a node may report; others are dropped.
pub const TOOLS: [&str; 5] = ["docker", "claude", "codex", "gemini", "ollama"];

/// Removes the sandboxes and snapshots of other workspaces from an inventory.
pub fn own_inventory(inventory: &mut Inventory, workspace: WorkspaceId) {
    let ours = WireWorkspace(workspace.0);
    let before = inventory.sandboxes.len();
    inventory
        .sandboxes
        .retain(|sandbox| sandbox.workspace == ours);
    let foreign = before - inventory.sandboxes.len();
    if foreign > 0 {
        metrics::counter!("roost_node_foreign_sandboxes_total").increment(foreign as u64);
        tracing::warn!(
            foreign,
            "a node listed sandboxes of another workspace; they were ignored"
        );
    }
    inventory
        .stored
        .retain(|snapshot| is_own(snapshot, workspace));
}

/// Whether a snapshot is of the node's own workspace. A foreign one is counted and logged.
pub fn is_own(snapshot: &Stored, workspace: WorkspaceId) -> bool {
    let own = snapshot.workspace == WireWorkspace(workspace.0);
    if !own {
        metrics::counter!("roost_node_foreign_snapshots_total").increment(1);
        tracing::warn!(sandbox = %snapshot.sandbox, "a node reported a snapshot of another workspace; it was ignored");
    }
    own
}

/// The image that an older daemon checks for, whatever image the gateway wants.
const OLDER_IMAGE: &str = "roost-agent:dev";

/// The stored word for the state of the wanted image. A report about another image gives `unknown`.
pub fn image_word(
    said: ImageState,
    about: Option<&str>,
    unfit: bool,
    wanted: &str,
) -> &'static str {
    if about.unwrap_or(OLDER_IMAGE) != wanted {
        return "unknown";
    }
    word(said, unfit)
}

/// The stored word for the state of an image.
pub fn word(said: ImageState, unfit: bool) -> &'static str {
    match said {
        ImageState::Ready => "ready",
        ImageState::Missing => "missing",
        ImageState::WrongDigest if unfit => "unfit",
        ImageState::WrongDigest => "wrong-digest",
        ImageState::Unknown => "unknown",
    }
}

/// What a machine has of the wanted images, as it is stored; it may say nothing about others.
pub fn own_images(said: &[HeldImage], wanted: &[WantedImage]) -> Vec<NodeImage> {
    wanted
        .iter()
        .filter_map(|image| said.iter().find(|held| held.reference == image.reference))
        .map(|held| NodeImage {
            reference: held.reference.clone(),
            state: word(held.state, held.unfit.is_some()).to_owned(),
            id: held.id.clone(),
            bytes: held.bytes,
            detail: held.unfit.clone(),
            fetch: held.fetch.as_ref().map(|fetch| NodeImageFetch {
                done_bytes: fetch.done,
                total_bytes: fetch.total,
                problem: fetch.problem.clone(),
            }),
        })
        .collect()
}

/// Updates an inventory with the effect of an operation on its sandbox.
pub fn learn(
    inventory: &mut Inventory,
    outcome: &Outcome,
    asked: Option<SandboxId>,
    workspace: WorkspaceId,
) {
    let ours = WireWorkspace(workspace.0);
    let others = |inventory: &mut Inventory| {
        let sandboxes = &mut inventory.sandboxes;
        sandboxes.retain(|present| Some(present.sandbox) != asked);
    };
    match outcome {
        Outcome::Provisioned { sandbox, .. }
            if Some(sandbox.sandbox) == asked && sandbox.workspace == ours =>
        {
            others(inventory);
            inventory.sandboxes.push(sandbox.clone());
        }
        Outcome::Destroyed { .. } => others(inventory),
        _ => {}
    }
}

/// Keeps the known tools, each once, sorted by name.
pub fn known_tools(report: &mut NodeTools) {
    report
        .tools
        .retain(|tool| TOOLS.contains(&tool.tool.as_str()));
    report.tools.sort_by(|a, b| a.tool.cmp(&b.tool));
    report.tools.dedup_by(|a, b| a.tool == b.tool);
}

#[cfg(test)]
mod tests {
    use roost_protocol::vitals::Tool;

    use super::*;

    #[test]
    fn a_machine_is_ready_only_for_the_image_that_it_looked_for() {
        use ImageState::{Missing, Ready, Unknown, WrongDigest};
        for (said, about, unfit, wanted, word) in [
            (Ready, Some("agent:7"), false, "agent:7", "ready"),
            (Missing, Some("agent:7"), false, "agent:7", "missing"),
            (
                WrongDigest,
                Some("agent:7"),
                false,
                "agent:7",
                "wrong-digest",
            ),
            (WrongDigest, Some("agent:7"), true, "agent:7", "unfit"),
            (Unknown, Some("agent:7"), false, "agent:7", "unknown"),
            // It still reports the image that was wanted before.
            (Ready, Some("agent:6"), false, "agent:7", "unknown"),
            // An older daemon does not report which image it checked for.
            (Ready, None, false, "agent:7", "unknown"),
            (Ready, None, false, OLDER_IMAGE, "ready"),
        ] {
            assert_eq!(
                image_word(said, about, unfit, wanted),
                word,
                "{said:?} {about:?}"
            );
        }
    }

    #[test]
    fn only_the_tools_that_we_know_are_kept_each_once() {
        let tool = |tool: &str| Tool {
            tool: tool.into(),
            version: "1".into(),
        };
        let mut report = NodeTools {
            tools: vec![
                tool("docker"),
                tool("rootkit"),
                tool("claude"),
                tool("docker"),
            ],
        };
        known_tools(&mut report);
        let names: Vec<_> = report.tools.iter().map(|tool| tool.tool.as_str()).collect();
        assert_eq!(names, ["claude", "docker"]);
    }
}
