//! Which file a generated route or type goes into. One file for all would be too long to read.

/// The files of routes.
pub enum RouteFile {
    Sandboxes,
    Runs,
    Missions,
    Workspaces,
    Others,
}

/// The files of what the client reads.
pub enum AnswerFile {
    Runs,
    LevelUps,
    Missions,
    Workspaces,
    Others,
}

/// The begins of the names of answers, by their file.
const RUNS: &[&str] = &[
    "SandboxCommand",
    "CommandAgent",
    "CommandOwner",
    "Run",
    "Door",
    "Drain",
    "Unsaved",
    "Offered",
    "Repo",
    "StepFiles",
    "FilesAt",
    "StartFiles",
];
const MISSIONS: &[&str] = &[
    "Mission",
    "LaunchPlan",
    "PlannedTeam",
    "PlannedProbes",
    "Routine",
];
const WORKSPACES: &[&str] = &[
    "App",
    "FreshInvitation",
    "Invitation",
    "KeptAgent",
    "Member",
    "MissingSkill",
    "Model",
    "OAuth",
    "Placement",
    "Plan",
    "Skill",
    "TeamTemplate",
    "Template",
    "Upgrade",
];

/// What the client sends for members, models, skills, templates, connections, plans and the placement.
const WORKSPACE_REQUESTS: &[&str] = &[
    "ModelChange",
    "ModelPrice",
    "NewConnection",
    "NewInvitation",
    "NewLimitsOfPlan",
    "NewModel",
    "NewRole",
    "NewTemplate",
    "OAuthStart",
    "SetPlacement",
    "SkillText",
    "TemplateContent",
    "TemplateRole",
    "UpgradeRequest",
];

/// Whether a request is in the file of those of a workspace.
pub fn is_request_of_workspaces(name: &str) -> bool {
    WORKSPACE_REQUESTS.contains(&name)
}

/// The file of a route, by its path.
pub fn of_route(path: &str) -> RouteFile {
    let has = |parts: &[&str]| parts.iter().any(|part| path.contains(part));
    let begins = |all: &[&str]| all.iter().any(|begin| path.starts_with(begin));
    if has(&["/sandbox", "/snapshots", "/drain-progress"]) {
        RouteFile::Sandboxes
    } else if begins(&["/api/topology-runs"]) {
        RouteFile::Runs
    } else if begins(&["/api/missions", "/api/routines"]) {
        RouteFile::Missions
    } else if has(&["/members", "/invitations"])
        || begins(&[
            "/api/models",
            "/api/skills",
            "/api/fleet/placement",
            "/api/team-templates",
            "/api/apps",
            "/api/ops/plans",
        ])
    {
        RouteFile::Workspaces
    } else {
        RouteFile::Others
    }
}

/// The file of what the client reads, by the name of its schema.
pub fn of_answer(name: &str) -> AnswerFile {
    let begins = |all: &[&str]| all.iter().any(|begin| name.starts_with(begin));
    if begins(RUNS) {
        AnswerFile::Runs
    } else if begins(&["LevelUp"]) {
        AnswerFile::LevelUps
    } else if begins(MISSIONS) {
        AnswerFile::Missions
    } else if begins(WORKSPACES) {
        AnswerFile::Workspaces
    } else {
        AnswerFile::Others
    }
}

/// Whether an id or an enum is in the file of those of missions.
pub fn is_name_of_missions(name: &str) -> bool {
    let begins = ["Mission", "Routine", "Firing"];
    begins.iter().any(|begin| name.starts_with(begin))
}
