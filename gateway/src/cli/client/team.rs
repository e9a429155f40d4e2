//! `roost team`: teams of agents, and their runs.

use std::process::ExitCode;

use anyhow::{bail, ensure};
use http::Method;
use serde_json::{Value, json};

use super::Api;
use super::show::{self, field};
use super::{claws, node, watch};

/// Teams.
#[derive(Debug, clap::Subcommand)]
pub enum Team {
    /// Make a team: its agents, its topology, its seats
    #[command(
        after_help = "Examples:\n  roost team create \"Ledger\" --template rust_sdlc\n  roost team create \"Two\" --topology pipeline --role writer --role editor\n  roost team create \"Pair\" --topology pipeline --role coder --role tester --profile coding_readwrite --machine studio"
    )]
    Create {
        name: String,
        /// A team template, by its key or id; see `roost team templates`
        #[arg(long, value_name = "KEY")]
        template: Option<String>,
        /// single, pipeline, hub_spoke, hierarchical or star_moe
        #[arg(long, value_name = "KIND")]
        topology: Option<String>,
        /// A role by its slot; may be repeated. Without any, those of the template
        #[arg(long = "role", value_name = "SLOT")]
        roles: Vec<String>,
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
    },
    /// List teams
    List,
    /// Show one team with its members, by id or name
    Show { team: String },
    /// List team templates
    Templates,
    /// Run a team on a goal, and watch it
    Run {
        team: String,
        /// The goal; `-` reads it from stdin
        goal: String,
        /// Only start it, and print the run's id
        #[arg(long)]
        detach: bool,
        /// The most that it may cost, in US dollars
        #[arg(long, value_name = "USD")]
        ceiling: Option<f64>,
    },
    /// Delete a team; its agents stay unless they shall go with it
    Delete {
        team: String,
        /// Purge its agents as well
        #[arg(long)]
        with_agents: bool,
    },
}

impl Team {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Create {
                name,
                template,
                topology,
                roles,
                profile,
                bundles,
                model,
                machine,
                ephemeral,
            } => {
                let mut body = json!({ "name": name });
                body["mcp_bundles"] =
                    tools_of(bundles, template.is_some(), profile.as_deref()).into();
                if let Some(template) = template {
                    body["template_id"] = template_id(api, &template).await?.into();
                }
                if !roles.is_empty() {
                    body["roles"] = roles.iter().map(|slot| json!({ "slot": slot })).collect();
                }
                for (key, value) in [
                    ("topology", topology),
                    ("risk_profile", profile),
                    ("model_binding", model),
                ] {
                    if let Some(value) = value {
                        body[key] = value.into();
                    }
                }
                if let Some(machine) = machine {
                    body["machine_id"] = match machine.as_str() {
                        "local" => machine,
                        _ => node::find(api, &machine).await?,
                    }
                    .into();
                }
                if ephemeral {
                    body["lifecycle"] = "ephemeral".into();
                }
                one(api, &api.post("/api/teams", &body).await?);
            }
            Self::List => {
                let items = claws::all_of(api, "/api/teams").await?;
                if api.json {
                    show::json(&json!(items));
                } else {
                    let row = |team: &Value| {
                        let mut row = ["name", "topology.kind", "effective_profile", "state"]
                            .map(|path| field(team, path))
                            .to_vec();
                        row.push(team["members"].as_array().map_or(0, Vec::len).to_string());
                        row.push(field(team, "id"));
                        row
                    };
                    let rows: Vec<_> = items.iter().map(row).collect();
                    show::table(
                        &["NAME", "TOPOLOGY", "PROFILE", "STATE", "AGENTS", "ID"],
                        &rows,
                    );
                }
            }
            Self::Show { team } => {
                let id = find(api, &team).await?;
                one(api, &api.get(&format!("/api/teams/{id}")).await?);
            }
            Self::Templates => {
                let items = claws::all_of(api, "/api/team-templates").await?;
                if api.json {
                    show::json(&json!(items));
                } else {
                    let row = |template: &Value| {
                        ["key", "default_topology", "risk_profile", "version", "name"]
                            .map(|path| field(template, path))
                            .to_vec()
                    };
                    let rows: Vec<_> = items.iter().map(row).collect();
                    show::table(&["KEY", "TOPOLOGY", "PROFILE", "VERSION", "NAME"], &rows);
                }
            }
            Self::Run {
                team,
                goal,
                detach,
                ceiling,
            } => {
                let id = find(api, &team).await?;
                let mut body = json!({ "input": goal_text(goal)? });
                if let Some(usd) = ceiling {
                    body["cost_ceiling_microusd"] = microusd(usd)?.into();
                }
                let run = api.post(&format!("/api/teams/{id}/run"), &body).await?;
                let run_id = field(&run, "id");
                if detach {
                    match api.json {
                        true => show::json(&run),
                        false => println!("{run_id}"),
                    }
                    return Ok(ExitCode::SUCCESS);
                }
                return watch::watch(api, &run_id).await;
            }
            Self::Delete { team, with_agents } => {
                let id = find(api, &team).await?;
                let path = format!("/api/teams/{id}?with_agents={with_agents}");
                api.call(Method::DELETE, &path, None).await?;
                println!("Deleted.");
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The bundles of a new team. A profile that lets agents use tools is of no use to a team without any.
fn tools_of(asked: Vec<String>, of_template: bool, profile: Option<&str>) -> Vec<String> {
    match profile {
        Some("research_readonly" | "coding_readwrite") if asked.is_empty() && !of_template => {
            ["skills", "sandbox", "repo"].map(str::to_owned).to_vec()
        }
        _ => asked,
    }
}

/// A ceiling in millionths.
pub(super) fn microusd(usd: f64) -> anyhow::Result<i64> {
    ensure!(
        (0.0..1e6).contains(&usd),
        "--ceiling must be 0 to 1,000,000 US dollars"
    );
    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
    let ceiling = (usd * 1e6).round() as i64;
    Ok(ceiling)
}

pub(super) fn goal_text(goal: String) -> anyhow::Result<String> {
    match goal.as_str() {
        "-" => Ok(std::io::read_to_string(std::io::stdin())?),
        _ => Ok(goal),
    }
}

fn one(api: &Api, team: &Value) {
    if api.json {
        return show::json(team);
    }
    for (label, path) in [
        ("name", "name"),
        ("id", "id"),
        ("state", "state"),
        ("topology", "topology.kind"),
        ("profile", "effective_profile"),
        ("lifecycle", "lifecycle"),
        ("model", "model_binding"),
        ("machine", "machine_id"),
    ] {
        println!("{label:<11} {}", field(team, path));
    }
    let tools = team["effective_bundles"].as_array();
    let tools = tools.into_iter().flatten().filter_map(Value::as_str);
    let tools: Vec<&str> = tools.collect();
    println!(
        "{:<11} {}",
        "tools",
        match tools.as_slice() {
            [] => "none".to_owned(),
            tools => tools.join(", "),
        }
    );
    println!(
        "{:<11} {} to {}",
        "steps",
        field(team, "steps.least"),
        field(team, "steps.most")
    );
    println!();
    let members = team["members"].as_array().cloned().unwrap_or_default();
    let row = |member: &Value| {
        ["node", "slot", "name", "status", "agent_id"]
            .map(|path| field(member, path))
            .to_vec()
    };
    let rows: Vec<_> = members.iter().map(row).collect();
    show::table(&["NODE", "SLOT", "AGENT", "STATUS", "ID"], &rows);
}

/// The id of a template by its key.
pub(super) async fn template_id(api: &Api, wanted: &str) -> anyhow::Result<String> {
    if uuid::Uuid::parse_str(wanted).is_ok() {
        return Ok(wanted.to_owned());
    }
    let items = claws::all_of(api, "/api/team-templates").await?;
    let found = items.iter().find(|template| template["key"] == wanted);
    match found.and_then(|template| template["id"].as_str()) {
        Some(id) => Ok(id.to_owned()),
        None => bail!("no team template has the key {wanted:?}; see `roost team templates`"),
    }
}

/// The id of the team that `wanted` names: an id, or a name that only one has.
pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<String> {
    if uuid::Uuid::parse_str(wanted).is_ok() {
        return Ok(wanted.to_owned());
    }
    let items = claws::all_of(api, "/api/teams").await?;
    let named: Vec<&str> = items
        .iter()
        .filter(|team| team["name"] == wanted)
        .filter_map(|team| team["id"].as_str())
        .collect();
    match named.as_slice() {
        [id] => Ok((*id).to_owned()),
        [] => bail!("no team is called {wanted:?}; see `roost team list`"),
        many => bail!(
            "{} teams are called {wanted:?}; name one by its id",
            many.len()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_gets_the_tools_that_were_asked_for_or_that_its_profile_is_for() {
        let asked = || vec!["skills".to_owned()];
        assert_eq!(tools_of(asked(), false, Some("coding_readwrite")), asked());
        assert_eq!(
            tools_of(Vec::new(), false, Some("coding_readwrite")),
            ["skills", "sandbox", "repo"]
        );
        for (of_template, profile) in [
            (true, Some("coding_readwrite")),
            (false, Some("toolfree")),
            (false, None),
        ] {
            assert!(tools_of(Vec::new(), of_template, profile).is_empty());
        }
    }
}
