//! The routes of the API that the client calls. A new command adds its lines here and writes the files anew (see
//! `main.rs`).

/// A route. Its path, body and answer come from the document.
pub struct Route {
    /// The function that makes the call.
    pub name: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    /// The parameters of the query that the client sets.
    pub query: &'static [&'static str],
    /// Which answer the client gets, where the document has several.
    pub answer: Option<&'static str>,
}

const fn route(
    name: &'static str,
    method: &'static str,
    path: &'static str,
    query: &'static [&'static str],
) -> Route {
    Route {
        name,
        method,
        path,
        query,
        answer: None,
    }
}

const SANDBOX: &str = "/api/claws/{id}/sandbox";
const EXEC: &str = "/api/claws/{id}/sandbox/exec";
const SNAPSHOTS: &str = "/api/claws/{id}/snapshots";
const SNAPSHOT_FILES: &str = "/api/claws/{id}/snapshots/{snapshot}/files";
const SNAPSHOT_FILE: &str = "/api/claws/{id}/snapshots/{snapshot}/file";
const SNAPSHOT_DIFF: &str = "/api/claws/{id}/snapshots/{snapshot}/diff";
const ONE_EXEC: &str = "/api/claws/{id}/sandbox/exec/{operation_id}";

pub const ROUTES: &[Route] = &[
    route("missions", "get", "/api/missions", &["limit", "cursor"]),
    route("create_mission", "post", "/api/missions", &[]),
    route("mission", "get", "/api/missions/{id}", &[]),
    route("launch_plan", "get", "/api/missions/{id}/launch-plan", &[]),
    route(
        "set_mission_status",
        "post",
        "/api/missions/{id}/status",
        &[],
    ),
    route(
        "retry_phase",
        "post",
        "/api/missions/{id}/phases/{phase_id}/retry",
        &[],
    ),
    route(
        "skip_phase",
        "post",
        "/api/missions/{id}/phases/{phase_id}/skip",
        &[],
    ),
    route("mission_report", "get", "/api/missions/{id}/report", &[]),
    route(
        "artifact_content",
        "get",
        "/api/missions/{id}/artifacts/{artifact_id}/content",
        &[],
    ),
    route("snapshots", "get", SNAPSHOTS, &["limit", "cursor"]),
    route("snapshot_files", "get", SNAPSHOT_FILES, &["path"]),
    route("snapshot_file", "get", SNAPSHOT_FILE, &["path"]),
    route("snapshot_diff", "get", SNAPSHOT_DIFF, &["before"]),
    route("login", "post", "/api/auth/login", &[]),
    route("logout", "post", "/api/auth/logout", &[]),
    route("me", "get", "/api/auth/me", &[]),
    route("begin_device", "post", "/api/auth/device", &[]),
    route("device_token", "post", "/api/auth/device/token", &[]),
    route("sessions", "get", "/api/auth/sessions", &[]),
    route("create_session", "post", "/api/auth/sessions", &[]),
    route("revoke_session", "delete", "/api/auth/sessions/{id}", &[]),
    route("switch_workspace", "put", "/api/auth/workspace", &[]),
    route("workspaces", "get", "/api/workspaces", &[]),
    route("change_workspace", "patch", "/api/workspaces/{id}", &[]),
    route(
        "all_workspaces",
        "get",
        "/api/ops/workspaces",
        &["name", "limit", "cursor"],
    ),
    route("plans", "get", "/api/ops/plans", &[]),
    route("audit", "get", "/api/audit", &["action", "limit"]),
    route("claws", "get", "/api/claws", &["limit", "cursor"]),
    route("create_claw", "post", "/api/claws", &[]),
    route("claw", "get", "/api/claws/{id}", &[]),
    route("run_claw", "post", "/api/claws/{id}/run", &[]),
    route(
        "runtime_config",
        "get",
        "/api/claws/{id}/runtime-config",
        &[],
    ),
    route(
        "configure_claw",
        "patch",
        "/api/claws/{id}/runtime-config",
        &[],
    ),
    route("delete_claw", "delete", "/api/claws/{id}", &["purge"]),
    route("images", "get", "/api/images", &[]),
    route("sandbox", "get", SANDBOX, &[]),
    route("provision_sandbox", "post", SANDBOX, &[]),
    route("destroy_sandbox", "delete", SANDBOX, &[]),
    Route {
        answer: Some("ExecTaken"),
        ..route("exec", "post", EXEC, &[])
    },
    route(
        "sandbox_commands",
        "get",
        "/api/claws/{id}/sandbox/commands",
        &["limit", "failed", "running", "q"],
    ),
    route("exec_output", "get", ONE_EXEC, &["offset"]),
    route("cancel_exec", "delete", ONE_EXEC, &[]),
    route(
        "exec_stdin",
        "post",
        "/api/claws/{id}/sandbox/exec/{operation_id}/stdin",
        &["offset", "eof"],
    ),
    route(
        "resize_exec",
        "post",
        "/api/claws/{id}/sandbox/exec/{operation_id}/resize",
        &[],
    ),
    route("nodes", "get", "/api/nodes", &["limit", "cursor"]),
    route("pair_node", "post", "/api/nodes/pair", &[]),
    route("node", "get", "/api/nodes/{id}", &[]),
    route("describe_node", "patch", "/api/nodes/{id}", &[]),
    route("delete_node", "delete", "/api/nodes/{id}", &[]),
    route("drain_node", "post", "/api/nodes/{id}/drain", &[]),
    route(
        "drain_progress",
        "get",
        "/api/nodes/{id}/drain-progress",
        &[],
    ),
    route("undrain_node", "post", "/api/nodes/{id}/undrain", &[]),
    route("node_tools", "get", "/api/nodes/{id}/tools", &[]),
    route("verify_node", "post", "/api/nodes/{id}/exec-test", &[]),
    route("teams", "get", "/api/teams", &["limit", "cursor"]),
    route("create_team", "post", "/api/teams", &[]),
    route("team", "get", "/api/teams/{id}", &[]),
    route("change_team", "patch", "/api/teams/{id}", &[]),
    route("delete_team", "delete", "/api/teams/{id}", &["with_agents"]),
    route("run_team", "post", "/api/teams/{id}/run", &[]),
    route(
        "team_templates",
        "get",
        "/api/team-templates",
        &["limit", "cursor"],
    ),
    route(
        "runs",
        "get",
        "/api/topology-runs",
        &[
            "limit", "team_id", "status", "outcome", "q", "sort", "origin", "all",
        ],
    ),
    route("compare_runs", "post", "/api/topology-runs/compare", &[]),
    route("run", "get", "/api/topology-runs/{id}", &[]),
    route("cancel_run", "post", "/api/topology-runs/{id}/cancel", &[]),
    route("pause_run", "post", "/api/topology-runs/{id}/pause", &[]),
    route("resume_run", "post", "/api/topology-runs/{id}/resume", &[]),
    route(
        "say_to_run",
        "post",
        "/api/topology-runs/{id}/messages",
        &[],
    ),
    route("fork_run", "post", "/api/topology-runs/{id}/fork", &[]),
    route("repos", "get", "/api/repos", &["q"]),
    route(
        "connections",
        "get",
        "/api/repos/connections",
        &["limit", "cursor"],
    ),
    route("connect_code_host", "post", "/api/repos/connections", &[]),
    route("run_repo", "get", "/api/runs/{id}/repo", &[]),
    route(
        "run_diff",
        "get",
        "/api/runs/{id}/repo/diff",
        &["branch", "commit"],
    ),
    route(
        "run_archive",
        "get",
        "/api/runs/{id}/repo/archive",
        &["branch"],
    ),
    route(
        "put_files",
        "post",
        "/api/claws/{id}/sandbox/files",
        &["folder", "replace"],
    ),
    route("upload_limits", "get", "/api/uploads/limits", &[]),
    route("create_upload", "post", "/api/uploads", &["name"]),
    route("doors", "get", "/api/doors", &["state", "limit", "cursor"]),
    route("door", "get", "/api/doors/{id}", &[]),
    route("resolve_door", "post", "/api/doors/{id}/resolve", &[]),
    route("level_up_claw", "post", "/api/claws/{id}/level-up", &[]),
    route("level_up_team", "post", "/api/teams/{id}/level-up", &[]),
    route("level_ups", "get", "/api/level-up-proposals", &["status"]),
    route("level_up", "get", "/api/level-up-proposals/{id}", &[]),
    route(
        "apply_level_up",
        "post",
        "/api/level-up-proposals/{id}/apply",
        &[],
    ),
    route(
        "reject_level_up",
        "post",
        "/api/level-up-proposals/{id}/reject",
        &[],
    ),
    route("push_run", "post", "/api/runs/{id}/repo/push", &[]),
    route("run_calls", "get", "/api/topology-runs/{id}/calls", &[]),
    route(
        "step_calls",
        "get",
        "/api/topology-runs/{id}/steps/{step}/calls",
        &["lap", "limit", "cursor"],
    ),
    route(
        "run_events",
        "get",
        "/api/topology-runs/{id}/events",
        &["last_event_id"],
    ),
    route(
        "events",
        "get",
        "/api/events",
        &["types", "agent_id", "last_event_id", "from"],
    ),
    route("tree", "get", "/api/ops/tree", &["format"]),
    route("explain_actor", "get", "/api/ops/actors/{id}/explain", &[]),
    route("restart_actor", "post", "/api/ops/actors/{id}/restart", &[]),
    route("chaos", "get", "/api/ops/chaos", &[]),
    route("order_chaos", "post", "/api/ops/chaos", &[]),
    route("disarm_chaos", "delete", "/api/ops/chaos", &[]),
];
