//! `roost team`: teams of agents, and their runs.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};

use crate::api::types::{
    NewTeam, NewTeamRole, RiskProfile, RunTeam, Team as Whole, TeamChange, TeamId, TeamLifecycle,
    ToolBundle, TopologyKind,
};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::limits::Limits;
use crate::live::{Listing, Live};
use crate::named::{self, Kind, Named};
use crate::show::{self, Shown};
use crate::{node, run_repo, sandbox, team_show, template, watch};

/// Teams.
#[derive(Debug, clap::Subcommand)]
pub enum Team {
    /// Make a team: its agents, its topology, its seats
    #[command(
        after_help = "Examples:\n  roost team create \"Ledger\" --template rust_sdlc\n  roost team create \"Two\" --topology pipeline --role writer --role editor\n  roost team create \"Pair\" --topology pipeline --role coder --role tester --profile coding_readwrite --machine studio\n  roost team create \"Checked\" --topology single --role coder --check \"coder=make test\" --profile coding_readwrite"
    )]
    Create {
        name: String,
        /// A team template, by its key or id; see `roost template list`
        #[arg(long, value_name = "KEY")]
        template: Option<String>,
        /// single, pipeline, hub_spoke, hierarchical or star_moe
        #[arg(long, value_name = "KIND")]
        topology: Option<String>,
        /// A role by its slot; may be repeated, but for a `single`. Without any, those of the template
        #[arg(long = "role", value_name = "SLOT")]
        roles: Vec<String>,
        /// A command that the work of a role must pass, as `tester=cargo test`; may be repeated. It runs in the sandbox
        /// after the agent has handed over
        #[arg(long = "check", value_name = "SLOT=COMMAND", value_parser = check)]
        checks: Vec<(String, String)>,
        /// toolfree, research_readonly or coding_readwrite
        #[arg(long, value_name = "PROFILE")]
        profile: Option<String>,
        /// What its agents may use: skills, sandbox, repo or door; may be repeated. Without any, what the template says; without
        /// a template, what the profile is for
        #[arg(long = "bundle", value_name = "BUNDLE")]
        bundles: Vec<String>,
        /// The model of agents that have none of their own
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// Where its sandboxes are made: `local`, or a machine by its name or id; see `roost node list`. Without it, where the
        /// workspace's are
        #[arg(long, value_name = "MACHINE")]
        machine: Option<String>,
        /// Take the team down after its last run
        #[arg(long)]
        ephemeral: bool,
        /// The image of its sandboxes, in place of the template's; see `roost images`
        #[arg(long, value_name = "NAME")]
        image: Option<String>,
        /// The memory of each of its sandboxes, in MiB; the workspace gets half of it
        #[arg(long, value_name = "MIB")]
        memory: Option<u64>,
        /// The processors of each of its sandboxes, as 0.5
        #[arg(long)]
        cpus: Option<f64>,
        /// The repository of its runs, by name or id, and the branch or commit that they begin at
        #[arg(long, value_name = "NAME[@BASE]")]
        repo: Option<String>,
        /// Make the team although something is missing that its template needs; `roost template list` shows what
        #[arg(long)]
        accept_lacks: bool,
    },
    /// List teams
    List(Live),
    /// Show one team with its members, by id or name
    Show { team: String },
    /// Choose the image and the limits of a team's new sandboxes, in place of the template's, and whether its agents share
    /// one
    #[command(
        after_help = "With --shared, the next work begins in the other sandbox, with its own files. Sandboxes that are there stay.\n\nExamples:\n  roost team sandbox Ledger --image node --memory 2048 --cpus 2\n  roost team sandbox Ledger --shared false"
    )]
    Sandbox {
        team: String,
        /// Its image for new sandboxes; see `roost images`
        #[arg(long, value_name = "NAME")]
        image: Option<String>,
        /// Its memory limit for new sandboxes, in MiB; the workspace gets half of it. Without --cpus, a limit of
        /// processors is removed
        #[arg(long, value_name = "MIB")]
        memory: Option<u64>,
        /// Its processors for new sandboxes, as 0.5. Without --memory, a limit of memory is removed
        #[arg(long)]
        cpus: Option<f64>,
        /// `true`: its agents work in one sandbox, which belongs to the team. `false`: each has its own
        #[arg(long, value_name = "BOOL")]
        shared: Option<bool>,
    },
    /// Choose the repository of a team's runs. A run can still name another one, or none
    #[command(
        after_help = "Examples:\n  roost team repo Ledger acme/ledger\n  roost team repo Ledger acme/ledger@next\n  roost team repo Ledger --none"
    )]
    Repo {
        team: String,
        /// The repository by name or id, and the branch or commit that its runs begin at
        #[arg(value_name = "NAME[@BASE]", required_unless_present = "none")]
        repo: Option<String>,
        /// Without a repository, unless a run names one
        #[arg(long, conflicts_with = "repo")]
        none: bool,
    },
    /// `roost template list`
    #[command(hide = true)]
    Templates,
    /// Run a team on a goal, and watch it. Exits with 3 when the run completed and its goal was not met
    Run {
        team: String,
        /// The goal; `-` reads it from stdin
        goal: String,
        /// Only start it, and print the run's id
        #[arg(long)]
        detach: bool,
        /// The model of the agents in this run, as `provider/model`; see *Settings*, *Models* on the page
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
        #[command(flatten)]
        limits: Limits,
        /// The repository that the run works on, by name or id, and the branch or commit that it begins at. Without it, the
        /// team's
        #[arg(long, value_name = "NAME[@BASE]")]
        repo: Option<String>,
        /// Work without a repository, also when the team has one
        #[arg(long, conflicts_with_all = ["repo", "from"])]
        no_repo: bool,
        /// Files that the run works on: a folder of this machine, or a tar, tar.gz or zip archive. What .gitignore and
        /// .roostignore name stays here
        #[arg(long, value_name = "DIR", conflicts_with = "repo")]
        from: Option<PathBuf>,
        /// Approve what its agents ask to do outside, without asking
        #[arg(long, conflicts_with = "detach")]
        approve: bool,
    },
    /// Delete a team. Its agents stay, except with --with-agents
    Delete {
        team: String,
        /// Purge its agents as well
        #[arg(long)]
        with_agents: bool,
    },
}

/// Parses `SLOT=COMMAND`.
fn check(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((slot, command)) if !slot.is_empty() && !command.trim().is_empty() => {
            Ok((slot.to_owned(), command.to_owned()))
        }
        _ => Err("write the role and its command, as `tester=cargo test`".to_owned()),
    }
}

/// The roles with their checks.
fn with_checks(
    slots: Vec<String>,
    checks: Vec<(String, String)>,
) -> anyhow::Result<Vec<NewTeamRole>> {
    let role = |slot| NewTeamRole { slot, checks: None };
    let mut roles: Vec<NewTeamRole> = slots.into_iter().map(role).collect();
    for (slot, command) in checks {
        let role = roles.iter_mut().find(|role| role.slot == slot);
        let role = role.with_context(|| {
            format!("no role {slot:?} for its check: name each role of the team, as --role {slot}")
        })?;
        role.checks.get_or_insert_default().push(command);
    }
    Ok(roles)
}

impl Team {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Create {
                name,
                template,
                topology,
                roles,
                checks,
                profile,
                bundles,
                model,
                machine,
                ephemeral,
                image,
                memory,
                cpus,
                repo,
                accept_lacks,
            } => {
                let asked = bundles.into_iter().map(ToolBundle::from).collect();
                let profile = profile.map(RiskProfile::from);
                let bundles = tools_of(asked, template.is_some(), profile.as_ref());
                let template_id = match template {
                    Some(template) => Some(template::id(api, &template).await?),
                    None => None,
                };
                let machine_id = match machine {
                    Some(machine) if machine != "local" => {
                        Some(node::find(api, &machine).await?.to_string())
                    }
                    local => local,
                };
                let roles = with_checks(roles, checks)?;
                let new = NewTeam {
                    name,
                    template_id,
                    topology: topology.map(TopologyKind::from),
                    roles: (!roles.is_empty()).then_some(roles),
                    risk_profile: profile,
                    mcp_bundles: Some(bundles),
                    model_binding: model,
                    machine_id,
                    lifecycle: ephemeral.then_some(TeamLifecycle::Ephemeral),
                    image,
                    limits: sandbox::limits(memory, cpus),
                    repo: run_repo::of_team(api, repo).await?,
                    accept_lacks: accept_lacks.then_some(true),
                };
                team_show::print(api, &api.ask(routes::create_team(&new)).await?);
            }
            Self::List(live) => return live.show(api, async || list(api).await).await,
            Self::Show { team } => {
                let id = find(api, &team).await?;
                team_show::print(api, &api.ask(routes::team(&id)).await?);
            }
            Self::Sandbox {
                team,
                image,
                memory,
                cpus,
                shared,
            } => {
                let limits = sandbox::limits(memory, cpus);
                ensure!(
                    image.is_some() || limits.is_some() || shared.is_some(),
                    "name what changes: --image, --memory, --cpus or --shared"
                );
                let id = find(api, &team).await?;
                let change = TeamChange {
                    image,
                    limits,
                    repo: None,
                    shared_sandbox: shared,
                };
                team_show::print(api, &api.ask(routes::change_team(&id, &change)).await?);
            }
            Self::Repo { team, repo, none } => {
                let id = find(api, &team).await?;
                let repo = match none {
                    true => None,
                    false => run_repo::of_team(api, repo).await?,
                };
                let change = TeamChange {
                    image: None,
                    limits: None,
                    repo: Some(repo),
                    shared_sandbox: None,
                };
                team_show::print(api, &api.ask(routes::change_team(&id, &change)).await?);
            }
            Self::Templates => template::list(api, None).await?,
            Self::Run {
                team,
                goal,
                detach,
                model,
                limits,
                repo,
                no_repo,
                from,
                approve,
            } => {
                let id = find(api, &team).await?;
                let new = RunTeam {
                    input: goal_text(goal)?,
                    repo: match no_repo {
                        true => Some(None),
                        // Absent: the team's.
                        false => run_repo::asked(api, repo, from.as_deref()).await?.map(Some),
                    },
                    cost_ceiling_microusd: limits.microusd()?,
                    limits: limits.pace(),
                    model,
                };
                let run = api.ask(routes::run_team(&id, &new)).await?;
                if detach {
                    match api.json {
                        true => show::json(run.raw()),
                        false => println!("{}", run.id.shown()),
                    }
                    return Ok(ExitCode::SUCCESS);
                }
                return watch::watch(api, &run.id, approve.into()).await;
            }
            Self::Delete { team, with_agents } => {
                let id = find(api, &team).await?;
                api.ask(routes::delete_team(&id, Some(with_agents))).await?;
                println!("Deleted.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The bundles of a new team. A profile that lets agents use tools is of no use to a team without any.
fn tools_of(
    asked: Vec<ToolBundle>,
    of_template: bool,
    profile: Option<&RiskProfile>,
) -> Vec<ToolBundle> {
    match profile {
        Some(RiskProfile::ResearchReadonly | RiskProfile::CodingReadwrite)
            if asked.is_empty() && !of_template =>
        {
            vec![ToolBundle::Skills, ToolBundle::Sandbox, ToolBundle::Repo]
        }
        _ => asked,
    }
}

pub(super) fn goal_text(goal: String) -> anyhow::Result<String> {
    match goal.as_str() {
        "-" => Ok(std::io::read_to_string(std::io::stdin())?),
        _ => Ok(goal),
    }
}

async fn list(api: &Api) -> anyhow::Result<Listing> {
    let items = api.all(routes::teams).await?;
    let row = |team: &Parsed<Whole>| {
        vec![
            team.name.shown(),
            team.topology.kind.shown(),
            team.effective_profile.shown(),
            team.state.shown(),
            team.members.len().to_string(),
            named::short(&team.id),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    let head = ["NAME", "TOPOLOGY", "PROFILE", "STATE", "AGENTS", "ID"];
    Ok(Listing {
        text: show::columns(&head, &rows),
        json: raw_list(&items),
    })
}

impl Named for Whole {
    type Id = TeamId;

    const KIND: Kind = Kind {
        one: "team",
        many: "teams",
        list: "roost team list",
    };

    fn id(&self) -> &TeamId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.name == name
    }

    fn about(&self) -> Vec<String> {
        vec![
            named::made(&self.created_at),
            self.topology.kind.shown(),
            self.state.shown(),
        ]
    }
}

/// The id of the team that `wanted` names: an id, or a name that only one has.
pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<TeamId> {
    named::find(api, wanted, routes::teams).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_gets_the_tools_that_were_asked_for_or_that_its_profile_is_for() {
        let asked = || vec![ToolBundle::Skills];
        let profile = RiskProfile::CodingReadwrite;
        assert_eq!(tools_of(asked(), false, Some(&profile)), asked());
        assert_eq!(
            tools_of(Vec::new(), false, Some(&profile)),
            [ToolBundle::Skills, ToolBundle::Sandbox, ToolBundle::Repo]
        );
        for (of_template, profile) in [
            (true, Some(RiskProfile::CodingReadwrite)),
            (false, Some(RiskProfile::Toolfree)),
            (false, None),
        ] {
            assert!(tools_of(Vec::new(), of_template, profile.as_ref()).is_empty());
        }
    }
}
