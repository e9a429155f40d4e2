//! The routes of the API that the client calls. Written from gateway/openapi.json by tests/types; do not change it by hand.

use http::Method;

use super::call::{Call, Nothing, Page, Stream, segment};
pub use super::mission_routes::*;
pub use super::run_routes::*;
pub use super::sandbox_routes::*;
use super::types::*;
pub use super::workspace_routes::*;

/// `POST /api/auth/login`
#[must_use]
pub fn login(body: &Login) -> Call<SignedIn> {
    let mut call = Call::new(Method::POST, "/api/auth/login".to_owned());
    call.body(body);
    call
}

/// `POST /api/auth/logout`
#[must_use]
pub fn logout() -> Call<Nothing> {
    Call::new(Method::POST, "/api/auth/logout".to_owned())
}

/// `GET /api/auth/me`
#[must_use]
pub fn me() -> Call<Me> {
    Call::new(Method::GET, "/api/auth/me".to_owned())
}

/// `POST /api/auth/device`
#[must_use]
pub fn begin_device(body: &NewDevice) -> Call<DeviceCode> {
    let mut call = Call::new(Method::POST, "/api/auth/device".to_owned());
    call.body(body);
    call
}

/// `POST /api/auth/device/token`
#[must_use]
pub fn device_token(body: &DeviceSecret) -> Call<Option<SignedIn>> {
    let mut call = Call::new(Method::POST, "/api/auth/device/token".to_owned());
    call.body(body);
    call
}

/// `GET /api/auth/sessions`
#[must_use]
pub fn sessions() -> Call<Page<Session>> {
    Call::new(Method::GET, "/api/auth/sessions".to_owned())
}

/// `POST /api/auth/sessions`
#[must_use]
pub fn create_session(body: &NewApiSession) -> Call<ApiSession> {
    let mut call = Call::new(Method::POST, "/api/auth/sessions".to_owned());
    call.body(body);
    call
}

/// `DELETE /api/auth/sessions/{id}`
#[must_use]
pub fn revoke_session(id: &SessionId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/auth/sessions/{}", segment(id)))
}

/// `PUT /api/auth/workspace`
#[must_use]
pub fn switch_workspace(body: &Switch) -> Call<Nothing> {
    let mut call = Call::new(Method::PUT, "/api/auth/workspace".to_owned());
    call.body(body);
    call
}

/// `GET /api/workspaces`
#[must_use]
pub fn workspaces() -> Call<Page<Workspace>> {
    Call::new(Method::GET, "/api/workspaces".to_owned())
}

/// `PATCH /api/workspaces/{id}`
#[must_use]
pub fn change_workspace(id: &WorkspaceId, body: &WorkspaceChange) -> Call<Workspace> {
    let mut call = Call::new(Method::PATCH, format!("/api/workspaces/{}", segment(id)));
    call.body(body);
    call
}

/// `GET /api/ops/workspaces`
#[must_use]
pub fn all_workspaces(name: Option<&str>, limit: Option<u64>, cursor: Option<&str>) -> Call<Page<AnyWorkspace>> {
    let mut call = Call::new(Method::GET, "/api/ops/workspaces".to_owned());
    call.query("name", name);
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `GET /api/audit`
#[must_use]
pub fn audit(action: Option<&str>, actor: Option<&UserId>, from: Option<&Moment>, until: Option<&Moment>, sort: Option<&str>, limit: Option<u64>) -> Call<Page<AuditEntry>> {
    let mut call = Call::new(Method::GET, "/api/audit".to_owned());
    call.query("action", action);
    call.query("actor", actor);
    call.query("from", from);
    call.query("until", until);
    call.query("sort", sort);
    call.query("limit", limit);
    call
}

/// `GET /api/audit/chain`
#[must_use]
pub fn chain() -> Call<AuditChain> {
    Call::new(Method::GET, "/api/audit/chain".to_owned())
}

/// `GET /api/claws`
#[must_use]
pub fn claws(limit: Option<u64>, cursor: Option<&str>) -> Call<Page<Claw>> {
    let mut call = Call::new(Method::GET, "/api/claws".to_owned());
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `POST /api/claws`
#[must_use]
pub fn create_claw(body: &NewClaw) -> Call<Claw> {
    let mut call = Call::new(Method::POST, "/api/claws".to_owned());
    call.body(body);
    call
}

/// `GET /api/claws/{id}`
#[must_use]
pub fn claw(id: &ClawId) -> Call<Claw> {
    Call::new(Method::GET, format!("/api/claws/{}", segment(id)))
}

/// `POST /api/claws/{id}/run`
#[must_use]
pub fn run_claw(id: &ClawId, body: &RunAgent) -> Call<RunSummary> {
    let mut call = Call::new(Method::POST, format!("/api/claws/{}/run", segment(id)));
    call.body(body);
    call
}

/// `GET /api/claws/{id}/runtime-config`
#[must_use]
pub fn runtime_config(id: &ClawId) -> Call<AgentRuntimeConfig> {
    Call::new(Method::GET, format!("/api/claws/{}/runtime-config", segment(id)))
}

/// `PATCH /api/claws/{id}/runtime-config`
#[must_use]
pub fn configure_claw(id: &ClawId, body: &AgentRuntimeConfigChange) -> Call<AgentRuntimeConfig> {
    let mut call = Call::new(Method::PATCH, format!("/api/claws/{}/runtime-config", segment(id)));
    call.body(body);
    call
}

/// `DELETE /api/claws/{id}`
#[must_use]
pub fn delete_claw(id: &ClawId, purge: Option<bool>) -> Call<Option<PurgeStarted>> {
    let mut call = Call::new(Method::DELETE, format!("/api/claws/{}", segment(id)));
    call.query("purge", purge);
    call
}

/// `GET /api/images`
#[must_use]
pub fn images() -> Call<ImageList> {
    Call::new(Method::GET, "/api/images".to_owned())
}

/// `GET /api/nodes`
#[must_use]
pub fn nodes(limit: Option<u64>, cursor: Option<&str>) -> Call<Page<Node>> {
    let mut call = Call::new(Method::GET, "/api/nodes".to_owned());
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `POST /api/nodes/pair`
#[must_use]
pub fn pair_node(body: &PairRequest) -> Call<Paired> {
    let mut call = Call::new(Method::POST, "/api/nodes/pair".to_owned());
    call.body(body);
    call
}

/// `GET /api/nodes/{id}`
#[must_use]
pub fn node(id: &NodeId) -> Call<Node> {
    Call::new(Method::GET, format!("/api/nodes/{}", segment(id)))
}

/// `PATCH /api/nodes/{id}`
#[must_use]
pub fn describe_node(id: &NodeId, body: &DescribeRequest) -> Call<Node> {
    let mut call = Call::new(Method::PATCH, format!("/api/nodes/{}", segment(id)));
    call.body(body);
    call
}

/// `DELETE /api/nodes/{id}`
#[must_use]
pub fn delete_node(id: &NodeId) -> Call<Nothing> {
    Call::new(Method::DELETE, format!("/api/nodes/{}", segment(id)))
}

/// `POST /api/nodes/{id}/drain`
#[must_use]
pub fn drain_node(id: &NodeId, body: &DrainRequest) -> Call<Node> {
    let mut call = Call::new(Method::POST, format!("/api/nodes/{}/drain", segment(id)));
    call.body(body);
    call
}

/// `POST /api/nodes/{id}/undrain`
#[must_use]
pub fn undrain_node(id: &NodeId) -> Call<Node> {
    Call::new(Method::POST, format!("/api/nodes/{}/undrain", segment(id)))
}

/// `GET /api/nodes/{id}/tools`
#[must_use]
pub fn node_tools(id: &NodeId) -> Call<Tools> {
    Call::new(Method::GET, format!("/api/nodes/{}/tools", segment(id)))
}

/// `POST /api/nodes/{id}/exec-test`
#[must_use]
pub fn verify_node(id: &NodeId) -> Call<VerifyReport> {
    Call::new(Method::POST, format!("/api/nodes/{}/exec-test", segment(id)))
}

/// `GET /api/teams`
#[must_use]
pub fn teams(limit: Option<u64>, cursor: Option<&str>) -> Call<Page<Team>> {
    let mut call = Call::new(Method::GET, "/api/teams".to_owned());
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `POST /api/teams`
#[must_use]
pub fn create_team(body: &NewTeam) -> Call<Team> {
    let mut call = Call::new(Method::POST, "/api/teams".to_owned());
    call.body(body);
    call
}

/// `GET /api/teams/{id}`
#[must_use]
pub fn team(id: &TeamId) -> Call<Team> {
    Call::new(Method::GET, format!("/api/teams/{}", segment(id)))
}

/// `PATCH /api/teams/{id}`
#[must_use]
pub fn change_team(id: &TeamId, body: &TeamChange) -> Call<Team> {
    let mut call = Call::new(Method::PATCH, format!("/api/teams/{}", segment(id)));
    call.body(body);
    call
}

/// `DELETE /api/teams/{id}`
#[must_use]
pub fn delete_team(id: &TeamId, with_agents: Option<bool>) -> Call<Nothing> {
    let mut call = Call::new(Method::DELETE, format!("/api/teams/{}", segment(id)));
    call.query("with_agents", with_agents);
    call
}

/// `POST /api/teams/{id}/run`
#[must_use]
pub fn run_team(id: &TeamId, body: &RunTeam) -> Call<RunSummary> {
    let mut call = Call::new(Method::POST, format!("/api/teams/{}/run", segment(id)));
    call.body(body);
    call
}

/// `GET /api/repos`
#[must_use]
pub fn repos(q: Option<&str>) -> Call<Vec<Repo>> {
    let mut call = Call::new(Method::GET, "/api/repos".to_owned());
    call.query("q", q);
    call
}

/// `GET /api/repos/{id}/branches`
#[must_use]
pub fn branches(id: &RepoId, q: Option<&str>) -> Call<RepoBranches> {
    let mut call = Call::new(Method::GET, format!("/api/repos/{}/branches", segment(id)));
    call.query("q", q);
    call
}

/// `GET /api/repos/connections`
#[must_use]
pub fn connections(limit: Option<u64>, cursor: Option<&str>) -> Call<Page<RepoConnection>> {
    let mut call = Call::new(Method::GET, "/api/repos/connections".to_owned());
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `POST /api/repos/connections`
#[must_use]
pub fn connect_code_host(body: &NewRepoConnection) -> Call<RepoConnection> {
    let mut call = Call::new(Method::POST, "/api/repos/connections".to_owned());
    call.body(body);
    call
}

/// `POST /api/repos/connections/{id}/sync`
#[must_use]
pub fn sync_code_host(id: &RepoConnectionId) -> Call<RepoConnection> {
    Call::new(Method::POST, format!("/api/repos/connections/{}/sync", segment(id)))
}

/// `GET /api/runs/{id}/repo`
#[must_use]
pub fn run_repo(id: &RunId) -> Call<RunRepository> {
    Call::new(Method::GET, format!("/api/runs/{}/repo", segment(id)))
}

/// `GET /api/runs/{id}/repo/diff`
#[must_use]
pub fn run_diff(id: &RunId, branch: Option<&str>, commit: Option<&str>) -> Call<RunDiff> {
    let mut call = Call::new(Method::GET, format!("/api/runs/{}/repo/diff", segment(id)));
    call.query("branch", branch);
    call.query("commit", commit);
    call
}

/// `GET /api/runs/{id}/repo/archive`
#[must_use]
pub fn run_archive(id: &RunId, branch: Option<&str>) -> Call<Nothing> {
    let mut call = Call::new(Method::GET, format!("/api/runs/{}/repo/archive", segment(id)));
    call.query("branch", branch);
    call
}

/// `GET /api/uploads/limits`
#[must_use]
pub fn upload_limits() -> Call<UploadBounds> {
    Call::new(Method::GET, "/api/uploads/limits".to_owned())
}

/// `POST /api/uploads`
#[must_use]
pub fn create_upload(name: Option<&str>) -> Call<Upload> {
    let mut call = Call::new(Method::POST, "/api/uploads".to_owned());
    call.query("name", name);
    call
}

/// `GET /api/doors`
#[must_use]
pub fn doors(state: Option<&str>, limit: Option<u64>, cursor: Option<&str>) -> Call<Page<Door>> {
    let mut call = Call::new(Method::GET, "/api/doors".to_owned());
    call.query("state", state);
    call.query("limit", limit);
    call.query("cursor", cursor);
    call
}

/// `GET /api/doors/{id}`
#[must_use]
pub fn door(id: &DoorId) -> Call<Door> {
    Call::new(Method::GET, format!("/api/doors/{}", segment(id)))
}

/// `POST /api/doors/{id}/resolve`
#[must_use]
pub fn resolve_door(id: &DoorId, body: &Resolution) -> Call<Door> {
    let mut call = Call::new(Method::POST, format!("/api/doors/{}/resolve", segment(id)));
    call.body(body);
    call
}

/// `POST /api/claws/{id}/level-up`
#[must_use]
pub fn level_up_claw(id: &ClawId) -> Call<LevelUpMade> {
    Call::new(Method::POST, format!("/api/claws/{}/level-up", segment(id)))
}

/// `POST /api/teams/{id}/level-up`
#[must_use]
pub fn level_up_team(id: &TeamId) -> Call<LevelUpMade> {
    Call::new(Method::POST, format!("/api/teams/{}/level-up", segment(id)))
}

/// `GET /api/level-up-proposals`
#[must_use]
pub fn level_ups(status: Option<&str>) -> Call<Vec<LevelUpProposalBrief>> {
    let mut call = Call::new(Method::GET, "/api/level-up-proposals".to_owned());
    call.query("status", status);
    call
}

/// `GET /api/level-up-proposals/{id}`
#[must_use]
pub fn level_up(id: &LevelUpId) -> Call<LevelUpProposal> {
    Call::new(Method::GET, format!("/api/level-up-proposals/{}", segment(id)))
}

/// `POST /api/level-up-proposals/{id}/apply`
#[must_use]
pub fn apply_level_up(id: &LevelUpId, body: &LevelUpApproval) -> Call<LevelUpProposal> {
    let mut call = Call::new(Method::POST, format!("/api/level-up-proposals/{}/apply", segment(id)));
    call.body(body);
    call
}

/// `POST /api/level-up-proposals/{id}/reject`
#[must_use]
pub fn reject_level_up(id: &LevelUpId) -> Call<LevelUpProposal> {
    Call::new(Method::POST, format!("/api/level-up-proposals/{}/reject", segment(id)))
}

/// `POST /api/runs/{id}/repo/push`
#[must_use]
pub fn push_run(id: &RunId, body: &PushRun) -> Call<RunPushed> {
    let mut call = Call::new(Method::POST, format!("/api/runs/{}/repo/push", segment(id)));
    call.body(body);
    call
}

/// `GET /api/events`
#[must_use]
pub fn events(types: Option<&str>, agent_id: Option<&ClawId>, last_event_id: Option<&str>, from: Option<&str>) -> Call<Stream<LiveEvents>> {
    let mut call = Call::new(Method::GET, "/api/events".to_owned());
    call.query("types", types);
    call.query("agent_id", agent_id);
    call.query("last_event_id", last_event_id);
    call.query("from", from);
    call
}

/// `GET /api/world/stream`
#[must_use]
pub fn world() -> Call<Stream<WorldEvents>> {
    Call::new(Method::GET, "/api/world/stream".to_owned())
}

/// `GET /api/ops/tree`
#[must_use]
pub fn tree(format: Option<&str>) -> Call<TreeSnapshot> {
    let mut call = Call::new(Method::GET, "/api/ops/tree".to_owned());
    call.query("format", format);
    call
}

/// `GET /api/ops/actors/{id}/explain`
#[must_use]
pub fn explain_actor(id: &str) -> Call<Explanation> {
    Call::new(Method::GET, format!("/api/ops/actors/{}/explain", segment(id)))
}

/// `POST /api/ops/actors/{id}/restart`
#[must_use]
pub fn restart_actor(id: &str) -> Call<Nothing> {
    Call::new(Method::POST, format!("/api/ops/actors/{}/restart", segment(id)))
}

/// `GET /api/ops/chaos`
#[must_use]
pub fn chaos() -> Call<ChaosNow> {
    Call::new(Method::GET, "/api/ops/chaos".to_owned())
}

/// `POST /api/ops/chaos`
#[must_use]
pub fn order_chaos(body: &ChaosOrder) -> Call<Nothing> {
    let mut call = Call::new(Method::POST, "/api/ops/chaos".to_owned());
    call.body(body);
    call
}

/// `DELETE /api/ops/chaos`
#[must_use]
pub fn disarm_chaos() -> Call<Nothing> {
    Call::new(Method::DELETE, "/api/ops/chaos".to_owned())
}
