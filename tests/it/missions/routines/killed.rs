//! The gateway dies at each kill point of routines. Each due time starts something once.

use roost_platform::supervision::KILL_POINTS;
use roost_tests::{Process, ScratchPostgres, Store};
use serde_json::json;

use super::{at_once, journal, line, of_team};

/// The points that have their case here.
pub const KILLED_THERE: &[&str] = &["routines.fire.before_commit", "routines.fire.after_commit"];

/// How `abort` ends a process.
const SIGABRT: i32 = 6;

#[test]
fn every_kill_point_of_routines_has_its_case_here() {
    let all = KILL_POINTS.iter().map(|point| point.name);
    let ours: Vec<&str> = all.filter(|name| name.starts_with("routines.")).collect();
    assert_eq!(ours, KILLED_THERE);
}

#[tokio::test]
async fn due_time_whose_gateway_dies_while_it_fires_starts_its_work_once() {
    killed_at_each_point(&Store::Sqlite).await;
}

#[tokio::test]
async fn due_time_fires_once_on_postgresql_after_the_lease_of_the_crashed_gateway() {
    if let Some(scratch) = ScratchPostgres::new().await {
        killed_at_each_point(&Store::Postgres(scratch.url().to_owned())).await;
        scratch.remove().await;
    }
}

async fn killed_at_each_point(store: &Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let set = [
        ("sandboxes.local", "off"),
        ("chaos.allow", "true"),
        ("runs.lease_seconds", "3"),
    ];
    let mut process = Process::start_with(folder.path(), store, &set).await;
    let owner = process.owner().await;
    let role = json!({ "slot": "reader", "title": "Reader", "system_prompt": "You read.", "skills": [], "brain_seed": "" });
    let new = json!({ "key": "readers", "name": "Readers", "description": "", "stack": "any", "default_topology": "single",
        "risk_profile": "toolfree", "mcp_bundles": [], "category": "research", "roles": [role] });
    let made = owner.post("/api/team-templates").json(&new);
    let readers = made.expect(201).await.str("/id").to_owned();
    for point in KILLED_THERE {
        process.kill();
        assert!(process.again_with(&format!("{point}=abort")).await);
        let new = json!({ "name": point, "schedule": at_once(1), "recipe": of_team(&readers) });
        // The answer may be cut off with the gateway, which fires at once. The routine was committed before that.
        let _ = owner.post("/api/routines").json(&new).try_send().await;
        process.ended_by(SIGABRT).await;
        process.again().await;
        let all = owner.get("/api/routines").expect(200).await;
        let mut all = all.body["items"].as_array().expect("routines").iter();
        let made = all.find(|routine| routine["name"] == *point);
        let id = made.expect("the routine")["id"].as_str().expect("an id");
        line(&owner, id, "done").await;
        let lines = journal(&owner, id).await;
        assert_eq!(lines.len(), 1, "{point}: {lines:?}");
        let runs = owner.get("/api/topology-runs?origin=routine&limit=200");
        let runs = runs.expect(200).await;
        let of_it = runs.body["items"].as_array().expect("runs").iter();
        let of_it = of_it.filter(|run| run["origin"]["routine"] == id);
        assert_eq!(of_it.count(), 1, "{point}");
    }
    process.kill();
}
