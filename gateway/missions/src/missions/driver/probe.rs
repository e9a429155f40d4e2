//! A phase without teams: commands of Roost itself in the sandbox of the mission, and what follows from what they wrote.

use sea_orm::DbErr;
use serde_json::{Map, Value};

use super::begin::{Refused, begun, in_words};
use super::end::{Draft, Left};
use super::{Driver, branches};
use crate::artifacts::ArtifactKind;
use crate::benchmarks;
use crate::cards::{Counted, ToolUse};
use crate::findings::SECRETS_TOOL;
use crate::missions::entity::{mission, phase};
use crate::missions::facts::{Loaded, kind_of};
use crate::missions::input;
use crate::missions::model::{PhaseKind, PhaseStatus};
use crate::missions::store;
use crate::probes::{
    BenchmarkSettings, ScannedFiles, SecuritySettings, SecuritySide, scan_archive, security_reports,
};
use roost_connections::checkouts::{self, CheckoutError, RunRepo};
use roost_execution::runs::{
    self, CommandMade, NewRun, Origin, RunError, RunLimits, Tier, start_in,
};
use roost_execution::topology::{Attributes, Command, Graph, Kind, Node, NodeKind, Settings};
use roost_platform::ids::{RunId, fresh};
use roost_tenancy::change::Change;
use roost_web::error::ApiError;
use roost_web::json::Mistakes;

/// Most bytes of a commit that is scanned for secrets.
const MOST_SCANNED: u64 = 64 << 20;

impl Driver {
    /// Starts the run of the commands.
    pub(super) async fn start_probe(
        &self,
        change: &mut Change,
        loaded: &Loaded,
        phase: &phase::Model,
    ) -> Result<Result<(), Refused>, DbErr> {
        let (mission, kind) = (&loaded.mission, kind_of(phase));
        let Some(repo) = mission.repo_id else {
            let why = format!(
                "A {} needs a repository, and the mission has none.",
                kind.noun()
            );
            return Ok(Err(Refused(why)));
        };
        let asked = RunRepo {
            repo_id: Some(repo),
            upload_id: None,
            base: mission.base_ref.clone(),
        };
        let prepared = checkouts::prepare(&self.state.teams.checkouts, change, Some(asked)).await;
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(CheckoutError::Db(error)) => return Err(error),
            Err(error) => return Ok(Err(Refused(ApiError::from(error).detail_text()))),
        };
        let earlier = self.with_commits(change, loaded, phase).await?;
        let commands = commands(kind, mission);
        let mut text = input(kind, &commands);
        let before = self.branches_before(change.tx(), loaded, phase).await?;
        input::branches(&mut text, &branches::in_input(&before));
        let row = begun(phase, change.now(), text);
        store::replace_phase(change, &row).await?;
        let id: RunId = fresh(&self.state.ids);
        let new = NewRun {
            id,
            origin: Origin::MissionPhase {
                mission: self.id,
                phase: phase.id,
                pinned: mission.target_node_id.is_some(),
            },
            tier: Tier::Single,
            title: runs::titled(&mission.title, &format!("{} phase", kind.noun())),
            input: row.input.clone().unwrap_or_default(),
            graph: graph(kind, commands),
            team: None,
            agent: None,
            under: None,
            forked: None,
            ceiling: None,
            limits: RunLimits::default(),
        };
        let run = match start_in(&self.state.teams.runs, change, new).await {
            Ok(run) => run,
            Err(RunError::Db(error)) => return Err(error),
            Err(error) => return Ok(Err(Refused(in_words("Roost", error.into())))),
        };
        checkouts::bind_after(change, id, prepared, earlier).await?;
        let worker = (None, "Roost".to_owned());
        self.taken(change, loaded, &row, &run, worker).await
    }

    /// Reads what the commands of the phase wrote.
    pub(super) async fn left_by_probe(
        &self,
        loaded: &Loaded,
        phase: &phase::Model,
        left: &mut Left,
    ) -> Result<(), DbErr> {
        let Some(run) = loaded.runs_of(phase).next().map(|run| run.run_id) else {
            return Ok(());
        };
        let made = runs::commands_of(self.state.db.read(), self.scope, run).await?;
        let mission = &loaded.mission;
        let read = match kind_of(phase) {
            PhaseKind::Benchmark => {
                left.tooling.extend(benchmark_settings(mission).used(&made));
                benchmark(mission, &made)
            }
            PhaseKind::SecurityScan => {
                left.tooling = security_settings(mission).used(&made);
                self.security(mission, run, &made, &mut left.tooling)
                    .await?
            }
            PhaseKind::Research | PhaseKind::Coding => return Ok(()),
        };
        match read {
            Ok(found) => {
                let drafts = found.drafts.into_iter();
                left.drafts
                    .extend(drafts.map(|(kind, title, content)| Draft {
                        run,
                        kind,
                        title: title.to_owned(),
                        content: Ok(content),
                    }));
                left.counted = Some(found.counted);
                left.verdict = Some((found.status, found.reason));
            }
            Err(why) => left.verdict = Some((PhaseStatus::Failed, why)),
        }
        Ok(())
    }

    async fn security(
        &self,
        mission: &mission::Model,
        run: RunId,
        made: &[CommandMade],
        used: &mut Vec<ToolUse>,
    ) -> Result<Result<Read, String>, DbErr> {
        let mut found = match security_settings(mission).read(made) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let mut secrets = ToolUse::of_tool(SECRETS_TOOL);
        for (side, commit) in [
            (SecuritySide::Base, found.before.clone()),
            (SecuritySide::Branch, found.after.clone()),
        ] {
            let scanned = self.secrets(run, commit).await?;
            secrets.add(scanned.is_err());
            found.add_secrets(side, scanned);
        }
        used.push(secrets);
        let today = self.state.clock.now().date_naive();
        Ok(found.written(today).map(|written| {
            let findings = &written.findings;
            let (all, new) = (findings.counts.total(), findings.new.total());
            let counts: Vec<(String, u32)> = crate::findings::Severity::ALL
                .iter()
                .map(|severity| {
                    let count = findings.counts.of(*severity);
                    let count = u32::try_from(count).unwrap_or(u32::MAX);
                    (severity.as_str().to_owned(), count)
                })
                .collect();
            let reason = format!(
                "{} open, {new} of them new since the base commit; {} suppressed. {}",
                counted(all, "finding is", "findings are"),
                findings.suppressed.len(),
                security_reports(&findings.tools),
            );
            // The mission names a scanner because its report is needed.
            let (status, reason) = match written.lacking.as_slice() {
                [] => (PhaseStatus::Completed, reason),
                lacking => {
                    let lacking = lacking.join(" ");
                    let why = format!(
                        "A scanner that the mission names gave no report. {lacking} {reason}"
                    );
                    (PhaseStatus::Failed, why)
                }
            };
            Read {
                status,
                reason,
                counted: Counted::Security {
                    findings: counts.into_iter().collect(),
                },
                drafts: vec![
                    (
                        ArtifactKind::Security,
                        "Findings",
                        serde_json::to_string(findings).expect("texts and numbers encode"),
                    ),
                    (
                        ArtifactKind::Security,
                        "Findings as SARIF",
                        written.sarif.to_string(),
                    ),
                    (ArtifactKind::Markdown, "Security report", written.markdown),
                ],
            }
        }))
    }

    /// Scans a commit for secrets. The inner error says why that was not possible.
    async fn secrets(
        &self,
        run: RunId,
        commit: String,
    ) -> Result<Result<ScannedFiles, String>, DbErr> {
        let state = &self.state.teams.checkouts;
        let said = |error: CheckoutError| match error {
            CheckoutError::Db(error) => Err(error),
            error => Ok(Err(ApiError::from(error).detail_text())),
        };
        let files = checkouts::files_of(state, self.scope, run, commit, MOST_SCANNED).await;
        let mut files = match files {
            Ok(files) => files,
            Err(error) => return said(error),
        };
        let mut archive = Vec::new();
        loop {
            match files.piece().await {
                Ok(Some(piece)) => archive.extend_from_slice(&piece),
                Ok(None) => break,
                Err(error) => return said(error),
            }
        }
        let scanned = tokio::task::spawn_blocking(move || scan_archive(&archive[..])).await;
        Ok(match scanned {
            Ok(Ok(scanned)) => Ok(scanned),
            Ok(Err(error)) => Err(format!("The files of the commit cannot be read: {error}.")),
            Err(error) => Err(format!("The scan broke off: {error}.")),
        })
    }
}

/// What was read from the commands of a phase.
struct Read {
    status: PhaseStatus,
    reason: String,
    counted: Counted,
    drafts: Vec<(ArtifactKind, &'static str, String)>,
}

fn benchmark(mission: &mission::Model, made: &[CommandMade]) -> Result<Read, String> {
    let measured = benchmark_settings(mission).read(made)?;
    let comparison = &measured.comparison;
    let metrics = comparison.metrics();
    let mut report = benchmarks::markdown(comparison);
    for note in &measured.notes {
        report.push_str(&format!("\n- {note}"));
    }
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Ok(Read {
        status: PhaseStatus::Completed,
        reason: format!(
            "{} and {} in {}.",
            counted(metrics.improvements, "improvement", "improvements"),
            counted(metrics.regressions, "regression", "regressions"),
            counted(comparison.rows.len(), "benchmark", "benchmarks"),
        ),
        counted: Counted::Benchmark {
            regressions: number(metrics.regressions),
            improvements: number(metrics.improvements),
        },
        drafts: vec![
            (
                ArtifactKind::Benchmark,
                "Measurements",
                serde_json::to_string(&measured).expect("texts and finite numbers encode"),
            ),
            (ArtifactKind::Markdown, "Benchmark report", report),
        ],
    })
}

fn commands(kind: PhaseKind, mission: &mission::Model) -> Vec<Command> {
    match kind {
        PhaseKind::SecurityScan => security_settings(mission).commands(),
        _ => benchmark_settings(mission).commands(),
    }
}

fn benchmark_settings(mission: &mission::Model) -> BenchmarkSettings {
    BenchmarkSettings::of(&config_of(mission), &mut Mistakes::default())
}

fn security_settings(mission: &mission::Model) -> SecuritySettings {
    SecuritySettings::of(&config_of(mission), &mut Mistakes::default())
}

/// The config as it was given. It was checked when the mission was created.
fn config_of(mission: &mission::Model) -> Map<String, Value> {
    serde_json::from_str(&mission.config).unwrap_or_default()
}

/// What the phase does, for people.
fn input(kind: PhaseKind, commands: &[Command]) -> String {
    let mut text = format!(
        "Roost runs these commands in the sandbox of the mission. No agent works in a {}.\n",
        kind.noun()
    );
    for command in commands {
        text.push_str(&format!("\n- {}", command.name));
    }
    text
}

fn graph(kind: PhaseKind, commands: Vec<Command>) -> Graph {
    let label = match kind {
        PhaseKind::SecurityScan => "Security scan",
        _ => "Benchmark",
    };
    Graph {
        kind: Kind::Single,
        nodes: vec![Node {
            id: "commands".to_owned(),
            kind: NodeKind::Commands,
            label: label.to_owned(),
            role: None,
            seat: None,
            attributes: Attributes {
                commands,
                ..Attributes::default()
            },
        }],
        edges: Vec::new(),
        settings: Settings::default(),
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    }
}
