//! What a step waits for outside of this gateway: its machine, another gateway, or the decision of a person.

use super::session::{Session, error_text};
use roost_execution::runs::{StepResult, WaitOn};
use roost_execution::tools;
use roost_machines::fleet;
use roost_platform::ids::NodeId;

impl Session<'_> {
    /// The machine with the agent's sandbox is away. The step waits, and the error names the machine.
    pub(super) async fn absent(&self, error: &tools::ToolError) -> StepResult {
        let known = match error.machine() {
            Some(id) => fleet::by_id(self.agents.db.read(), id).await,
            None => Ok(None),
        };
        match known {
            Ok(Some(node)) => {
                let name = node.called();
                let detail = match node.draining {
                    true => {
                        format!("The machine {name} is draining and accepts no new commands.")
                    }
                    false => format!("The machine {name} is not connected."),
                };
                StepResult::Waits {
                    on: WaitOn::Machine { machine: node.id },
                    detail,
                }
            }
            Ok(None) | Err(_) => StepResult::away(error_text(error)),
        }
    }
}

impl Session<'_> {
    /// Another gateway holds the machine, so the run continues there.
    pub(super) async fn elsewhere(&self, machine: NodeId, detail: String) -> StepResult {
        let known = fleet::by_id(self.agents.db.read(), machine).await;
        match known.ok().flatten().and_then(|node| node.held_by) {
            Some(owner) => StepResult::Elsewhere { owner, detail },
            // That gateway has just lost it.
            None => StepResult::away(detail),
        }
    }
}

/// A person decides. The step waits.
pub(super) fn decision(error: &tools::ToolError) -> StepResult {
    match error {
        tools::ToolError::Waits(door) => StepResult::Waits {
            on: WaitOn::Door { door: *door },
            detail: "A person has to decide on the agent's request.".to_owned(),
        },
        other => StepResult::terminal(error_text(other)),
    }
}
