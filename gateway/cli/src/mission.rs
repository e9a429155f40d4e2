//! `roost mission`: missions from a goal to reviewed results.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::api::types::{
    Mission as Brief, MissionDetail, MissionId, MissionPhase, MissionPhaseId, MissionPhaseStatus,
    MissionStatus, MissionStatusChange,
};
use crate::api::{Api, Parsed, raw_list, routes};
use crate::live::{Listing, Live};
use crate::named::{self, Kind, Named};
use crate::show::{self, Shown};
use crate::{mission_create, mission_pdf, run};

/// Missions.
#[derive(Debug, clap::Subcommand)]
pub enum Mission {
    Create(Box<mission_create::Create>),
    /// List missions, newest first
    List(Live),
    /// Show one mission with its phases, tasks and artifacts, by id or title
    Show {
        mission: String,
    },
    /// Show what a launch would do now: the teams that it mints, where they work, and what is missing
    Plan {
        mission: String,
    },
    /// Launch a mission: mint its teams and begin its first phase
    Launch {
        mission: String,
        /// Mint teams although something is missing that their templates need
        #[arg(long)]
        accept_lacks: bool,
        /// Watch it until it ends or pauses
        #[arg(long)]
        watch: bool,
    },
    /// Watch a mission until it ends or pauses. Exits with 3 when it did not complete
    Watch {
        mission: String,
    },
    /// Pause a mission and its runs
    Pause {
        mission: String,
    },
    /// Resume a paused mission
    Resume {
        mission: String,
    },
    /// Cancel a mission and its runs
    Cancel {
        mission: String,
    },
    /// End a mission as failed
    Fail {
        mission: String,
    },
    /// Retry the phase that failed, from the files with which it began
    Retry {
        mission: String,
        /// Its number, from 1. The phase that failed when it is absent
        #[arg(long, value_name = "NUMBER")]
        phase: Option<usize>,
    },
    /// Skip a phase that failed or has not begun
    Skip {
        mission: String,
        /// Its number, from 1. The phase that failed when it is absent
        #[arg(long, value_name = "NUMBER")]
        phase: Option<usize>,
    },
    /// Write the report of a mission as Markdown or PDF: its goal, cards, tasks and artifacts
    Report {
        mission: String,
        /// The file; without it, the terminal
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Let the gateway make a PDF, and write it to this file
        #[arg(long, value_name = "FILE", conflicts_with = "out")]
        pdf: Option<PathBuf>,
    },
    /// Write the report and each artifact of a mission into a new or empty folder
    Export {
        mission: String,
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

impl Mission {
    pub(super) async fn run(self, api: &Api) -> anyhow::Result<ExitCode> {
        match self {
            Self::Create(create) => return create.run(api).await,
            Self::List(live) => return live.show(api, async || list(api).await).await,
            Self::Show { mission } => {
                let mission = api
                    .ask(routes::mission(&find(api, &mission).await?))
                    .await?;
                print(api, &mission);
            }
            Self::Plan { mission } => plan(api, &find(api, &mission).await?).await?,
            Self::Launch {
                mission,
                accept_lacks,
                watch,
            } => {
                let id = find(api, &mission).await?;
                let launched = set(api, &id, MissionStatus::Running, accept_lacks).await?;
                if watch {
                    return follow(api, &id).await;
                }
                print(api, &launched);
            }
            Self::Watch { mission } => return follow(api, &find(api, &mission).await?).await,
            Self::Pause { mission } => moved(api, &mission, MissionStatus::Paused).await?,
            Self::Resume { mission } => moved(api, &mission, MissionStatus::Running).await?,
            Self::Cancel { mission } => moved(api, &mission, MissionStatus::Cancelled).await?,
            Self::Fail { mission } => moved(api, &mission, MissionStatus::Failed).await?,
            Self::Retry { mission, phase } => {
                let (id, phase) = phase_of(api, &mission, phase).await?;
                print(api, &api.ask(routes::retry_phase(&id, &phase)).await?);
            }
            Self::Skip { mission, phase } => {
                let (id, phase) = phase_of(api, &mission, phase).await?;
                print(api, &api.ask(routes::skip_phase(&id, &phase)).await?);
            }
            Self::Report {
                mission,
                pdf: Some(file),
                ..
            } => mission_pdf::report(api, &find(api, &mission).await?, &file).await?,
            Self::Report { mission, out, .. } => {
                let id = find(api, &mission).await?;
                let text = api.text(routes::mission_report(&id)).await?;
                match out {
                    Some(file) => write(&file, &text)?,
                    None => print!("{}", cleaned(&text)),
                }
            }
            Self::Export { mission, folder } => export(api, &mission, &folder).await?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn list(api: &Api) -> anyhow::Result<Listing> {
    let items = api.all(routes::missions).await?;
    let row = |mission: &Parsed<Brief>| {
        let past = mission.phases.iter().filter(|phase| {
            matches!(
                phase.status,
                MissionPhaseStatus::Completed | MissionPhaseStatus::Skipped
            )
        });
        vec![
            show::relative(Some(&mission.created_at)),
            mission.title.shown(),
            mission.status.shown(),
            format!("{}/{}", past.count(), mission.phases.len()),
            named::short(&mission.id),
        ]
    };
    let rows: Vec<_> = items.iter().map(row).collect();
    Ok(Listing {
        text: show::columns(&["CREATED", "TITLE", "STATUS", "PHASES", "ID"], &rows),
        json: raw_list(&items),
    })
}

async fn plan(api: &Api, id: &MissionId) -> anyhow::Result<()> {
    let plan = api.ask(routes::launch_plan(id)).await?;
    if api.json {
        show::json(plan.raw());
        return Ok(());
    }
    for team in &plan.teams {
        let roles: Vec<String> = team.roles.iter().map(Shown::shown).collect();
        println!(
            "{}: {} ({})",
            team.purpose.shown(),
            team.name.shown(),
            roles.join(", ")
        );
    }
    println!("{} new agents. {}", plan.agents, plan.place.shown());
    if let Some(probes) = &plan.probes {
        println!("Benchmarks and scans: image {}", probes.image.shown());
        if !probes.scanners.is_empty() {
            let scanners: Vec<String> = probes.scanners.iter().map(Shown::shown).collect();
            println!("Scans with: {}", scanners.join(", "));
        }
        for lack in &probes.lacks {
            println!("missing: {}", lack.shown());
        }
    }
    for lack in &plan.lacks {
        println!(
            "lacks: {} Launch with --accept-lacks to go on.",
            lack.shown()
        );
    }
    for blocker in &plan.blockers {
        println!("cannot launch: {}", blocker.shown());
    }
    Ok(())
}

pub(super) async fn set(
    api: &Api,
    id: &MissionId,
    status: MissionStatus,
    accept_lacks: bool,
) -> anyhow::Result<Parsed<MissionDetail>> {
    let change = MissionStatusChange {
        status,
        accept_lacks: accept_lacks.then_some(true),
    };
    api.ask(routes::set_mission_status(id, &change)).await
}

async fn moved(api: &Api, mission: &str, status: MissionStatus) -> anyhow::Result<()> {
    let id = find(api, mission).await?;
    print(api, &set(api, &id, status, false).await?);
    Ok(())
}

/// The phase with this number, else the one that failed.
async fn phase_of(
    api: &Api,
    mission: &str,
    number: Option<usize>,
) -> anyhow::Result<(MissionId, MissionPhaseId)> {
    let id = find(api, mission).await?;
    let mission = api.ask(routes::mission(&id)).await?;
    let phases = &mission.phase_details;
    let phase = match number {
        Some(number) => number.checked_sub(1).and_then(|place| phases.get(place)),
        None => phases
            .iter()
            .find(|phase| phase.status == MissionPhaseStatus::Failed),
    };
    let Some(phase) = phase else {
        match number {
            Some(_) => bail!("the mission has {} phases; name one of them", phases.len()),
            None => bail!("no phase of the mission failed; name one with --phase"),
        }
    };
    Ok((id, phase.id.clone()))
}

/// Prints each change until the mission ends or pauses.
async fn follow(api: &Api, id: &MissionId) -> anyhow::Result<ExitCode> {
    let mut last: Vec<String> = Vec::new();
    loop {
        let now = api.ask(routes::mission(id)).await?;
        let lines = lines(&now);
        if !api.json {
            for line in lines.iter().filter(|line| !last.contains(line)) {
                println!("{line}");
            }
        }
        last = lines;
        let ended = !matches!(now.status, MissionStatus::Running | MissionStatus::Draft);
        if ended {
            if api.json {
                show::json(now.raw());
            } else {
                println!("{}", state(&now));
            }
            return Ok(match now.status {
                MissionStatus::Completed => ExitCode::SUCCESS,
                _ => ExitCode::from(NOT_MET),
            });
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// The exit code of a mission that did not complete, as for a run whose goal was not met.
const NOT_MET: u8 = 3;
/// How often a watched mission is read.
const EVERY: Duration = Duration::from_secs(1);

/// What there is to say about a mission, one line for each phase, run and task.
fn lines(mission: &MissionDetail) -> Vec<String> {
    let mut lines = Vec::new();
    for phase in &mission.phase_details {
        lines.push(phase_line(phase));
        for run in phase.runs.iter().filter(|run| run.attempt == phase.attempt) {
            let state = run
                .status
                .as_ref()
                .map(|status| run::state(status, run.outcome.as_ref()));
            lines.push(format!(
                "   run of {}: {} ({}/{} steps)  {}",
                run.team_name
                    .as_ref()
                    .map_or_else(|| "commands of Roost".to_owned(), Shown::shown),
                state.unwrap_or_else(|| "deleted".to_owned()),
                run.steps_done,
                run.steps_most,
                run.run_id.shown()
            ));
        }
        let tasks = mission
            .tasks
            .iter()
            .filter(|task| task.phase_id == phase.id);
        for task in tasks {
            let mut line = format!("   {} {}", task.external_id.shown(), task.status.shown());
            // A task without a text has its id for a title.
            if task.title != task.external_id {
                line.push_str(&format!(": {}", task.title.shown()));
            }
            lines.push(line);
        }
    }
    if let Some(node) = &mission.waits_for_node {
        lines.push(format!("waits for the machine {}", node.shown()));
    }
    if let Some(runtime) = &mission.runtime {
        let state = match &runtime.state {
            Some(state) => state.shown(),
            None => "not started".to_owned(),
        };
        lines.push(match &runtime.detail {
            Some(detail) => format!("runtime {state}: {}", detail.shown()),
            None => format!("runtime {state}"),
        });
    }
    lines
}

fn phase_line(phase: &MissionPhase) -> String {
    let mut line = format!(
        "{}. {}: {}",
        phase.position + 1,
        phase.kind.shown(),
        phase.status.shown()
    );
    if phase.attempt > 1 {
        line.push_str(&format!(" (attempt {})", phase.attempt));
    }
    // A phase that begins again keeps the reason for its agents.
    let ended = !matches!(
        phase.status,
        MissionPhaseStatus::Pending | MissionPhaseStatus::Running
    );
    if let Some(reason) = phase.reason.as_ref().filter(|_| ended) {
        line.push_str(&format!("  {}", reason.shown()));
    }
    line
}

fn state(mission: &MissionDetail) -> String {
    match &mission.status_detail {
        Some(detail) => format!("{}: {}", mission.status.shown(), detail.shown()),
        None => mission.status.shown(),
    }
}

pub(super) fn print(api: &Api, mission: &Parsed<MissionDetail>) {
    if api.json {
        show::json(mission.raw());
        return;
    }
    println!("{}  {}", mission.title.shown(), mission.id.shown());
    println!("{}", state(mission));
    if let Some(repo) = &mission.repo_full_name {
        println!("repository {}", repo.shown());
    }
    if mission.cost_microusd > 0 {
        println!("cost {}", run::cost(mission.cost_microusd));
    }
    for line in lines(mission) {
        println!("{line}");
    }
    for artifact in &mission.artifacts {
        let error = match &artifact.error {
            Some(error) => format!("  {}", error.shown()),
            None => String::new(),
        };
        println!(
            "{} {}: {}{error}",
            artifact.kind.shown(),
            artifact.status.shown(),
            artifact.title.shown()
        );
    }
}

/// Writes the report and the artifacts.
async fn export(api: &Api, mission: &str, folder: &Path) -> anyhow::Result<()> {
    let id = find(api, mission).await?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let mut there =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    if there.next().is_some() {
        bail!("{} is not empty; name a new folder", folder.display());
    }
    let mission = api.ask(routes::mission(&id)).await?;
    let report = api.text(routes::mission_report(&id)).await?;
    write(&folder.join("report.md"), &report)?;
    let ready = mission
        .artifacts
        .iter()
        .filter(|artifact| artifact.status.shown() == "ready");
    for (artifact, number) in ready.zip(1..) {
        let end = match artifact.kind.shown().as_str() {
            "markdown" => "md".to_owned(),
            "benchmark" | "security" => "json".to_owned(),
            kind => kind.to_owned(),
        };
        let file = folder.join(format!("{number:02}-{}.{end}", artifact.kind.shown()));
        mission_pdf::save(api, routes::artifact_content(&id, &artifact.id), &file).await?;
    }
    println!("Wrote {}.", folder.display());
    Ok(())
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// A text of agents for the terminal: without control characters, line by line.
fn cleaned(text: &str) -> String {
    text.lines().map(|line| show::clean(line) + "\n").collect()
}

/// The id of a mission by its title or id.
pub(super) async fn find(api: &Api, wanted: &str) -> anyhow::Result<MissionId> {
    named::find(api, wanted, routes::missions).await
}

impl Named for Brief {
    type Id = MissionId;

    const KIND: Kind = Kind {
        one: "mission",
        many: "missions",
        list: "roost mission list",
    };

    fn id(&self) -> &MissionId {
        &self.id
    }

    fn is_called(&self, name: &str) -> bool {
        self.title == name
    }

    fn about(&self) -> Vec<String> {
        vec![named::made(&self.created_at), self.status.shown()]
    }
}
