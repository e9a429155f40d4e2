//! The gateway dies at each kill point of runs and of agents at work. The run continues where it was; nothing is lost
//! or done twice.

use roost_platform::supervision::KILL_POINTS;
use roost_tests::{Process, ScratchPostgres, Store};
use serde_json::json;

use super::{line_of, over, steps};

/// The points that have their case here.
pub const KILLED_THERE: &[&str] = &[
    "runs.claim.after_commit",
    "runs.checkpoint.before_commit",
    "runs.checkpoint.after_commit",
    "runs.close.before_commit",
    "runs.close.after_commit",
    "committer.before_commit",
    "committer.after_commit",
    "runtime.session.before_model",
    "runtime.session.after_model",
    "runtime.session.before_tool",
    "runtime.session.after_tool",
];

/// How `abort` ends a process.
const SIGABRT: i32 = 6;

#[test]
fn every_kill_point_of_runs_has_its_case_here() {
    let all = KILL_POINTS.iter().map(|point| point.name);
    let ours: Vec<&str> = all
        .filter(|name| {
            let ours = ["runs.", "committer.", "runtime."];
            let ours = ours.iter().any(|of| name.starts_with(of));
            // These need two gateways.
            ours && !crate::crashes::two_gateways::handover::KILLED_THERE.contains(name)
        })
        .collect();
    assert_eq!(ours, KILLED_THERE);
}

#[tokio::test]
async fn a_run_whose_gateway_dies_at_any_point_ends_as_if_nothing_had_happened() {
    killed_at_each_point(&Store::Sqlite).await;
}

#[tokio::test]
async fn run_ends_on_postgresql_after_the_lease_of_the_crashed_gateway() {
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
    let team = line_of(&owner, &["writer", "editor"]).await;
    let path = format!("/api/teams/{}/run", team["id"].as_str().expect("an id"));
    for point in KILLED_THERE {
        // A run is claimed and closed once; the others are passed by its second step, too.
        let most = if point.starts_with("runs.claim") || point.starts_with("runs.close") {
            0
        } else {
            1
        };
        for passed in 0..=most {
            process.kill();
            assert!(process.again_with(&format!("{point}=abort@{passed}")).await);
            // The answer may be cut off with the gateway; the run is there, or was never asked for.
            let asked = owner.post(&path).json(&json!({ "input": "Do it." }));
            let _ = asked.try_send().await;
            process.ended_by(SIGABRT).await;
            process.again().await;
            let newest = owner.get("/api/topology-runs?limit=1").expect(200).await;
            let run = newest.str("/items/0/id").to_owned();
            let ended = over(&owner, &run).await;
            assert_eq!(
                ended.body["status"], "completed",
                "{point}@{passed}: {ended:?}"
            );
            assert_eq!(
                steps(&ended),
                ["writer done", "editor done"],
                "{point}@{passed}"
            );
            assert_eq!(ended.body["steps_done"], 2, "{point}@{passed}");
            let calls = owner
                .get(&format!("/api/topology-runs/{run}/calls"))
                .expect(200)
                .await;
            // Each step: the script speaks, its tool is answered, the script speaks.
            assert_eq!(
                calls.body["items"].as_array().expect("calls").len(),
                6,
                "{point}@{passed}"
            );
        }
    }
    process.kill();
}
