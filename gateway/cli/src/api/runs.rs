//! What the client reads of runs, of what they ask for, of repositories, of commands, and of draining machines. Written from gateway/openapi.json by tests/types; do not change it by hand.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::answers::*;
use super::names::*;
use super::strings::Moment;

#[derive(Deserialize)]
pub struct CommandAgent {
    pub name: Option<String>,
}

#[derive(Deserialize)]
pub struct CommandOwner {
    pub kind: SandboxOwnerKind,
    pub name: Option<String>,
}

#[derive(Deserialize)]
pub struct Door {
    pub id: DoorId,
    pub agent_name: String,
    pub action: String,
    pub target: String,
    pub summary: String,
    pub address: String,
    pub state: DoorState,
    pub created_at: Moment,
    pub expires_at: Moment,
    pub result: Option<DoorResult>,
    pub run_id: Option<RunId>,
    pub words: Option<String>,
    pub branch: Option<OfferedBranch>,
    pub packages: Option<OfferedPackages>,
    pub allowed_by_setting: bool,
}

#[derive(Deserialize)]
pub struct DoorResult {
    pub url: Option<String>,
    pub message: Option<String>,
}

#[derive(Deserialize)]
pub struct DrainProgress {
    pub moves: bool,
    pub summary: String,
    pub sandboxes: Vec<DrainingSandbox>,
    pub unsaved: Vec<UnsavedFiles>,
    pub emptied_at: Option<Moment>,
}

#[derive(Deserialize)]
pub struct DrainingSandbox {
    pub owner_name: String,
    pub detail: String,
}

#[derive(Deserialize)]
pub struct FilesAt {
    pub digest: Option<String>,
    pub missing: Option<String>,
}

#[derive(Deserialize)]
pub struct OfferedBranch {
    pub run_id: RunId,
    pub branch: String,
    pub commit: String,
    pub commits: u64,
    pub files: u64,
    pub into: Option<String>,
}

#[derive(Deserialize)]
pub struct OfferedPackage {
    pub name: String,
    pub version: String,
}

#[derive(Deserialize)]
pub struct OfferedPackages {
    pub run_id: RunId,
    pub path: String,
    pub kind: String,
    pub sha256: String,
    pub bytes: u64,
    pub added: Vec<OfferedPackage>,
    pub changed: Vec<OfferedReplacement>,
    pub removed_count: u64,
    pub removed: Vec<OfferedPackage>,
    pub left_out_count: u64,
    pub left_out: Vec<RunLeftOut>,
}

#[derive(Deserialize)]
pub struct OfferedReplacement {
    pub name: String,
    pub from: String,
    pub to: String,
}

#[derive(Deserialize)]
pub struct Repo {
    pub id: RepoId,
    pub name: String,
    pub full_name: String,
    pub default_branch: Option<String>,
}

#[derive(Deserialize)]
pub struct RepoBranches {
    pub names: Vec<String>,
    pub more: bool,
}

#[derive(Deserialize)]
pub struct RepoConnection {
    pub id: RepoConnectionId,
    pub provider: RepoProvider,
    pub base_url: String,
    pub label: String,
    pub repos: u64,
    pub sync: RepoSyncState,
    pub last_synced_at: Option<Moment>,
    pub last_sync_error: Option<String>,
}

#[derive(Deserialize)]
pub struct Run {
    pub id: RunId,
    pub title: String,
    pub status: RunStatus,
    pub outcome: Option<RunOutcome>,
    pub outcome_reason: Option<String>,
    pub team_id: Option<TeamId>,
    pub input: String,
    pub error: Option<String>,
    pub waiting_on: Option<String>,
    pub waiting_since: Option<Moment>,
    pub created_at: Moment,
    pub cost_microusd: i64,
    pub steps_done: i32,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub repo_run_id: Option<RunId>,
    pub graph: TopologyGraph,
    pub steps: Vec<RunStep>,
    pub start_files: Vec<StartFiles>,
    pub result: Option<RunResult>,
    pub comparison: Option<RunComparison>,
}

#[derive(Deserialize)]
pub struct RunBranch {
    pub branch: String,
    pub commit: String,
    pub commits: u64,
    pub files: u64,
    pub newest: Vec<RunCommit>,
    pub changed: Vec<RunFile>,
    pub pushed_at: Option<Moment>,
    pub pull_url: Option<String>,
}

#[derive(Deserialize)]
pub struct RunCall {
    pub index: i32,
    pub kind: CallKind,
    pub name: String,
}

#[derive(Deserialize)]
pub struct RunCalls {}

#[derive(Deserialize)]
pub struct RunCheck {
    pub command: String,
    pub exit_code: Option<i32>,
}

#[derive(Deserialize)]
pub struct RunCommit {
    pub commit: String,
    pub author: String,
    pub subject: String,
}

#[derive(Deserialize)]
pub struct RunComparedCandidate {
    pub label: String,
    pub name: String,
    pub topology: Option<TopologyKind>,
    pub status: RunStatus,
    pub outcome: Option<RunOutcome>,
    pub steps: i32,
    pub took_ms: Option<i64>,
    pub tokens_in: i64,
    pub tokens_out: i64,
    pub cost_microusd: i64,
    pub output: Option<String>,
    pub error: Option<String>,
}

#[derive(Deserialize)]
pub struct RunComparison {
    pub candidates: Vec<RunComparedCandidate>,
    pub verdict: Option<RunVerdict>,
    pub no_verdict: Option<RunNoVerdict>,
}

#[derive(Deserialize)]
pub struct RunDiff {
    pub text: String,
    pub cut: bool,
}

#[derive(Deserialize)]
pub struct RunFile {
    pub path: String,
    pub added: Option<u64>,
    pub removed: Option<u64>,
}

#[derive(Deserialize)]
pub struct RunLeftOut {
    pub name: String,
    pub why: String,
}

#[derive(Deserialize)]
pub struct RunMessage {}

#[derive(Deserialize)]
pub struct RunNoVerdict {
    pub why: String,
}

#[derive(Deserialize)]
pub struct RunPushed {
    pub branch: String,
    pub commit: String,
    pub unchanged: bool,
}

#[derive(Deserialize)]
pub struct RunRepository {
    pub full_name: String,
    pub upload_id: Option<UploadId>,
    pub base: Option<String>,
    pub base_commit: Option<String>,
    pub branches: Vec<RunBranch>,
    pub supplies: Vec<RunSupplies>,
    pub steps: Vec<RunStepCommits>,
}

#[derive(Deserialize)]
pub struct RunResult {
    pub text: String,
}

#[derive(Deserialize)]
pub struct RunStep {
    pub key: String,
    pub lap: i32,
    pub status: RunStepStatus,
    pub purpose: String,
    pub started_at: Moment,
    pub ended_at: Option<Moment>,
    pub waiting_since: Option<Moment>,
    pub tokens_out: i64,
    pub cost_microusd: i64,
    pub checks: Vec<RunCheck>,
    pub error: Option<String>,
    pub files: Option<StepFiles>,
}

#[derive(Deserialize)]
pub struct RunStepCommits {
    pub step: String,
    pub uncommitted: u64,
    pub refused: Option<String>,
}

#[derive(Deserialize)]
pub struct RunSummary {
    pub id: RunId,
    pub title: String,
    pub kind: RunKind,
    pub status: RunStatus,
    pub outcome: Option<RunOutcome>,
    pub paused_at: Option<Moment>,
    pub waiting_on: Option<String>,
    pub cancelling: bool,
    pub team_id: Option<TeamId>,
    pub created_at: Moment,
    pub cost_microusd: i64,
    pub steps_done: i32,
    pub steps_most: i32,
}

#[derive(Deserialize)]
pub struct RunSupplies {
    pub path: String,
    pub state: String,
    pub wanted: u64,
    pub fetched: u64,
    pub stored: u64,
    pub left_out_count: u64,
    pub left_out: Vec<RunLeftOut>,
    pub why: Option<String>,
    pub approved: u64,
}

#[derive(Deserialize)]
pub struct RunVerdict {
    pub best: String,
    pub reason: String,
    pub scores: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
pub struct SandboxCommand {
    pub id: OperationId,
    pub owner: CommandOwner,
    pub state: OperationState,
    pub exit_code: Option<i32>,
    pub command: Option<String>,
    pub tool: Option<String>,
    pub user: Option<UserBrief>,
    pub agent: Option<CommandAgent>,
    pub created_at: Moment,
}

#[derive(Deserialize)]
pub struct StartFiles {
    pub digest: Option<String>,
    pub step: Option<String>,
}

#[derive(Deserialize)]
pub struct StepFiles {
    pub began: FilesAt,
    pub ended: Option<FilesAt>,
}

#[derive(Deserialize)]
pub struct UnsavedFiles {
    pub owner_name: String,
    pub taken_at: Moment,
}
