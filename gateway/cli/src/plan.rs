//! `roost plan`: what workspaces may use, for operators of the deployment.

use std::process::ExitCode;

use anyhow::{bail, ensure};

use crate::api::types::{NewLimitsOfPlan, PlanLimits};
use crate::api::{Api, routes};
use crate::people;
use crate::show::{self, Shown};

/// Plans of the deployment, for its operators.
#[derive(Debug, clap::Subcommand)]
pub enum Plan {
    /// List the plans with their limits
    #[command(visible_alias = "ls")]
    List,
    /// Change limits of a plan. They hold at once; nothing that is in use is deleted
    #[command(
        after_help = "Limits that are not named stay as they are.\n\nExample:\n  roost plan set team --agents 100 --live-containers 20"
    )]
    Set {
        plan: String,
        /// Agents of a workspace
        #[arg(long, value_name = "COUNT")]
        agents: Option<u64>,
        /// Sandboxes of a workspace that run at one time
        #[arg(long, value_name = "COUNT")]
        live_containers: Option<u64>,
        /// Workspaces that a person may make
        #[arg(long, value_name = "COUNT")]
        workspaces: Option<u64>,
    },
    /// Give a workspace of this deployment a plan
    #[command(
        after_help = "A smaller plan deletes nothing. While more is in use than it allows, the gateway refuses what needs more.\n\nExample:\n  roost plan give \"Ada's workshop\" team"
    )]
    Give {
        // Its name differs from the one of the global option `--workspace`, which would take its value.
        /// The workspace, by name or id
        #[arg(value_name = "WORKSPACE")]
        which: String,
        plan: String,
    },
}

impl Plan {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::List => list(api).await,
            Self::Give { which, plan } => people::set_plan(api, &which, plan).await,
            Self::Set {
                plan,
                agents,
                live_containers,
                workspaces,
            } => {
                ensure!(
                    agents.is_some() || live_containers.is_some() || workspaces.is_some(),
                    "name what changes: --agents, --live-containers or --workspaces"
                );
                let plans = api.ask(routes::plans()).await?;
                let Some(now) = plans.items.iter().find(|one| one.name == plan) else {
                    bail!("no plan is called {plan:?}; see `roost plan list`");
                };
                let new = NewLimitsOfPlan {
                    agents: agents.unwrap_or(now.agents),
                    live_containers: live_containers.unwrap_or(now.live_containers),
                    workspaces: workspaces.unwrap_or(now.workspaces),
                };
                let changed = api.ask(routes::set_plan(&plan, &new)).await?;
                match api.json {
                    true => show::json(changed.raw()),
                    false => println!(
                        "The plan {} allows {} agents, {} live containers and {} workspaces a person now.",
                        changed.name.shown(),
                        changed.agents,
                        changed.live_containers,
                        changed.workspaces
                    ),
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

/// Prints the plans; the one that new workspaces get is marked.
pub(super) async fn list(api: &Api) -> anyhow::Result<ExitCode> {
    let plans = api.ask(routes::plans()).await?;
    if api.json {
        show::json(plans.raw());
        return Ok(ExitCode::SUCCESS);
    }
    let row = |one: &PlanLimits| {
        let new = match one.name == plans.default {
            true => "new workspaces",
            false => "",
        };
        vec![
            one.name.shown(),
            one.agents.to_string(),
            one.live_containers.to_string(),
            one.workspaces.to_string(),
            new.to_owned(),
        ]
    };
    let rows: Vec<_> = plans.items.iter().map(row).collect();
    let head = [
        "NAME",
        "AGENTS",
        "LIVE CONTAINERS",
        "WORKSPACES A PERSON",
        "FOR",
    ];
    show::table(&head, &rows);
    Ok(ExitCode::SUCCESS)
}
