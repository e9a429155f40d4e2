//! `roost mission create`: a mission from a goal, templates, a repository and a machine.

use std::process::ExitCode;

use crate::api::types::{
    MissionBenchmark, MissionConfig, MissionPhaseTeams, MissionRuntimeKind, MissionRuntimeSettings,
    MissionStatus, MissionTemplateKind, NewMission, TemplateId,
};
use crate::api::{Api, routes};
use crate::mission::{print, set};
use crate::{node, run_repo, team, template};

/// Create a mission as a draft
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  roost mission create \"Make the parser twice as fast\" --kind development --research codebase_research --coding rust_sdlc --repo acme/parser\n  roost mission create \"Read the papers\" --kind research --template papers_research --launch"
)]
pub struct Create {
    /// What the mission is for; `-` reads it from standard input
    goal: String,
    /// research, development, benchmark, security, full_cycle or custom
    #[arg(long, default_value = "development", value_name = "KIND")]
    kind: String,
    /// A phase in place of those of the kind: research, coding, benchmark or security_scan; may be repeated
    #[arg(long = "phase", value_name = "KIND")]
    phases: Vec<String>,
    /// The first line of the goal when it is absent
    #[arg(long)]
    title: Option<String>,
    /// A team template for research, by its key or id; may be repeated
    #[arg(long, value_name = "KEY")]
    research: Vec<String>,
    /// A team template for coding, by its key or id; may be repeated
    #[arg(long, value_name = "KEY")]
    coding: Vec<String>,
    /// One team template for all phases
    #[arg(long, value_name = "KEY", conflicts_with_all = ["research", "coding"])]
    template: Option<String>,
    /// The repository, by name or id, and the branch or commit that the mission begins at
    #[arg(long, value_name = "NAME[@BASE]")]
    repo: Option<String>,
    /// The command of the benchmark phases. Roost looks for one when it is absent
    #[arg(long, value_name = "COMMAND")]
    bench: Option<String>,
    /// The image of the sandbox in which benchmarks and scanners run. That of the coding team when it is absent
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// The image of the mission's own runtime, an A2A server: the steps of its teams go to it
    #[arg(long, value_name = "IMAGE")]
    runtime: Option<String>,
    /// The command that starts the server of the runtime. `roost-runtime` when it is absent
    #[arg(long, value_name = "COMMAND", requires = "runtime")]
    runtime_command: Option<String>,
    /// Work on this machine only. While it is away, the mission waits
    #[arg(long, value_name = "MACHINE")]
    node: Option<String>,
    /// The model of all its agents, as `provider/model`
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The most that the whole mission may cost, in US dollars
    #[arg(long, value_name = "USD")]
    budget: Option<f64>,
    /// Launch it at once
    #[arg(long)]
    launch: bool,
}

impl Create {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        let repo = run_repo::of_team(api, self.repo).await?;
        let (repo_id, base_ref) = repo.map(|repo| (repo.repo_id, repo.base)).unzip();
        let node = match &self.node {
            Some(name) => Some(node::find(api, name).await?),
            None => None,
        };
        let teams = MissionPhaseTeams {
            research: templates(api, &self.research).await?,
            coding: templates(api, &self.coding).await?,
        };
        let has_teams = teams.research.is_some() || teams.coding.is_some();
        let phases: Vec<_> = self.phases.into_iter().map(Into::into).collect();
        let config = MissionConfig {
            phase_teams: has_teams.then_some(teams),
            phases: (!phases.is_empty()).then_some(phases),
            benchmark: self.bench.map(|command| MissionBenchmark {
                command: Some(command),
            }),
            image: self.image,
            runtime: self.runtime.map(|image| MissionRuntimeSettings {
                image,
                command: self.runtime_command,
            }),
        };
        let has_config = config.phase_teams.is_some()
            || config.phases.is_some()
            || config.benchmark.is_some()
            || config.image.is_some()
            || config.runtime.is_some();
        let new = NewMission {
            template_kind: MissionTemplateKind::from(self.kind),
            title: self.title,
            goal: Some(team::goal_text(self.goal)?),
            config: has_config.then_some(config),
            team_template_id: match &self.template {
                Some(template) => Some(template::id(api, template).await?),
                None => None,
            },
            repo_id,
            base_ref: base_ref.flatten(),
            runtime_kind: node.is_some().then_some(MissionRuntimeKind::LocalNode),
            target_node_id: node,
            budget_usd: self.budget,
            model: self.model,
        };
        let made = api.ask(routes::create_mission(&new)).await?;
        if self.launch {
            print(
                api,
                &set(api, &made.id, MissionStatus::Running, false).await?,
            );
        } else {
            print(api, &made);
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn templates(api: &Api, keys: &[String]) -> anyhow::Result<Option<Vec<TemplateId>>> {
    let mut found = Vec::new();
    for key in keys {
        found.push(template::id(api, key).await?);
    }
    Ok((!found.is_empty()).then_some(found))
}
