//! The gateway dies at each kill point of missions. The mission continues, and nothing of it happens twice.

use roost_platform::supervision::KILL_POINTS;
use roost_tests::{Process, ScratchPostgres, Store, eventually};
use serde_json::json;

use super::process::SIGABRT;

/// The points that have their case here, or in `killed_paused`.
pub const KILLED_THERE: &[&str] = &[
    "missions.step.before_commit",
    "missions.step.after_commit",
    "missions.hold.after_mark",
    "missions.resume.after_runs",
];
/// The points of each step.
const STEPS: &[&str] = &["missions.step.before_commit", "missions.step.after_commit"];

#[test]
fn every_kill_point_of_missions_has_its_case_here() {
    let all = KILL_POINTS.iter().map(|point| point.name);
    let ours: Vec<&str> = all.filter(|name| name.starts_with("missions.")).collect();
    assert_eq!(ours, KILLED_THERE);
}

#[tokio::test]
async fn mission_whose_gateway_dies_at_any_step_ends_as_if_nothing_had_happened() {
    killed_at_each_point(&Store::Sqlite).await;
}

#[tokio::test]
async fn mission_continues_on_postgresql_after_the_lease_of_the_crashed_gateway() {
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
    let role = json!({ "slot": "writer", "title": "Writer", "system_prompt": "You write.", "skills": [], "brain_seed": "" });
    let new = json!({ "key": "writers", "name": "Writers", "description": "", "stack": "any", "default_topology": "single",
        "risk_profile": "toolfree", "mcp_bundles": [], "category": "research", "roles": [role] });
    let made = owner
        .post("/api/team-templates")
        .json(&new)
        .expect(201)
        .await;
    let template = made.str("/id").to_owned();
    for point in STEPS {
        // The steps: research begins and ends, coding begins and ends, the mission is complete.
        for passed in 0..5 {
            let new = json!({ "template_kind": "development", "goal": format!("{point} {passed}"), "team_template_id": template });
            let mission = owner.post("/api/missions").json(&new).expect(201).await;
            let path = format!("/api/missions/{}", mission.str("/id"));
            process.kill();
            let arms = format!("{point}=abort@{passed}");
            assert!(
                process.again_with(&arms).await,
                "it ended:\n{}",
                process.log()
            );
            let launch = owner.post(&format!("{path}/status"));
            let launch = launch.json(&json!({ "status": "running" }));
            // The answer may be cut off with the gateway.
            let _ = launch.try_send().await;
            process.ended_by(SIGABRT).await;
            process.again().await;
            let over = eventually("the mission is complete", async || {
                let now = owner.get(&path).expect(200).await;
                (now.body["status"] == "completed").then_some(now)
            })
            .await;
            let at = format!("{point}@{passed}");
            for phase in over.body["phase_details"].as_array().expect("phases") {
                assert_eq!(phase["status"], "completed", "{at}: {phase}");
                assert_eq!(phase["attempt"], 1, "{at}: {phase}");
                assert_eq!(phase["runs"].as_array().map(Vec::len), Some(1), "{at}");
                assert_eq!(phase["has_card"], true, "{at}");
            }
            // The results of both phases, and the report.
            let artifacts = over.body["artifacts"].as_array().map(Vec::len);
            assert_eq!(artifacts, Some(3), "{at}");
            let teams = owner.get(&format!("{path}/teams")).expect(200).await;
            assert_eq!(teams.body.as_array().map(Vec::len), Some(1), "{at}");
        }
    }
    process.kill();
}
