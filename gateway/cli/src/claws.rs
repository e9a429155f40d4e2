//! `roost claw`: agents.

use std::process::ExitCode;

use crate::api::types::{Claw as Agent, ClawId, NewClaw};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::named::{self, Kind, Named};
use crate::show::{self, Shown};

/// Agents.
#[derive(Debug, clap::Subcommand)]
pub enum Claw {
    /// Create an agent that you manage
    Create {
        name: String,
        #[arg(long)]
        role: Option<String>,
        #[arg(long, value_name = "TEXT")]
        system_prompt: Option<String>,
    },
    /// List agents
    List,
    /// Show one agent, by id or name
    Show { claw: String },
    /// Delete an agent: softly, or with --purge for good
    Delete {
        claw: String,
        /// Remove it with everything that it has
        #[arg(long)]
        purge: bool,
    },
}

impl Claw {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Create {
                name,
                role,
                system_prompt,
            } => {
                let new = NewClaw {
                    name,
                    role,
                    system_prompt,
                };
                one(api, &api.ask(routes::create_claw(&new)).await?);
            }
            Self::List => {
                let items = api.all(routes::claws).await?;
                if api.json {
                    show::json(&raw_list(&items));
                } else {
                    let row = |claw: &Parsed<Agent>| {
                        let sandbox = claw.sandbox.as_ref();
                        vec![
                            claw.name.shown(),
                            claw.status.shown(),
                            sandbox.map(|sandbox| &sandbox.state).shown(),
                            sandbox.map(|sandbox| &sandbox.node_name).shown(),
                            claw.id.shown(),
                        ]
                    };
                    let rows: Vec<_> = items.iter().map(row).collect();
                    show::table(&["NAME", "STATUS", "SANDBOX", "MACHINE", "ID"], &rows);
                }
            }
            Self::Show { claw } => {
                let id = find(api, &claw).await?;
                one(api, &api.ask(routes::claw(&id)).await?);
            }
            Self::Delete { claw, purge } => {
                let id = find(api, &claw).await?;
                let call = routes::delete_claw(&id, purge.then_some(true));
                let answer = api.ask(call).await?;
                if api.json {
                    show::json(answer.raw());
                } else if purge {
                    println!("The purge has begun and finishes by itself.");
                } else {
                    println!("Deleted.");
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn one(api: &Api, claw: &Parsed<Agent>) {
    if api.json {
        return show::json(claw.raw());
    }
    let sandbox = claw.sandbox.as_ref();
    for (label, text) in [
        ("name", claw.name.shown()),
        ("id", claw.id.shown()),
        ("role", claw.role.shown()),
        ("status", claw.status.shown()),
        ("managed by", claw.managed_by.email.shown()),
        ("sandbox", sandbox.map(|sandbox| &sandbox.state).shown()),
        ("machine", sandbox.map(|sandbox| &sandbox.node_name).shown()),
        ("created", claw.created_at.shown()),
    ] {
        println!("{label:<11} {text}");
    }
}

impl Named for Agent {
    type Id = ClawId;

    const KIND: Kind = Kind {
        one: "agent",
        many: "agents",
        list: "roost claw list",
    };

    fn id(&self) -> &ClawId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name
    }

    fn about(&self) -> Vec<String> {
        vec![named::made(&self.created_at), self.status.shown()]
    }
}

/// The id of the agent that `wanted` names: an id, or a name that only one has.
pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<ClawId> {
    named::find(api, wanted, routes::claws).await
}
