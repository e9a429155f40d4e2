//! What the client uses of missions.

/// Each object and the fields of it that the client reads or sets.
pub const FIELDS: &[(&str, &[&str])] = &[
    (
        "LaunchPlan",
        &["teams", "agents", "place", "blockers", "lacks", "probes"],
    ),
    (
        "Mission",
        &["id", "title", "status", "phases", "created_at"],
    ),
    (
        "MissionArtifact",
        &["id", "kind", "title", "status", "error", "pdf"],
    ),
    ("MissionBenchmark", &["command"]),
    (
        "MissionConfig",
        &["phase_teams", "phases", "benchmark", "image", "runtime"],
    ),
    (
        "MissionDetail",
        &[
            "id",
            "title",
            "status",
            "status_detail",
            "phase_details",
            "tasks",
            "artifacts",
            "repo_full_name",
            "waits_for_node",
            "runtime",
            "cost_microusd",
        ],
    ),
    ("MissionPdf", &["pages"]),
    (
        "MissionPhase",
        &[
            "id", "position", "kind", "status", "attempt", "reason", "runs",
        ],
    ),
    ("MissionPhaseBrief", &["status"]),
    ("MissionPhaseTeams", &["research", "coding"]),
    (
        "MissionRun",
        &[
            "run_id",
            "attempt",
            "team_name",
            "status",
            "outcome",
            "steps_done",
            "steps_most",
        ],
    ),
    ("MissionRuntimeSettings", &["image", "command"]),
    ("MissionRuntimeStanding", &["state", "detail"]),
    ("MissionStatusChange", &["status", "accept_lacks"]),
    (
        "MissionTask",
        &["phase_id", "external_id", "title", "status"],
    ),
    (
        "NewMission",
        &[
            "template_kind",
            "title",
            "goal",
            "config",
            "team_template_id",
            "repo_id",
            "base_ref",
            "runtime_kind",
            "target_node_id",
            "budget_usd",
            "model",
        ],
    ),
    (
        "NewRoutine",
        &["name", "schedule", "recipe", "missed", "overlap"],
    ),
    ("PlannedProbes", &["image", "scanners", "lacks"]),
    ("PlannedTeam", &["purpose", "name", "roles"]),
    (
        "Routine",
        &[
            "id", "name", "words", "state", "next_due", "missed", "overlap", "last",
        ],
    ),
    ("RoutineChange", &["enabled"]),
    ("RoutineCron", &["expression", "time_zone"]),
    (
        "RoutineFiring",
        &[
            "routine_name",
            "cause",
            "state",
            "due_at",
            "due_times",
            "reason",
            "run_id",
            "mission_id",
        ],
    ),
    ("RoutineLoop", &["every_minutes", "times"]),
    ("RoutineMissionRecipe", &["mission", "accept_lacks"]),
    (
        "RoutineTeamRecipe",
        &["template_id", "goal", "accept_lacks"],
    ),
];
