//! What the client sends. Written from gateway/openapi.json by tests/types; do not change it by hand.

use std::collections::BTreeMap;

use serde::Serialize;
use super::names::*;

#[derive(Serialize)]
pub struct AgentRuntimeConfigChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_binding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk_profile: Option<RiskProfile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_bundles: Option<Vec<ToolBundle>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<NewLimits>,
}

#[derive(Serialize)]
pub struct ChaosOrder {
    pub point: String,
    pub action: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

#[derive(Serialize)]
pub struct ComparisonFiles {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<ComparisonFilesFrom>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lap: Option<u32>,
}

#[derive(Serialize)]
pub struct DescribeRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
}

#[derive(Serialize)]
pub struct DeviceSecret {
    pub device_code: String,
}

#[derive(Serialize)]
pub struct DrainRequest {
    #[serde(rename = "move")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<bool>,
}

#[derive(Serialize)]
pub struct ForkFrom {
    pub step: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lap: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_files: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<RunLimits>,
}

#[derive(Serialize)]
pub struct LevelUpApproval {
    pub approved_item_ids: Vec<String>,
}

#[derive(Serialize)]
pub struct Login {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

#[derive(Serialize)]
pub struct MissionBenchmark {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

#[derive(Serialize)]
pub struct MissionConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase_teams: Option<MissionPhaseTeams>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phases: Option<Vec<MissionPhaseKind>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<MissionBenchmark>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<MissionRuntimeSettings>,
}

#[derive(Serialize)]
pub struct MissionPhaseTeams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub research: Option<Vec<TemplateId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coding: Option<Vec<TemplateId>>,
}

#[derive(Serialize)]
pub struct MissionRuntimeSettings {
    pub image: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

#[derive(Serialize)]
pub struct MissionStatusChange {
    pub status: MissionStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept_lacks: Option<bool>,
}

#[derive(Serialize)]
pub struct NewApiSession {
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in_days: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
}

#[derive(Serialize)]
pub struct NewCandidate {
    pub team_id: TeamId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<TopologyKind>,
}

#[derive(Serialize)]
pub struct NewClaw {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
}

#[derive(Serialize)]
pub struct NewComparison {
    pub input: String,
    pub candidates: Vec<NewCandidate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_agent_id: Option<ClawId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<ComparisonFiles>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_ceiling_microusd: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<RunLimits>,
}

#[derive(Serialize)]
pub struct NewDevice {
    pub device: String,
}

#[derive(Serialize)]
pub struct NewExec {
    pub argv: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tty: Option<Tty>,
}

#[derive(Serialize)]
pub struct NewLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nano_cpus: Option<u64>,
}

#[derive(Serialize)]
pub struct NewMission {
    pub template_kind: MissionTemplateKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<MissionConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_template_id: Option<TemplateId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<RepoId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_ref: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_kind: Option<MissionRuntimeKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_node_id: Option<NodeId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

#[derive(Serialize)]
pub struct NewRepoConnection {
    pub provider: RepoProvider,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub token: String,
}

#[derive(Serialize)]
pub struct NewRoutine {
    pub name: String,
    pub schedule: RoutineSchedule,
    pub recipe: RoutineRecipe,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<RoutineMissed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<RoutineOverlap>,
}

#[derive(Serialize)]
pub struct NewRunMessage {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<ClawId>,
}

#[derive(Serialize)]
pub struct NewSandbox {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<NewLimits>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<SnapshotId>,
}

#[derive(Serialize)]
pub struct NewSkill {
    pub name: String,
    pub title: String,
    pub when_to_use: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    pub body: String,
}

#[derive(Serialize)]
pub struct NewTeam {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<TemplateId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<TopologyKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<NewTeamRole>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk_profile: Option<RiskProfile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_bundles: Option<Vec<ToolBundle>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<TeamRepo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_binding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<TeamLifecycle>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<NewLimits>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept_lacks: Option<bool>,
}

#[derive(Serialize)]
pub struct NewTeamRole {
    pub slot: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Vec<String>>,
}

#[derive(Serialize)]
pub struct PairRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[derive(Serialize)]
pub struct PushRun {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

#[derive(Serialize)]
pub struct Resolution {
    pub decision: Decision,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Serialize)]
pub struct RoutineChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

#[derive(Serialize)]
pub struct RoutineCron {
    pub expression: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

#[derive(Serialize)]
pub struct RoutineLoop {
    pub every_minutes: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
}

#[derive(Serialize)]
pub struct RoutineMissionRecipe {
    pub mission: NewMission,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept_lacks: Option<bool>,
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum RoutineRecipe {
    #[serde(rename = "team")]
    Team(RoutineTeamRecipe),
    #[serde(rename = "mission")]
    Mission(RoutineMissionRecipe),
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum RoutineSchedule {
    #[serde(rename = "cron")]
    Cron(RoutineCron),
    #[serde(rename = "loop")]
    Loop(RoutineLoop),
}

#[derive(Serialize)]
pub struct RoutineTeamRecipe {
    pub template_id: TemplateId,
    pub goal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept_lacks: Option<bool>,
}

#[derive(Serialize)]
pub struct RunAgent {
    pub input: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<RunRepo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_ceiling_microusd: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<RunLimits>,
}

#[derive(Serialize)]
pub struct RunLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_s: Option<u32>,
}

#[derive(Serialize)]
pub struct RunRepo {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<RepoId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upload_id: Option<UploadId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

#[derive(Serialize)]
pub struct RunTeam {
    pub input: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<Option<RunRepo>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_ceiling_microusd: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<RunLimits>,
}

#[derive(Serialize)]
pub struct Switch {
    pub workspace_id: WorkspaceId,
}

#[derive(Serialize)]
pub struct TeamChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<NewLimits>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<Option<TeamRepo>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_sandbox: Option<bool>,
}

#[derive(Serialize)]
pub struct TeamRepo {
    pub repo_id: RepoId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

#[derive(Serialize)]
pub struct TerminalSize {
    pub rows: u32,
    pub cols: u32,
}

#[derive(Serialize)]
#[serde(untagged)]
pub enum Tty {
    Bool(bool),
    TerminalSize(TerminalSize),
}

#[derive(Serialize)]
pub struct WorkspaceChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_policy: Option<PushPolicy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_policy: Option<FilePolicy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_policy: Option<WorkflowPolicy>,
}
