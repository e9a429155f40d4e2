//! `roost agent`: agents.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::api::types::{
    AgentRuntimeConfig, AgentRuntimeConfigChange, AgentState, Claw as Agent, ClawId, NewClaw,
    RiskProfile, RunAgent, SandboxBrief, SandboxState, ToolBundle,
};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::doors::Asking;
use crate::limits::Limits;
use crate::live::{Listing, Live};
use crate::named::{self, Kind, Named};
use crate::show::{self, Shown};
use crate::{run_repo, sandbox, team, watch};

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
    List(Live),
    /// Show one agent, by id or name
    Show { claw: String },
    /// Give work to one agent, and watch it
    Run {
        claw: String,
        /// The goal; `-` reads it from stdin
        goal: String,
        /// Only start it, and print the run's id
        #[arg(long)]
        detach: bool,
        /// The model of the agent in this run, as `provider/model`; see *Settings*, *Models* on the page
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
        #[command(flatten)]
        limits: Limits,
        /// The repository that the run works on, by name or id, and the branch or commit that it begins at
        #[arg(long, value_name = "NAME[@BASE]")]
        repo: Option<String>,
        /// Files that the run works on: a folder of this machine, or a tar, tar.gz or zip archive. What .gitignore and
        /// .roostignore name stays here
        #[arg(long, value_name = "DIR", conflicts_with = "repo")]
        from: Option<PathBuf>,
    },
    /// Show what an agent runs with: its model, its permissions and its image. With options, change them first
    #[command(
        after_help = "Examples:\n  roost agent runtime Ada\n  roost agent runtime Ada --profile coding_readwrite --bundle skills --bundle sandbox\n  roost agent runtime Ada --image node --memory 2048 --cpus 2"
    )]
    Runtime {
        claw: String,
        /// The agent's own model
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// toolfree, research_readonly or coding_readwrite
        #[arg(long, value_name = "PROFILE")]
        profile: Option<String>,
        /// The agent's own bundles: skills, sandbox, repo or door; may be repeated, and replaces those it has
        #[arg(long = "bundle", value_name = "BUNDLE")]
        bundles: Vec<String>,
        /// The agent's own image for new sandboxes; see `roost images`
        #[arg(long, value_name = "NAME")]
        image: Option<String>,
        /// The agent's own memory limit for new sandboxes, in MiB; the workspace gets half of it. Without --cpus, a limit of
        /// processors is removed
        #[arg(long, value_name = "MIB")]
        memory: Option<u64>,
        /// The agent's own processors for new sandboxes, as 0.5. Without --memory, a limit of memory is removed
        #[arg(long)]
        cpus: Option<f64>,
    },
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
            Self::List(live) => return live.show(api, async || list(api).await).await,
            Self::Show { claw } => {
                let id = find(api, &claw).await?;
                one(api, &api.ask(routes::claw(&id)).await?);
            }
            Self::Run {
                claw,
                goal,
                detach,
                model,
                limits,
                repo,
                from,
            } => {
                let id = find(api, &claw).await?;
                let new = RunAgent {
                    input: team::goal_text(goal)?,
                    repo: run_repo::asked(api, repo, from.as_deref()).await?,
                    cost_ceiling_microusd: limits.microusd()?,
                    limits: limits.pace(),
                    model,
                };
                let run = api.ask(routes::run_claw(&id, &new)).await?;
                if detach {
                    match api.json {
                        true => show::json(run.raw()),
                        false => println!("{}", run.id.shown()),
                    }
                    return Ok(ExitCode::SUCCESS);
                }
                return watch::watch(api, &run.id, Asking::Person).await;
            }
            Self::Runtime {
                claw,
                model,
                profile,
                bundles,
                image,
                memory,
                cpus,
            } => {
                let id = find(api, &claw).await?;
                let limits = sandbox::limits(memory, cpus);
                let changes = model.is_some()
                    || profile.is_some()
                    || !bundles.is_empty()
                    || image.is_some()
                    || limits.is_some();
                let config = if changes {
                    let bundles: Vec<_> = bundles.into_iter().map(ToolBundle::from).collect();
                    let change = AgentRuntimeConfigChange {
                        model_binding: model,
                        risk_profile: profile.map(RiskProfile::from),
                        mcp_bundles: (!bundles.is_empty()).then_some(bundles),
                        image,
                        limits,
                    };
                    api.ask(routes::configure_claw(&id, &change)).await?
                } else {
                    api.ask(routes::runtime_config(&id)).await?
                };
                runtime(api, &config);
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
        ("status", word(&claw.status, sandbox).to_owned()),
        ("managed by", claw.managed_by.email.shown()),
        ("sandbox", sandbox.map(|sandbox| &sandbox.state).shown()),
        ("machine", sandbox.map(|sandbox| &sandbox.node_name).shown()),
        ("created", claw.created_at.shown()),
    ] {
        println!("{label:<11} {text}");
    }
}

fn runtime(api: &Api, config: &Parsed<AgentRuntimeConfig>) {
    if api.json {
        return show::json(config.raw());
    }
    let list = |bundles: &[ToolBundle]| match bundles {
        [] => "none".to_owned(),
        some => some.iter().map(Shown::shown).collect::<Vec<_>>().join(", "),
    };
    for (label, text) in [
        ("model", config.model.shown()),
        ("profile", config.effective_profile.shown()),
        ("tools", list(&config.effective_bundles)),
        ("own model", config.model_binding.shown()),
        ("own profile", config.record_profile.shown()),
        ("own tools", list(&config.record_bundles)),
        ("image", show::image(&config.effective_image)),
        ("team", config.team_id.shown()),
    ] {
        println!("{label:<11} {text}");
    }
}

/// The word for people. An agent without a sandbox is not away: it gets one with its next work.
pub(super) fn word(status: &AgentState, sandbox: Option<&SandboxBrief>) -> &'static str {
    match (status, sandbox.map(|sandbox| &sandbox.state)) {
        (AgentState::Working, _) => "working",
        (_, Some(SandboxState::Failed | SandboxState::Lost)) => "failed",
        _ => "ready",
    }
}

impl Named for Agent {
    type Id = ClawId;

    const KIND: Kind = Kind {
        one: "agent",
        many: "agents",
        list: "roost agent list",
    };

    fn id(&self) -> &ClawId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name
    }

    fn about(&self) -> Vec<String> {
        vec![
            named::made(&self.created_at),
            word(&self.status, self.sandbox.as_ref()).to_owned(),
        ]
    }
}

async fn list(api: &Api) -> anyhow::Result<Listing> {
    let items = api.all(routes::claws).await?;
    let row = |claw: &Parsed<Agent>| {
        let sandbox = claw.sandbox.as_ref();
        vec![
            claw.name.shown(),
            word(&claw.status, sandbox).to_owned(),
            sandbox.map(|sandbox| &sandbox.state).shown(),
            sandbox.map(|sandbox| &sandbox.node_name).shown(),
            show::relative(Some(&claw.created_at)),
            named::short(&claw.id),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    Ok(Listing {
        text: show::columns(
            &["NAME", "STATUS", "SANDBOX", "MACHINE", "CREATED", "ID"],
            &rows,
        ),
        json: raw_list(&items),
    })
}

/// The names of the agents by their ids.
pub(super) async fn names(api: &Api) -> anyhow::Result<HashMap<String, String>> {
    let items = api.all(routes::claws).await?;
    let pair = |claw: &Parsed<Agent>| (claw.id.shown(), claw.name.shown());
    Ok(items.iter().map(pair).collect())
}

/// The id of the agent that `wanted` names: an id, or a name that only one has.
pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<ClawId> {
    named::find(api, wanted, routes::claws).await
}
