//! What a step waits for outside of this gateway: its machine, another gateway, or the decision of a person.

use super::session::{Session, Stopped, error_text};
use roost_execution::runs::{StepResult, WaitOn};
use roost_execution::tools::{self, Capability};
use roost_machines::fleet;
use roost_platform::ids::NodeId;

/// How often a call is repeated while its sandbox is created or its machine is away, before the step waits.
const TRIES: u32 = 3;

impl<W> Session<'_, W> {
    /// Does what the error of a call asks for. Returns the text for the model, or `None` when the call is to be repeated.
    pub(super) async fn recovered(
        &self,
        error: &tools::ToolError,
        may: &Capability,
        tries: u32,
    ) -> Result<Option<String>, Stopped> {
        if let Some(machine) = error.held_elsewhere() {
            return Err(self.elsewhere(machine, error_text(error)).await.into());
        }
        match error.class() {
            tools::Class::Tell => Ok(Some(error.to_string())),
            tools::Class::Provision if tries <= TRIES => {
                self.make_sandbox(may).await?;
                Ok(None)
            }
            tools::Class::Cancelled => {
                Err(StepResult::terminal("The command was cancelled.").into())
            }
            tools::Class::Provision | tools::Class::Retry => {
                Err(StepResult::retryable(error_text(error)).into())
            }
            tools::Class::Wait => Err(self.absent(error).await.into()),
            tools::Class::Door => Err(decision(error).into()),
            tools::Class::Fail => Err(StepResult::terminal(error_text(error)).into()),
        }
    }
}

impl<W> Session<'_, W> {
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

impl<W> Session<'_, W> {
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
fn decision(error: &tools::ToolError) -> StepResult {
    match error {
        tools::ToolError::Waits(door) => StepResult::Waits {
            on: WaitOn::Door { door: *door },
            detail: "A person has to decide on the agent's request.".to_owned(),
        },
        other => StepResult::terminal(error_text(other)),
    }
}
