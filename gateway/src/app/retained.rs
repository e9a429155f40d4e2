//! What is kept, for how long, and why: one entry for each table and for each folder that grows. The sweeper
//! ([`super::retention`]) applies the rules that the entries name, `roost doctor` compares the entries with the tables of
//! the database, and a test fails when a table has no entry.

use std::io;
use std::path::Path;

use Keeps::{Bounded, Forever, Queue, Until, With};

/// A rule that the sweeper applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// `events.*`: facts by age and number, ephemeral events by age and size.
    Events,
    /// At the end of a sign-in, of a session or of a code.
    SignIns,
    /// Browsers that were not used for a long time.
    Devices,
    /// At the end of a sign-in at an app.
    AppSignIns,
    /// A day after the request.
    IdempotencyKeys,
    /// A day.
    MachineAverages,
    /// `runs.retention_days` after the run's end.
    RunOutputs,
    /// `runs.retention_days` after the operation's end.
    Operations,
    /// [`MONTH_DAYS`] after the invitation's end.
    Invitations,
    /// [`MONTH_DAYS`] after the end of a deletion.
    Deletions,
    /// Machines that were paired and did not join: [`UNJOINED_DAYS`] after the end of their code.
    UnjoinedMachines,
    /// [`MONTH_DAYS`] after the report; the latest of each agent stays, and those that a run's steps name.
    Snapshots,
    /// With the outputs of their runs; [`UNUSED_DAYS`] after the upload when no run works on them.
    Uploads,
    /// `runs.retention_days` after the door's end.
    Doors,
    /// [`MONTH_DAYS`] after the sandbox's end; the newest of each agent on each machine stays.
    Sandboxes,
}

/// How long ended invitations, deletions and sandboxes are kept, and earlier snapshots.
pub const MONTH_DAYS: i64 = 30;
/// How long a machine that did not join is kept after the end of its code.
pub const UNJOINED_DAYS: i64 = 7;
/// How long an upload is kept that no run works on.
pub const UNUSED_DAYS: i64 = 1;

impl Rule {
    /// All rules. The sweeper applies each of them.
    pub const ALL: [Self; 15] = [
        Self::Events,
        Self::SignIns,
        Self::Devices,
        Self::AppSignIns,
        Self::IdempotencyKeys,
        Self::MachineAverages,
        Self::RunOutputs,
        Self::Operations,
        Self::Invitations,
        Self::Deletions,
        Self::UnjoinedMachines,
        Self::Snapshots,
        Self::Uploads,
        Self::Doors,
        Self::Sandboxes,
    ];
}

/// What ends the life of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// A rule of the sweeper deletes it, or what is large in it.
    Until(Rule),
    /// It is deleted with a row of this table, or with something that the reason names.
    With(&'static str, &'static str),
    /// There are few of them: the reason says why their number does not grow with time.
    Bounded(&'static str),
    /// The worker that the reason names deletes it when its work is done.
    Queue(&'static str),
    /// It is never deleted, for this reason.
    Forever(&'static str),
}

/// The entry of a table or a folder.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    pub name: &'static str,
    pub keeps: Keeps,
}

const fn kept(name: &'static str, keeps: Keeps) -> Kept {
    Kept { name, keeps }
}

/// Each table of the database.
pub const TABLES: &[Kept] = &[
    // Platform and web.
    kept("events", Until(Rule::Events)),
    kept("event_heads", With("workspaces", "one for each")),
    kept("event_cuts", With("workspaces", "one for each")),
    kept(
        "leases",
        Bounded("one for each name of a job, and for each mission at work"),
    ),
    kept("sagas", Until(Rule::Deletions)),
    kept("credential_deletions", Queue("the credential sweeper")),
    kept("idempotency_keys", Until(Rule::IdempotencyKeys)),
    kept("seaql_migrations", Bounded("one for each migration")),
    // People and workspaces.
    kept("users", Forever("the audit log names them")),
    kept("user_avatars", With("users", "at most one for each")),
    kept(
        "mails",
        Bounded("a month after their end, which comes within a day; the worker deletes them"),
    ),
    kept("sessions", Until(Rule::SignIns)),
    kept("one_time_logins", Until(Rule::SignIns)),
    kept("hosted_sign_ins", Until(Rule::SignIns)),
    kept("login_codes", Until(Rule::SignIns)),
    kept("known_devices", Until(Rule::Devices)),
    kept(
        "refused_sign_ins",
        Queue("the recorder of refused sign-ins"),
    ),
    kept("operator_grants", Bounded("one for each operator")),
    kept("plan_limits", Bounded("at most one for each plan")),
    kept("home_workspace", Bounded("one row")),
    kept(
        "workspaces",
        With("workspaces", "until a person deletes it"),
    ),
    kept("members", With("workspaces", "until the member leaves")),
    kept("invitations", Until(Rule::Invitations)),
    kept("quota_usage", With("workspaces", "one for each quota")),
    kept(
        "audit_entries",
        Forever("the audit log outlives what it describes"),
    ),
    kept("audit_chain", Forever("one link for each audit entry")),
    kept("audit_waiting", Queue("the audit chain")),
    kept("audit_head", Bounded("one row")),
    // Missions.
    kept(
        "missions",
        With("workspaces", "until their workspace is deleted"),
    ),
    kept("mission_phases", With("missions", "at most 20 for each")),
    kept(
        "mission_phase_runs",
        With("missions", "one for each attempt of a phase by a team"),
    ),
    kept("mission_teams", With("missions", "one for each team")),
    kept("mission_tasks", With("missions", "bounded for each phase")),
    kept(
        "mission_task_marks",
        With("missions", "bounded for each task"),
    ),
    kept(
        "mission_artifacts",
        With("missions", "bounded for each phase"),
    ),
    kept(
        "mission_pdfs",
        With(
            "mission_artifacts",
            "one of the report, one of each Markdown artifact",
        ),
    ),
    kept(
        "mission_phase_cards",
        With("missions", "one for each phase"),
    ),
    kept("routines", With("workspaces", "at most 200 for each")),
    kept(
        "routine_firings",
        With("routines", "the newest 200 of each"),
    ),
    kept(
        "level_up_proposals",
        With(
            "claws",
            "or with their team; at most 100 pending in a workspace, and the newest 50 decided for each agent and team",
        ),
    ),
    // Agents.
    kept(
        "claws",
        With(
            "workspaces",
            "until a purge; history shows the names of deleted agents",
        ),
    ),
    kept("agent_state", With("claws", "one for each")),
    kept("runtime_agents", With("claws", "one for each")),
    kept(
        "claw_brains",
        With("claws", "the newest 500 versions of each"),
    ),
    kept("claw_avatars", With("claws", "one for each")),
    kept("agent_tokens", With("claws", "until a person revokes it")),
    // Machines and sandboxes.
    kept("nodes", Until(Rule::UnjoinedMachines)),
    kept("node_health", With("nodes", "the latest heartbeat of each")),
    kept("node_tools", With("nodes", "one for each tool")),
    kept("node_history", Until(Rule::MachineAverages)),
    kept("images", Bounded("one for each image of the catalogue")),
    kept("node_operations", Until(Rule::Operations)),
    kept(
        "command_outputs",
        With(
            "node_operations",
            "the first 32 KiB and the last 96 KiB of each command's output",
        ),
    ),
    kept("agent_containers", Until(Rule::Sandboxes)),
    kept("workspace_snapshots", Until(Rule::Snapshots)),
    kept(
        "machine_purges",
        Queue(
            "the machine, which confirms that it deleted the files; a machine that leaves the fleet has none",
        ),
    ),
    kept(
        "workspace_placements",
        With("workspaces", "at most one for each"),
    ),
    // Connections.
    kept("oauth_states", Until(Rule::AppSignIns)),
    kept(
        "app_connections",
        With("claws", "until a person disconnects it"),
    ),
    kept("doors", Until(Rule::Doors)),
    kept("mesh_networks", With("workspaces", "at most one for each")),
    kept(
        "repo_connections",
        With("workspaces", "until a person removes it"),
    ),
    kept(
        "repos",
        With("repo_connections", "as the code host lists them"),
    ),
    kept(
        "repo_mirrors",
        With("repos", "until the broker has deleted the mirror"),
    ),
    // Models, runs.
    kept("models", With("workspaces", "until a person removes it")),
    kept("model_settings", With("workspaces", "one for each")),
    kept("topology_runs", Until(Rule::RunOutputs)),
    kept("run_state", With("topology_runs", "one for each")),
    kept(
        "run_owners",
        With("topology_runs", "while a gateway has the run"),
    ),
    kept("run_steps", Until(Rule::RunOutputs)),
    kept("run_calls", Until(Rule::RunOutputs)),
    kept(
        "run_model_use",
        With(
            "topology_runs",
            "one for each model, written when the journal is deleted",
        ),
    ),
    kept("run_children", With("topology_runs", "one for each child")),
    kept("run_graphs", Until(Rule::RunOutputs)),
    kept("run_messages", Until(Rule::RunOutputs)),
    kept("run_waits", With("topology_runs", "while a step waits")),
    kept(
        "run_handovers",
        With("topology_runs", "until the next claim"),
    ),
    kept("run_step_files", Until(Rule::RunOutputs)),
    kept("run_start_files", Until(Rule::RunOutputs)),
    kept("uploads", Until(Rule::Uploads)),
    kept("run_repos", With("topology_runs", "at most one for each")),
    kept(
        "run_checkouts",
        With("run_repos", "one for each sandbox that worked on it"),
    ),
    kept(
        "run_supplies",
        With("run_repos", "at most one for each lock file"),
    ),
    kept(
        "run_commits",
        With("run_repos", "at most one for each step"),
    ),
    // Organisation.
    kept(
        "teams",
        With("workspaces", "until a person or its last run deletes it"),
    ),
    kept("team_members", With("teams", "one for each seat")),
    kept("skills", With("workspaces", "until a person deletes it")),
    kept(
        "skill_versions",
        With("skills", "the newest 200 versions of each"),
    ),
    kept(
        "template_role_skills",
        With("team_templates", "one for each skill of a role"),
    ),
    kept(
        "agent_skill_overrides",
        With("claws", "one for each choice"),
    ),
    kept(
        "team_templates",
        With("workspaces", "until a person deletes it"),
    ),
    kept(
        "team_template_roles",
        With("team_templates", "one for each role"),
    ),
    kept(
        "team_template_versions",
        With("team_templates", "agents are made from each version"),
    ),
    kept(
        "agent_template_links",
        With("claws", "at most one for each"),
    ),
];

/// Each folder that the gateway's host fills, below `data_dir`, and what deletes from it.
pub const FOLDERS: &[Kept] = &[
    kept(
        "roost.db",
        Bounded("the tables above; SQLite uses freed pages again"),
    ),
    kept("broker", Bounded("the folders below")),
    kept(
        "broker/records",
        Bounded("one record for each credential; deletions go through `credential_deletions`"),
    ),
    kept(
        "broker/audit",
        Forever("one line for each use of a credential: the chain proves that none is missing"),
    ),
    kept("broker/run", Bounded("sockets, while the broker runs")),
    kept(
        "broker/mirrors",
        With(
            "repo_mirrors",
            "one for each mirror, and one for each of `uploads`",
        ),
    ),
    kept(
        "uploads",
        Bounded(
            "files without a name, while an upload arrives; its repository lies below `broker/mirrors`",
        ),
    ),
    kept(
        "chunks",
        With(
            "workspace_snapshots",
            "the chunk sweeper deletes what no snapshot names, an hour after its upload; the same in a bucket",
        ),
    ),
    kept(
        "images",
        Bounded("one file for each image of the catalogue that the gateway's own engine has"),
    ),
    kept(
        "supplies",
        With(
            "workspaces",
            "at most supplies.store_mib for each; what was not used for the longest time goes first",
        ),
    ),
    // A machine has the same folders below its own.
    kept("local-engine", Bounded("the folders below")),
    kept(
        "local-engine/ledger",
        Bounded("results of operations, for 24 h"),
    ),
    kept(
        "local-engine/spool",
        Bounded("output of operations, for 24 h"),
    ),
    kept(
        "local-engine/archives",
        Bounded("files as older versions stored them, until their agent is purged"),
    ),
    kept(
        "local-engine/snapshots",
        Bounded(
            "the last snapshots of each agent, until the agent is purged; a collection deletes what none names",
        ),
    ),
];

/// The folders below `data_dir` that have no entry.
///
/// # Errors
/// When a folder cannot be read.
pub fn folders_without_an_entry(data_dir: &Path) -> io::Result<Vec<String>> {
    let mut unknown = Vec::new();
    let mut open = vec![String::new()];
    while let Some(above) = open.pop() {
        for entry in std::fs::read_dir(data_dir.join(&above))? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                continue;
            }
            let name = format!("{above}{}", entry.file_name().to_string_lossy());
            let below = format!("{name}/");
            if FOLDERS.iter().any(|kept| kept.name.starts_with(&below)) {
                open.push(below);
            } else if !FOLDERS.iter().any(|kept| kept.name == name) {
                unknown.push(name);
            }
        }
    }
    unknown.sort();
    Ok(unknown)
}

/// The tables of a database that have no entry.
pub fn without_an_entry<'a>(tables: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let is_known = |table: &str| TABLES.iter().any(|entry| entry.name == table);
    tables
        .into_iter()
        .filter(|table| !is_known(table))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_table_has_one_entry_and_each_rule_is_of_a_table() {
        let names: BTreeSet<&str> = TABLES.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), TABLES.len(), "a table has two entries");
        for entry in TABLES.iter().chain(FOLDERS) {
            match entry.keeps {
                With(owner, why) => assert!(names.contains(owner) && !why.is_empty(), "{entry:?}"),
                Bounded(why) | Queue(why) | Forever(why) => assert!(!why.is_empty(), "{entry:?}"),
                Until(_) => {}
            }
        }
        for rule in Rule::ALL {
            assert!(
                TABLES.iter().any(|entry| entry.keeps == Until(rule)),
                "{rule:?}"
            );
        }
    }

    #[test]
    fn a_folder_without_an_entry_is_found() {
        let data = tempfile::tempdir().unwrap();
        for folder in [
            "chunks/a/b",
            "broker/mirrors/x",
            "local-engine/moons",
            "suns",
        ] {
            std::fs::create_dir_all(data.path().join(folder)).unwrap();
        }
        std::fs::write(data.path().join("roost.db-wal"), "").unwrap();
        let unknown = folders_without_an_entry(data.path()).unwrap();
        assert_eq!(unknown, ["local-engine/moons", "suns"]);
    }

    #[test]
    fn a_table_without_an_entry_is_found() {
        assert_eq!(without_an_entry(["users", "moons"]), ["moons"]);
        let tables = crate::tables();
        let of_entities: Vec<&str> = tables.iter().map(roost_platform::db::Table::name).collect();
        assert_eq!(without_an_entry(of_entities), [""; 0]);
    }
}
