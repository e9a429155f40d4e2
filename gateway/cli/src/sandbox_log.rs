//! `roost sandbox log`: the commands in the sandboxes of an agent or a team, and the output of one of them.

use std::process::ExitCode;

use crate::api::types::{OperationId, SandboxCommand};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::show::{self, Shown, clean};
use crate::{exec, owners};

/// The commands of an owner, or the output of one.
#[derive(Debug, clap::Args)]
pub struct Log {
    /// Id or name of the agent, or team:NAME
    #[arg(value_name = "OWNER")]
    owner: String,
    /// Print the output of this command instead: the id of a line of the list
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
    /// Only commands that failed
    #[arg(long)]
    failed: bool,
    /// Only commands that have not ended
    #[arg(long)]
    running: bool,
    /// Only commands that contain this text
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// The most commands, 1 to 200
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=200))]
    limit: u64,
}

impl Log {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let owner = owners::find(api, &self.owner).await?;
        if let Some(command) = self.command {
            let id: OperationId = serde_json::from_value(command.into())?;
            return exec::output(api, owner, id).await;
        }
        let call = routes::sandbox_commands(
            &owner,
            Some(self.limit),
            self.failed.then_some(true),
            self.running.then_some(true),
            self.search.as_deref(),
        );
        let items = api.ask(call).await?.into_value().items;
        if api.json {
            show::json(&raw_list(&items));
            return Ok(ExitCode::SUCCESS);
        }
        let rows: Vec<_> = items.iter().map(row).collect();
        show::table(&["AT", "WHO", "END", "COMMAND", "ID"], &rows);
        Ok(ExitCode::SUCCESS)
    }
}

fn row(one: &Parsed<SandboxCommand>) -> Vec<String> {
    vec![
        show::relative(Some(&one.created_at)),
        who(one),
        end(one),
        what(one),
        one.id.shown(),
    ]
}

fn who(one: &SandboxCommand) -> String {
    let agent = one.agent.as_ref().map(|agent| agent.name.shown());
    let user = one.user.as_ref().map(|user| user.email.shown());
    user.or(agent).unwrap_or_else(|| "Roost".to_owned())
}

/// The exit code of a process that ended, else the state.
fn end(one: &SandboxCommand) -> String {
    match one.exit_code {
        Some(0) => "done".to_owned(),
        Some(code) => format!("exit {code}"),
        None => one.state.shown(),
    }
}

fn what(one: &SandboxCommand) -> String {
    let command = one.command.as_deref().map(clean);
    match (&one.tool, command) {
        (None, Some(command)) => command,
        // The tool `shell` runs a command as a person would.
        (Some(tool), Some(command)) if tool == "shell" => command,
        // A file tool is told as `read_file src/a.rs`.
        (Some(tool), Some(command)) if command.starts_with(tool.as_str()) => command,
        (Some(tool), Some(command)) => format!("{}: {command}", tool.shown()),
        (tool, None) => tool.shown(),
    }
}
