//! The JSON of missions.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::model::{
    PhaseKind, PhaseStatus, Reason, RuntimeKind, RuntimeState, Status, TemplateKind,
};
use super::plan;
use super::runtime;
use crate::artifacts::{ArtifactKind, ArtifactStatus};
use crate::cards::Card;
use crate::probes;
use crate::tasks::{Marker, TaskStatus};
use roost_execution::runs::{Outcome, RunStatus};
use roost_platform::ids::{
    ClawId, MissionArtifactId, MissionId, MissionPhaseId, MissionTaskId, NodeId, RepoId, RoutineId,
    RunId, TeamId, TemplateId,
};
use roost_tenancy::auth::UserBrief;
use roost_web::json::{Check, Mistakes};

/// The known keys of a mission's config, for the document of the API.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "it documents the keys; a config is kept as it was given"
)]
pub struct MissionConfig {
    pub phase_teams: Option<PhaseTeams>,
    /// The phases in order. Those of the template kind when it is absent.
    #[schema(min_items = 1, max_items = 20)]
    pub phases: Option<Vec<PhaseKind>>,
    pub benchmark: Option<BenchmarkConfig>,
    pub security: Option<SecurityConfig>,
    /// The image of the mission's own sandbox, in which benchmarks and scanners run. That of its coding team when it is
    /// absent.
    pub image: Option<String>,
    pub runtime: Option<RuntimeSettings>,
}

/// The runtime of a mission: an A2A server in the mission's own sandbox. The steps of its teams are executed through it.
#[derive(ToSchema)]
#[schema(as = MissionRuntimeSettings)]
#[expect(dead_code, reason = "as above")]
pub struct RuntimeSettings {
    /// The image of the mission's own sandbox, with the server in it: a name of the catalogue.
    pub image: String,
    /// A command for `/bin/sh` that starts the server.
    #[schema(max_length = 16384, default = "roost-runtime")]
    pub command: Option<String>,
    /// The port on the sandbox's loopback.
    #[schema(minimum = 1024, maximum = 65535, default = 42617)]
    pub port: Option<u16>,
    /// The path of its A2A endpoint. `{agent}` becomes the role of the step.
    #[schema(max_length = 200, default = "/")]
    pub path: Option<String>,
    /// A pattern with one group that finds the pairing code in what the server prints. `false`: it has no pairing.
    pub pairing: Option<RuntimePairing>,
}

/// How the pairing code of a runtime is found.
#[derive(ToSchema)]
#[schema(as = MissionRuntimePairing)]
#[serde(untagged)]
#[expect(dead_code, reason = "as above")]
pub enum RuntimePairing {
    Pattern(String),
    /// Only `false`.
    Wanted(bool),
}

/// How the benchmark phases of a mission measure.
#[derive(ToSchema)]
#[schema(as = MissionBenchmark)]
#[expect(dead_code, reason = "as above")]
pub struct BenchmarkConfig {
    /// A command for `/bin/sh` at the top of the repository. Roost looks for one when it is absent: the target `bench` of
    /// a Makefile, `cargo bench`, `go test -bench` or the script `bench` of a package.json. It may write files to
    /// `$ROOST_RESULTS`.
    #[schema(max_length = 4000)]
    pub command: Option<String>,
    /// How often the base and the branch are measured each.
    #[schema(minimum = 1, maximum = 20, default = 6)]
    pub iterations: Option<u32>,
    /// Seconds that one run of the command may take.
    #[schema(minimum = 1, maximum = 7200, default = 900)]
    pub deadline_s: Option<u64>,
}

/// What the security phases of a mission scan with, beside the scan for secrets.
#[derive(ToSchema)]
#[schema(as = MissionSecurity)]
#[expect(dead_code, reason = "as above")]
pub struct SecurityConfig {
    /// `bandit`, `semgrep`, `cargo_audit` and `cargo_deny`. The phase fails when one that is named gives no report. Each that the
    /// image has when it is absent.
    #[schema(max_items = 4)]
    pub scanners: Option<Vec<String>>,
    /// SARIF files of the repository's own tools, as paths in the checkout. Their findings join those of the scanners.
    #[schema(max_items = 20)]
    pub sarif: Option<Vec<String>>,
    /// Seconds that one scanner may take.
    #[schema(minimum = 1, maximum = 7200, default = 900)]
    pub deadline_s: Option<u64>,
}

/// The team templates of a mission, by the kind of their phases.
#[derive(ToSchema)]
#[schema(as = MissionPhaseTeams)]
#[expect(dead_code, reason = "as above")]
pub struct PhaseTeams {
    #[schema(max_items = 10)]
    pub research: Option<Vec<TemplateId>>,
    #[schema(max_items = 10)]
    pub coding: Option<Vec<TemplateId>>,
}

/// A new mission.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMission {
    pub template_kind: TemplateKind,
    /// The first line of the goal when it is absent.
    #[schema(min_length = 1, max_length = 200)]
    pub title: Option<String>,
    /// What the mission is for, in Markdown.
    #[schema(max_length = 20_000)]
    pub goal: Option<String>,
    /// `phase_teams` has lists of team-template ids under the keys `research` and `coding`. `phases` is a list of kinds, and
    /// replaces the phases of the template kind. Other keys are kept.
    #[schema(value_type = Option<MissionConfig>)]
    pub config: Option<Map<String, Value>>,
    /// One team template for all phases. `config.phase_teams` goes before it.
    pub team_template_id: Option<TemplateId>,
    /// The repository that the mission works on. A benchmark and a security scan need one.
    pub repo_id: Option<RepoId>,
    /// A branch of the repository or a whole commit id. Its default branch when it is absent.
    #[schema(max_length = 500)]
    pub base_ref: Option<String>,
    #[serde(default = "standard")]
    pub runtime_kind: RuntimeKind,
    /// The node for a `local_node` mission.
    pub target_node_id: Option<NodeId>,
    /// When a mission like this one begins: a cron expression in UTC, or the `schedule` of a routine. The mission stays a
    /// draft, and a routine is made from it. Each firing creates a mission from this request and launches it.
    #[schema(value_type = Option<Object>)]
    pub schedule: Option<Value>,
    /// The cost limit of the whole mission, in US dollars.
    #[schema(minimum = 0, maximum = 1_000_000)]
    pub budget_usd: Option<f64>,
    /// The model of all its agents (`<provider>/<model>`).
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
}

const fn standard() -> RuntimeKind {
    RuntimeKind::Standard
}

impl Check for NewMission {
    fn check(&self, mistakes: &mut Mistakes) {
        if let Some(title) = &self.title {
            mistakes.name("/title", title, 200);
        }
        if let Some(goal) = &self.goal {
            mistakes.text("/goal", goal, 0, 20_000);
        }
        if let Some(base) = &self.base_ref {
            mistakes.text("/base_ref", base, 1, 500);
        }
        if let Some(model) = &self.model {
            mistakes.text("/model", model, 1, 200);
        }
        let none = Map::new();
        let config = self.config.as_ref().unwrap_or(&none);
        if Value::Object(config.clone()).to_string().len() > MOST_CONFIG {
            mistakes.add("/config", format!("must be at most {MOST_CONFIG} bytes"));
        }
        plan::phases(self.template_kind, config, mistakes);
        plan::phase_teams(config, mistakes);
        probes::check_settings(config, mistakes);
        runtime::config::read(config, mistakes);
        if config.get("image").is_some_and(|image| !image.is_string()) {
            mistakes.add("/config/image", "must be the name of an image");
        }
        if self.runtime_kind == RuntimeKind::LocalNode && self.target_node_id.is_none() {
            mistakes.add(
                "/target_node_id",
                "must name the node of a local_node mission; `/api/nodes` lists the nodes",
            );
        }
        if self.runtime_kind == RuntimeKind::Standard && self.target_node_id.is_some() {
            mistakes.add("/target_node_id", "is only for the runtime kind local_node");
        }
        let in_range = |usd: f64| (0.0..=1e6).contains(&usd);
        if self.budget_usd.is_some_and(|usd| !in_range(usd)) {
            mistakes.add("/budget_usd", "must be from 0 to 1,000,000");
        }
    }
}

/// The maximum size of a config as JSON, in bytes.
const MOST_CONFIG: usize = 64_000;

/// A new status.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MissionStatusChange {
    /// `running` launches a draft and resumes a paused mission. `draft` and `completed` cannot be set.
    pub status: Status,
    /// For a launch: mint the teams although something is missing that their templates need.
    #[serde(default)]
    pub accept_lacks: bool,
}

impl Check for MissionStatusChange {
    fn check(&self, mistakes: &mut Mistakes) {
        if matches!(self.status, Status::Draft | Status::Completed) {
            mistakes.add("/status", "must be running, paused, failed or cancelled");
        }
    }
}

/// Filters for a list of missions.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MissionsQuery {
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u64>,
    pub cursor: Option<String>,
    pub status: Option<Status>,
    /// Only the mission that minted this team.
    pub team_id: Option<TeamId>,
}

/// A phase in a list of missions.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = MissionPhaseBrief)]
pub struct PhaseBrief {
    pub id: MissionPhaseId,
    /// Counts from 0.
    pub position: i32,
    pub kind: PhaseKind,
    pub status: PhaseStatus,
}

/// A mission.
#[derive(Debug, Serialize, ToSchema)]
pub struct Mission {
    pub id: MissionId,
    pub title: String,
    pub goal: String,
    pub template_kind: TemplateKind,
    /// The first team that was minted for it.
    pub team_id: Option<TeamId>,
    pub team_template_id: Option<TemplateId>,
    /// The routine that launched it. The routine may be gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routine_id: Option<RoutineId>,
    /// As it was given, with the `routine_id` of the routine that was made from it.
    #[schema(value_type = Option<Object>)]
    pub schedule: Option<Value>,
    pub status: Status,
    /// Why it is paused or failed.
    pub status_reason: Option<Reason>,
    /// The reason in words.
    pub status_detail: Option<String>,
    #[schema(value_type = Object)]
    pub config: Value,
    pub repo_id: Option<RepoId>,
    pub base_ref: Option<String>,
    pub runtime_kind: RuntimeKind,
    pub target_node_id: Option<NodeId>,
    pub runtime_container_name: Option<String>,
    pub runtime_endpoint: Option<String>,
    /// Its runtime. Absent when its config names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<MissionRuntimeStanding>,
    pub budget_usd: Option<f64>,
    pub model: Option<String>,
    pub phases: Vec<PhaseBrief>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserBrief>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub launched_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    /// What its runs and the narratives of its cards have cost, in millionths of a US dollar.
    pub cost_microusd: i64,
    pub version: i64,
}

/// How far the runtime of a mission is.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissionRuntimeStanding {
    /// Absent before it starts for the first time.
    pub state: Option<RuntimeState>,
    /// The state in words.
    pub detail: Option<String>,
}

/// A mission with its phases, tasks and artifacts.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissionDetail {
    #[serde(flatten)]
    pub mission: Mission,
    /// The teams that were minted for it, as `GET /api/missions/{id}/teams` has them.
    pub teams: Vec<MissionTeam>,
    /// The phases in order, with their runs.
    pub phase_details: Vec<MissionPhase>,
    /// In the order of their ids. A task that several phases work on has a row for each.
    pub tasks: Vec<MissionTask>,
    /// Oldest first, without their contents.
    pub artifacts: Vec<MissionArtifact>,
    /// The repository's full name. Absent when it was removed from the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo_full_name: Option<String>,
    /// The name of the target node, while the mission waits for it: it is not connected, or it takes no new work and the next
    /// phase has not begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for_node: Option<String>,
}

/// A phase.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissionPhase {
    pub id: MissionPhaseId,
    pub mission_id: MissionId,
    /// Counts from 0.
    pub position: i32,
    pub kind: PhaseKind,
    pub status: PhaseStatus,
    /// The attempt that runs or ran last, from 1. 0 before the first.
    pub attempt: i32,
    /// Why it ended so.
    pub reason: Option<String>,
    /// What its runs got.
    pub input: Option<String>,
    /// Tasks beyond the maximum of a phase, which were not recorded.
    pub dropped_tasks: i32,
    pub has_card: bool,
    /// Of all attempts.
    pub runs: Vec<MissionRun>,
    pub started_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// The run of a team in a phase, or of the commands of a benchmark or a security scan.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissionRun {
    pub run_id: RunId,
    pub attempt: i32,
    /// Absent for the commands of Roost itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    /// Absent when the team was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_name: Option<String>,
    /// Absent when the run was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<RunStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    pub is_paused: bool,
    /// What the run waits for. Absent while it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_on: Option<String>,
    /// The run was cancelled, and it still ends what it has begun.
    pub cancelling: bool,
    pub steps_done: i32,
    pub steps_most: i32,
    pub cost_microusd: i64,
    /// Absent when the run was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<DateTime<Utc>>,
}

/// A task.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissionTask {
    pub id: MissionTaskId,
    pub mission_id: MissionId,
    pub phase_id: MissionPhaseId,
    #[schema(pattern = "^INT-[0-9]{2,5}$")]
    pub external_id: String,
    pub title: String,
    pub body: String,
    pub status: TaskStatus,
    pub assigned_agent_id: Option<ClawId>,
    /// The markers that did not move the task, because it was further already.
    pub ignored_marks: i32,
    /// Oldest first.
    pub marks: Vec<MissionTaskMark>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// A marker that an agent wrote.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissionTaskMark {
    pub marker: Marker,
    pub run_id: RunId,
    pub step: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// Whether it moved the task.
    pub applied: bool,
    pub at: DateTime<Utc>,
}

/// What a phase left.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissionArtifact {
    pub id: MissionArtifactId,
    pub phase_id: Option<MissionPhaseId>,
    pub attempt: i32,
    pub kind: ArtifactKind,
    pub title: String,
    pub status: ArtifactStatus,
    /// Where the file of a ready PDF is downloaded.
    pub path: Option<String>,
    pub error: Option<String>,
    /// Of a PDF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pdf: Option<MissionPdf>,
    pub run_id: Option<RunId>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// What a PDF shows, and how large it is.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissionPdf {
    /// The Markdown artifact that it shows. Null: the report of the mission.
    pub source_id: Option<MissionArtifactId>,
    /// Null until it is ready.
    pub pages: Option<i32>,
    /// The size of its file. Null until it is ready.
    pub bytes: Option<i64>,
}

/// An artifact with its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissionArtifactText {
    #[serde(flatten)]
    pub artifact: MissionArtifact,
    /// The text of a ready artifact that is text.
    pub content: Option<String>,
}

/// A team of a mission.
#[derive(Debug, Serialize, ToSchema)]
pub struct MissionTeam {
    pub team_id: TeamId,
    pub purpose: PhaseKind,
    /// Absent when the team was deleted.
    pub team_name: Option<String>,
}

/// The summary card of a phase.
#[derive(Debug, Serialize, ToSchema)]
pub struct PhaseSummary {
    pub phase_id: MissionPhaseId,
    /// The attempt that it describes.
    pub attempt: i32,
    #[serde(flatten)]
    pub card: Card,
    /// The model that wrote the narrative. Absent when the gateway composed it from the facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrative_model: Option<String>,
    /// A model has to write the narrative still. Until then it is the gateway's.
    pub narrative_is_due: bool,
    /// Why no model wrote the narrative, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrative_error: Option<String>,
    pub created_at: DateTime<Utc>,
}
