//! What a node may report on, beyond the bounds that decoding sets (`roost_protocol::clean`): its own workspace's
//! sandboxes and the tools that we know. Pure but for the counters.

use roost_protocol::ids::{SandboxId, WorkspaceId as WireWorkspace};
use roost_protocol::inventory::Inventory;
use roost_protocol::report::Outcome;
use roost_protocol::vitals::NodeTools;

use crate::ids::WorkspaceId;

/// Tools that a node may report; others are dropped.
pub const TOOLS: [&str; 5] = ["docker", "claude", "codex", "gemini", "ollama"];

/// Takes out of an inventory what belongs to another workspace.
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
}

/// Keeps an inventory true by what operations did to the sandbox that they were about.
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

/// Keeps the tools that we know, each once, by name.
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
