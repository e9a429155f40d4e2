//! What the client reads of answers. Written from gateway/openapi.json by tests/types; do not change it by hand.

use serde::Deserialize;

use super::names::*;
use super::strings::Moment;

#[derive(Deserialize)]
pub struct ActorSnapshot {
    pub id: String,
    pub kind: String,
    pub state: ActorState,
    pub children: Vec<ActorSnapshot>,
}

#[derive(Deserialize)]
pub struct AgentRuntimeConfig {
    pub model: Option<String>,
    pub model_binding: Option<String>,
    pub record_profile: RiskProfile,
    pub record_bundles: Vec<ToolBundle>,
    pub effective_profile: RiskProfile,
    pub effective_bundles: Vec<ToolBundle>,
    pub effective_image: SandboxImage,
    pub team_id: Option<TeamId>,
}

#[derive(Deserialize)]
pub struct AnyWorkspace {
    pub id: WorkspaceId,
    pub name: String,
    pub plan: String,
    pub created_at: Moment,
}

#[derive(Deserialize)]
pub struct ApiSession {
    pub token: String,
    pub expires_at: Moment,
}

#[derive(Deserialize)]
pub struct AuditChain {
    pub end: Option<ChainEnd>,
}

#[derive(Deserialize)]
pub struct AuditEntry {
    pub actor: UserId,
    pub by: Option<UserBrief>,
    pub action: String,
    pub at: Moment,
}

#[derive(Deserialize)]
pub struct ChainEnd {
    pub position: i64,
    pub sha256: String,
}

#[derive(Deserialize)]
pub struct ChaosNow {
    pub allowed: bool,
    pub points: Vec<ChaosPoint>,
}

#[derive(Deserialize)]
pub struct ChaosPoint {
    pub name: String,
    pub passes: u64,
    pub place: String,
}

#[derive(Deserialize)]
pub struct Claw {
    pub id: ClawId,
    pub name: String,
    pub role: Option<String>,
    pub status: AgentState,
    pub managed_by: UserBrief,
    pub sandbox: Option<SandboxBrief>,
    pub created_at: Moment,
}

#[derive(Deserialize)]
pub struct DeviceCode {
    pub code: String,
    pub device_code: String,
    pub page: String,
    pub interval: u32,
    pub expires_in: i64,
}

#[derive(Deserialize)]
pub struct EngineInfo {
    pub name: String,
    pub version: String,
}

#[derive(Deserialize)]
pub struct ExecTaken {
    pub operation_id: OperationId,
}

#[derive(Deserialize)]
pub struct Explanation {
    pub actor: ActorSnapshot,
    pub does: String,
    pub why: Vec<String>,
    pub holds: Vec<String>,
    pub lost: Vec<String>,
    pub not_restartable: Option<String>,
}

#[derive(Deserialize)]
pub struct Fact {
    pub title: String,
    pub expected: String,
    pub actual: String,
    pub ok: bool,
}

#[derive(Deserialize)]
pub struct Fallback {
    pub wanted: NodeId,
    pub reason: FallbackReason,
}

#[derive(Default, Deserialize)]
pub struct FieldError {
    pub pointer: Option<String>,
    pub detail: Option<String>,
}

#[derive(Deserialize)]
pub struct FileChange {
    pub path: String,
    pub difference: Difference,
    pub bytes_before: Option<u64>,
    pub bytes_after: Option<u64>,
}

#[derive(Deserialize)]
pub struct FileChanges {
    pub changes: Vec<FileChange>,
    pub more: bool,
}

#[derive(Deserialize)]
pub struct FileEntry {
    pub name: String,
    pub kind: FileKind,
    pub bytes: Option<u64>,
    pub mode: String,
    pub modified_at: Moment,
    pub target: Option<String>,
}

#[derive(Deserialize)]
pub struct FileList {
    pub entries: Vec<FileEntry>,
    pub more: bool,
}

#[derive(Deserialize)]
pub struct Image {
    pub name: String,
    pub state: ImageState,
    pub size_bytes: Option<u64>,
    pub purpose: String,
    pub reference: String,
    pub digest: Option<String>,
    pub is_default: bool,
    pub remedy: Option<String>,
}

#[derive(Deserialize)]
pub struct ImageList {
    pub items: Vec<Image>,
}

#[derive(Deserialize)]
pub struct InstallLines {
    pub with_checksum: String,
}

#[derive(Deserialize)]
pub struct Limits {
    pub memory_bytes: Option<u64>,
    pub workspace_bytes: Option<u64>,
}

#[derive(Deserialize)]
pub struct Me {
    pub user: UserBrief,
    pub workspace: WorkspaceBrief,
    pub role: Role,
    pub operator: bool,
}

#[derive(Deserialize)]
pub struct Node {
    pub id: NodeId,
    pub name: String,
    pub hostname: Option<String>,
    pub status: NodeStatus,
    pub connection: NodeConnection,
    pub local_ip: Option<String>,
    pub os: Option<String>,
    pub arch: Option<String>,
    pub daemon_version: Option<String>,
    pub engine: Option<EngineInfo>,
    pub health: Option<NodeHealth>,
    pub image: ImageState,
    pub images: Vec<NodeImage>,
    pub labels: Vec<String>,
    pub problems: Vec<NodeProblem>,
    pub sandboxes: i32,
    pub created_at: Moment,
    pub last_seen_at: Option<Moment>,
}

#[derive(Deserialize)]
pub struct NodeHealth {
    pub cpu_pct: Option<f64>,
    pub memory_used_bytes: Option<u64>,
    pub memory_total_bytes: Option<u64>,
}

#[derive(Deserialize)]
pub struct NodeImage {
    pub fetch: Option<NodeImageFetch>,
    pub reference: String,
    pub state: ImageState,
}

#[derive(Deserialize)]
pub struct NodeImageFetch {
    pub done_bytes: u64,
    pub problem: Option<String>,
    pub total_bytes: u64,
}

#[derive(Deserialize)]
pub struct NodeProblem {
    pub detail: String,
}

#[derive(Deserialize)]
pub struct Paired {
    pub node: Node,
    pub join_code: String,
    pub command: String,
    pub install: InstallLines,
    pub expires_at: Moment,
}

#[derive(Default, Deserialize)]
pub struct Problem {
    pub title: Option<String>,
    pub detail: Option<String>,
    pub code: Option<String>,
    pub request_id: Option<String>,
    pub errors: Option<Vec<FieldError>>,
}

#[derive(Deserialize)]
pub struct PurgeStarted {}

#[derive(Deserialize)]
pub struct PutFiles {
    pub folder: String,
    pub bytes: u64,
}

#[derive(Deserialize)]
pub struct RestoredFrom {
    pub taken_at: Moment,
}

#[derive(Deserialize)]
pub struct Sandbox {
    pub id: SandboxId,
    pub state: SandboxState,
    pub node_name: String,
    pub image: String,
    pub container: Option<String>,
    pub detail: Option<String>,
    pub lease_until: Moment,
    pub limits: Limits,
    pub fallback: Option<Fallback>,
    pub hardening: Vec<Fact>,
    pub snapshot: Option<Snapshot>,
    pub restored_from: Option<RestoredFrom>,
    pub snapshot_problem: Option<String>,
}

#[derive(Deserialize)]
pub struct SandboxBrief {
    pub state: SandboxState,
    pub node_name: String,
}

#[derive(Deserialize)]
pub struct SandboxImage {
    pub kind: Option<String>,
    pub from: SandboxImageOrigin,
}

#[derive(Deserialize)]
pub struct SandboxLack {
    pub detail: String,
    pub remedy: String,
}

#[derive(Deserialize)]
pub struct Session {
    pub id: SessionId,
    pub kind: String,
    pub label: Option<String>,
    pub scopes: Option<Vec<String>>,
    pub last_seen_at: Moment,
    pub expires_at: Moment,
}

#[derive(Deserialize)]
pub struct SignedIn {
    pub token: String,
    pub user: UserBrief,
    pub workspace: WorkspaceBrief,
    pub role: Role,
    pub must_set_password: bool,
}

#[derive(Deserialize)]
pub struct Snapshot {
    pub id: SnapshotId,
    pub digest: String,
    pub files: u64,
    pub bytes: u64,
    pub taken_at: Moment,
    pub uploaded: bool,
}

#[derive(Deserialize)]
pub struct StdinTaken {}

#[derive(Deserialize)]
pub struct Team {
    pub id: TeamId,
    pub name: String,
    pub state: TeamState,
    pub topology: TopologyGraph,
    pub effective_profile: RiskProfile,
    pub effective_bundles: Vec<ToolBundle>,
    pub repo: Option<TeamRepository>,
    pub lifecycle: TeamLifecycle,
    pub model_binding: Option<String>,
    pub machine_id: Option<String>,
    pub effective_image: SandboxImage,
    pub shared_sandbox: bool,
    pub steps: TopologySteps,
    pub members: Vec<TeamMember>,
    pub created_at: Moment,
}

#[derive(Deserialize)]
pub struct TeamMember {
    pub node: String,
    pub slot: String,
    pub name: Option<String>,
    pub status: Option<AgentState>,
    pub agent_id: ClawId,
}

#[derive(Deserialize)]
pub struct TeamRepository {
    pub full_name: Option<String>,
    pub base: Option<String>,
}

#[derive(Deserialize)]
pub struct ToolInfo {
    pub tool: String,
    pub version: Option<String>,
}

#[derive(Deserialize)]
pub struct Tools {
    pub items: Vec<ToolInfo>,
}

#[derive(Deserialize)]
pub struct TopologyAttributes {
    pub agent: Option<String>,
}

#[derive(Deserialize)]
pub struct TopologyGraph {
    pub kind: TopologyKind,
    pub nodes: Vec<TopologyNode>,
}

#[derive(Deserialize)]
pub struct TopologyNode {
    pub id: String,
    pub label: Option<String>,
    pub attributes: Option<TopologyAttributes>,
}

#[derive(Deserialize)]
pub struct TopologySteps {
    pub least: u32,
    pub most: u32,
}

#[derive(Deserialize)]
pub struct TreeSnapshot {
    pub root: ActorSnapshot,
}

#[derive(Deserialize)]
pub struct Upload {
    pub id: UploadId,
    pub files: u64,
    pub bytes: u64,
}

#[derive(Deserialize)]
pub struct UploadBounds {
    pub archive_bytes: u64,
    pub unpacked_bytes: u64,
    pub files: u64,
    pub path_bytes: u64,
}

#[derive(Deserialize)]
pub struct UserBrief {
    pub id: UserId,
    pub email: String,
    pub name: String,
}

#[derive(Deserialize)]
pub struct VerifyCheck {
    pub level: VerifyLevel,
    pub title: String,
    pub detail: String,
}

#[derive(Deserialize)]
pub struct VerifyFact {
    pub title: String,
    pub expected: String,
    pub actual: String,
    pub ok: bool,
}

#[derive(Deserialize)]
pub struct VerifyReport {
    pub ok: bool,
    pub checks: Vec<VerifyCheck>,
    pub probe: Vec<VerifyFact>,
}

#[derive(Deserialize)]
pub struct Workspace {
    pub id: WorkspaceId,
    pub name: String,
    pub role: Option<Role>,
    pub plan: String,
    pub push_policy: PushPolicy,
    pub file_policy: FilePolicy,
    pub workflow_policy: WorkflowPolicy,
}

#[derive(Deserialize)]
pub struct WorkspaceBrief {
    pub id: WorkspaceId,
    pub name: String,
}
