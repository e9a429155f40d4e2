//! A retry begins with the files of the phase's begin. A real engine and the scripted model.

use roost_tests::Person;
use serde_json::json;

use super::probes::coders;
use super::{becomes, created, launched, phase_id};
use crate::connections::checkouts::Bench;

/// The first attempt leaves a file, commits another one, and fails. The second one lists what is there.
const FAILS_FIRST: &str = r#"
[[scene]]
prompt = 'This is attempt 2'
  [[scene.turn]]
  say = "I look around."
  calls = [{ tool = "shell", arguments = { command = "cd /workspace/tools && ls -A && cat a.txt && ls /workspace && git log --format=%s && git status --short" } }]
  [[scene.turn]]
  say = "Done."
[[scene]]
  [[scene.turn]]
  say = "I work."
  calls = [
    { tool = "write_file", arguments = { path = "/workspace/tools/committed.txt", content = "1" } },
    { tool = "write_file", arguments = { path = "/workspace/tools/a.txt", content = "changed" } },
    { tool = "commit", arguments = { path = "/workspace/tools", message = "Half of it" } },
    { tool = "write_file", arguments = { path = "/workspace/tools/left.txt", content = "2" } },
    { tool = "write_file", arguments = { path = "/workspace/beside.txt", content = "3" } },
    { tool = "shell", arguments = { command = "cd /workspace/tools && ls -A && ls /workspace && git log --format=%s" } },
  ]
  [[scene.turn]]
  say = "TEST_FAIL: INT-01"
"#;

/// What the tools of the agent of a run answered.
async fn answers(owner: &Person, run: &str) -> String {
    let calls = owner.get(&format!("/api/topology-runs/{run}/steps/coder/calls"));
    calls.expect(200).await.text
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_of_a_phase_starts_from_the_files_of_its_begin() {
    for bench in Bench::on_each(FAILS_FIRST).await {
        let owner = bench.gateway.owner().await;
        let coders = coders(owner).await;
        let new = json!({ "template_kind": "custom", "title": "Write", "goal": "Write.", "repo_id": bench.repo,
            "config": { "phases": ["coding"] }, "team_template_id": coders });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        let paused = becomes(owner, &id, "paused").await;
        let first = paused.str("/phase_details/0/runs/0/run_id").to_owned();
        let seen = answers(owner, &first).await;
        for part in ["committed.txt", "left.txt", "beside.txt", "Half of it"] {
            assert!(seen.contains(part), "{part}: {seen}");
        }
        let retry = format!("/api/missions/{id}/phases/{}/retry", phase_id(&paused, 0));
        owner.post(&retry).expect(200).await;
        let over = becomes(owner, &id, "completed").await;
        let runs = over.body["phase_details"][0]["runs"].as_array();
        let second = runs.and_then(|runs| runs.iter().find(|run| run["attempt"] == 2));
        let second = second.expect("a run")["run_id"].as_str().expect("an id");
        let seen = answers(owner, second).await;
        assert!(seen.contains("a.txt"), "it lists the folder: {seen}");
        assert!(seen.contains("one"), "as it was at the begin: {seen}");
        for part in [
            "committed.txt",
            "left.txt",
            "beside.txt",
            "changed",
            "Half of it",
        ] {
            assert!(!seen.contains(part), "{part}: {seen}");
        }
        bench.stop().await;
    }
}
