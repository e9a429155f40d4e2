//! `roost sandbox log`: the commands in the sandboxes of the workspace, of an agent or of a team, and the output of one.

use std::process::ExitCode;

use crate::api::types::{OperationId, SandboxCommand, SandboxOwnerKind};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::named::{self, Kind, Named};
use crate::show::{self, Shown, clean};
use crate::{exec, owners};

/// The most commands of one answer.
const MOST: u64 = 200;

/// The commands of an owner or of the workspace, or the output of one.
#[derive(Debug, clap::Args)]
pub struct Log {
    /// Id or name of the agent, team:NAME or mission:TITLE; without it, the commands of all sandboxes are listed
    #[arg(value_name = "OWNER")]
    owner: Option<String>,
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
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=MOST))]
    limit: u64,
}

impl Log {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let owner = match &self.owner {
            Some(name) => Some(owners::find(api, name).await?),
            None => None,
        };
        let (limit, text) = (Some(self.limit), self.search.as_deref());
        let failed = self.failed.then_some(true);
        let running = self.running.then_some(true);
        let call = match (owner, self.command) {
            (Some(owner), Some(command)) => {
                let id = match named::is_id(&command) {
                    true => OperationId::from(command),
                    false => {
                        let newest = routes::sandbox_commands(&owner, Some(MOST), None, None, None);
                        let items = api.ask(newest).await?.into_value().items;
                        named::the_one(&command, &items)?.id.clone()
                    }
                };
                return exec::output(api, owner, id).await;
            }
            (Some(owner), None) => routes::sandbox_commands(&owner, limit, failed, running, text),
            (None, _) => routes::workspace_commands(limit, failed, running, text),
        };
        let items = api.ask(call).await?.into_value().items;
        if api.json {
            show::json(&raw_list(&items));
            return Ok(ExitCode::SUCCESS);
        }
        match self.owner {
            Some(_) => {
                let rows: Vec<_> = items.iter().map(|one| row(one).to_vec()).collect();
                show::table(&["AT", "WHO", "END", "COMMAND", "ID"], &rows);
            }
            None => {
                let rows: Vec<_> = items.iter().map(row_of_workspace).collect();
                show::table(&["AT", "SANDBOX OF", "WHO", "END", "COMMAND", "ID"], &rows);
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn row_of_workspace(one: &Parsed<SandboxCommand>) -> Vec<String> {
    let [at, who, end, what, id] = row(one);
    vec![at, place(one), who, end, what, id]
}

/// As `sandbox log` takes it: the name of an agent, `team:NAME` or `mission:TITLE`.
fn place(one: &SandboxCommand) -> String {
    let name = one.owner.name.shown();
    match one.owner.kind {
        SandboxOwnerKind::Team => format!("team:{name}"),
        SandboxOwnerKind::Mission => format!("mission:{name}"),
        _ => name,
    }
}

fn row(one: &Parsed<SandboxCommand>) -> [String; 5] {
    [
        show::relative(Some(&one.created_at)),
        who(one),
        end(one),
        what(one),
        named::short(&one.id),
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

impl Named for SandboxCommand {
    type Id = OperationId;

    const KIND: Kind = Kind {
        one: "command",
        many: "commands",
        list: "roost sandbox log OWNER",
    };

    fn id(&self) -> &OperationId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.command.as_deref() == Some(name)
    }

    fn about(&self) -> Vec<String> {
        vec![what(self), named::made(&self.created_at)]
    }
}
