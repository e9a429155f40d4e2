//! Facts about a command for people: what it was, and how it ended.

use roost_protocol::operation::Purpose;
use roost_protocol::report::Outcome;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entity::Model;
use super::record::typed;

/// A command in a sandbox. Other operations, and commands of older gateways, have none of these fields.
#[derive(Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct CommandFacts {
    /// Exit code of the process, or 128 + the signal that ended it. Absent if the process did not end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The agent's input to its tool: the command or the path, without the program that Roost puts around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The tool with which an agent requested it. Absent for a person's command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

impl CommandFacts {
    /// The facts from the record of a command. A command of an older gateway has them in its request.
    pub fn of_record(row: &mut Model) -> Self {
        let mut facts = Self::take(row);
        facts.tool = row.tool.take().or(facts.tool);
        facts.command = row.command.take().or(facts.command);
        if facts.tool.is_none() && facts.command.is_none() {
            let argv = row.request.get("argv").cloned().unwrap_or_default();
            let argv: Vec<String> = serde_json::from_value(argv).unwrap_or_default();
            facts.command = typed(&argv);
        }
        facts
    }

    /// Takes the purpose out of the stored request, so that an answer has it only once.
    pub fn take(row: &mut Model) -> Self {
        let purpose = row
            .request
            .as_object_mut()
            .and_then(|asked| asked.remove("purpose"))
            .and_then(|purpose| Purpose::deserialize(purpose).ok());
        let outcome = row
            .outcome
            .as_ref()
            .and_then(|said| Outcome::deserialize(said).ok());
        let exit_code = match outcome {
            Some(Outcome::Exited { code }) => Some(code),
            _ => None,
        };
        let (tool, command) = purpose.map_or((None, None), |purpose| {
            (Some(purpose.tool), purpose.command)
        });
        Self {
            exit_code,
            command,
            tool,
        }
    }
}
