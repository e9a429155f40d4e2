//! A mission on a machine: it waits while the machine is away, says so, and never works elsewhere.

use roost_tests::{Daemon, Person, eventually};
use serde_json::{Value, json};

use super::lives::endless;
use super::probes::coders;
use super::{
    becomes, created, launched, mission, phase_id, phases, set_status, template, think_with,
};
use crate::connections::checkouts::Bench;
use crate::connections::repos::Place;
use crate::execution::runs::connection_is;

/// Long enough that the machine goes away in the middle of the phase.
const SLOW: &str = "sleep 2; echo \"read: $(date +%N) ns\"";

#[tokio::test(flavor = "multi_thread")]
async fn mission_waits_for_its_machine_in_the_middle_of_a_phase() {
    for bench in Bench::on_each("[[scene]]\n[[scene.turn]]\nsay = \"Done.\"\n").await {
        let owner = bench.gateway.owner().await;
        let mut machine = Daemon::joined(&bench.gateway.url(), owner, None).await;
        connection_is(owner, &machine.node_id, "connected").await;
        let new = json!({ "template_kind": "benchmark", "title": "Slow", "repo_id": bench.repo,
            "runtime_kind": "local_node", "target_node_id": machine.node_id,
            "config": { "benchmark": { "command": SLOW, "iterations": 3 } } });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        let sandbox = format!("/api/missions/{id}/sandbox");
        let before = eventually("its sandbox works", async || {
            let commands = owner.get(&format!("{sandbox}/commands")).send().await;
            let begun = commands.body["items"]
                .as_array()
                .is_some_and(|all| all.len() >= 3);
            let now = owner.get(&sandbox).send().await;
            (begun && now.status == 200).then_some(now)
        })
        .await;
        assert_eq!(before.body["node_id"], json!(machine.node_id));
        machine.kill();
        let waiting = eventually("the mission says that it waits", async || {
            let now = mission(owner, &id).await;
            (now.body["waits_for_node"] != Value::Null).then_some(now)
        })
        .await;
        assert_eq!(waiting.str("/status"), "running", "{waiting:?}");
        assert_eq!(waiting.body["phase_details"][0]["status"], "running");
        let now = owner.get(&sandbox).expect(200).await;
        assert_eq!(now.body["node_id"], json!(machine.node_id), "{}", now.text);

        machine.again();
        let over = becomes(owner, &id, "completed").await;
        assert_eq!(over.body["waits_for_node"], Value::Null);
        let phase = &over.body["phase_details"][0];
        assert_eq!(phase["attempt"], 1, "{phase}");
        let path = format!("/api/missions/{id}/phases/{}/summary", phase_id(&over, 0));
        owner.get(&path).expect(200).await;
        bench.stop().await;
    }
}

#[rstest::rstest]
#[case::benchmark("benchmark")]
#[case::security_scan("security_scan")]
#[tokio::test(flavor = "multi_thread")]
async fn mission_on_a_machine_that_is_deleted_pauses_and_its_phase_says_why(#[case] phase: &str) {
    let bench = Bench::new("[[scene]]\n[[scene.turn]]\nsay = \"Done.\"\n").await;
    let owner = bench.gateway.owner().await;
    let mut machine = Daemon::joined(&bench.gateway.url(), owner, None).await;
    connection_is(owner, &machine.node_id, "connected").await;
    let new = json!({ "template_kind": "custom", "title": "Slow", "goal": "Measure.", "repo_id": bench.repo,
        "runtime_kind": "local_node", "target_node_id": machine.node_id,
        "config": { "phases": [phase], "benchmark": { "command": SLOW, "iterations": 6 } } });
    let id = created(owner, &new).await;
    launched(owner, &id).await;
    let sandbox = format!("/api/missions/{id}/sandbox");
    eventually("its sandbox works", async || {
        (owner.get(&sandbox).send().await.status == 200).then_some(())
    })
    .await;
    machine.kill();
    let path = format!("/api/nodes/{}", machine.node_id);
    owner.delete(&path).send().await;
    let paused = becomes(owner, &id, "paused").await;
    assert_eq!(paused.str("/status_reason"), "node_deleted");
    let failed = eventually("its phase ends", async || {
        let now = mission(owner, &id).await;
        (phases(&now) == ["failed"]).then_some(now)
    })
    .await;
    assert_eq!(failed.str("/status_reason"), "node_deleted");
    let reason = failed.str("/phase_details/0/reason");
    assert!(reason.contains("machine"), "{reason}");
    bench.stop().await;
}

#[rstest::rstest]
#[case::research("research")]
#[case::coding("coding")]
#[tokio::test]
async fn mission_whose_team_is_at_work_pauses_when_its_machine_is_deleted(#[case] phase: &str) {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let server = endless().await;
        think_with(owner, &server).await;
        let mut machine = Daemon::joined(&place.gateway.url(), owner, None).await;
        connection_is(owner, &machine.node_id, "connected").await;
        let writers = template(owner, "Writers").await;
        let new = json!({ "template_kind": "custom", "title": "Write", "goal": "Write.", "team_template_id": writers,
            "runtime_kind": "local_node", "target_node_id": machine.node_id, "config": { "phases": [phase] } });
        let id = created(owner, &new).await;
        launched(owner, &id).await;
        eventually("the agent works", async || {
            (server.asked().len() > 1).then_some(())
        })
        .await;
        machine.kill();
        let path = format!("/api/nodes/{}", machine.node_id);
        owner.delete(&path).expect(202).await;
        let paused = becomes(owner, &id, "paused").await;
        assert_eq!(paused.str("/status_reason"), "node_deleted");
        assert_eq!(paused.str("/status_detail"), "The target node was deleted.");
        let audit = owner.get("/api/audit?action=mission.node_deleted");
        let audit = audit.expect(200).await;
        assert_eq!(audit.body["items"].as_array().map(Vec::len), Some(1));
        eventually("its run is held", async || {
            let now = mission(owner, &id).await;
            let run = now.body["phase_details"][0]["runs"][0].clone();
            (run["is_paused"] == true).then_some(())
        })
        .await;
        let refused = set_status(owner, &id, "running", 409).await;
        assert!(
            refused.str("/detail").contains("was deleted"),
            "{refused:?}"
        );
        set_status(owner, &id, "cancelled", 200).await;
        eventually("its phase has ended", async || {
            let now = mission(owner, &id).await;
            (phases(&now) == ["failed"]).then_some(())
        })
        .await;
        place.stop().await;
    }
}

/// An agent whose command lasts longer than the machine stays.
const WORKS: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I work."
  calls = [{ tool = "shell", arguments = { command = "sleep 8; echo worked" } }]
  [[scene.turn]]
  say = "Done."
"#;

#[tokio::test(flavor = "multi_thread")]
async fn mission_whose_team_works_waits_for_its_machine_longer_than_other_runs_do() {
    waits_when_its_machine_leaves(async |owner, run| {
        let path = format!("/api/topology-runs/{run}");
        eventually("its command runs", async || {
            let now = owner.get(&path).expect(200).await;
            let team = now.str("/team_id");
            let running = format!("/api/teams/{team}/sandbox/commands?running=true");
            let all = owner.get(&running).send().await;
            all.text.contains("sleep 8").then_some(())
        })
        .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mission_whose_machine_leaves_while_it_makes_the_sandbox_says_that_it_waits() {
    waits_when_its_machine_leaves(async |_, _| ()).await;
}

/// `until` returns when the machine is to leave. It gets the run of the first agent, which has made its call.
async fn waits_when_its_machine_leaves(until: impl AsyncFnOnce(&Person, &str)) {
    let least = [("runs.machine_wait_seconds", "1")];
    let bench = Bench::set(WORKS, &least).await;
    let owner = bench.gateway.owner().await;
    let mut machine = Daemon::joined(&bench.gateway.url(), owner, None).await;
    connection_is(owner, &machine.node_id, "connected").await;
    let coders = coders(owner).await;
    let new = json!({ "template_kind": "custom", "title": "Work", "goal": "Work.", "team_template_id": coders,
        "runtime_kind": "local_node", "target_node_id": machine.node_id, "config": { "phases": ["coding"] } });
    let id = created(owner, &new).await;
    launched(owner, &id).await;
    let run = eventually("its agent works", async || {
        let now = mission(owner, &id).await;
        let run = now.body["phase_details"][0]["runs"][0]["run_id"].clone();
        let run = run.as_str()?.to_owned();
        let calls = owner.get(&format!("/api/topology-runs/{run}/steps/coder/calls"));
        calls.send().await.text.contains("sleep 8").then_some(run)
    })
    .await;
    until(owner, &run).await;
    machine.kill();
    let path = format!("/api/topology-runs/{run}");
    eventually("it waits for longer than a second", async || {
        let now = owner.get(&path).expect(200).await;
        let since = now.body["waiting_since"].as_str()?;
        let since = chrono::DateTime::parse_from_rfc3339(since).expect("a time");
        let waits = now.body["waits_for"]["type"] == "machine";
        let waited = chrono::Utc::now().signed_duration_since(since);
        (waits && waited.num_seconds() >= 3).then_some(())
    })
    .await;
    let now = mission(owner, &id).await;
    assert_eq!(now.str("/status"), "running", "{now:?}");
    machine.again();
    let over = becomes(owner, &id, "completed").await;
    assert_eq!(over.body["phase_details"][0]["attempt"], 1);
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn security_scan_whose_machine_goes_away_ends_when_it_is_back() {
    let bench = Bench::new("[[scene]]\n[[scene.turn]]\nsay = \"Done.\"\n").await;
    let owner = bench.gateway.owner().await;
    let mut machine = Daemon::joined(&bench.gateway.url(), owner, None).await;
    connection_is(owner, &machine.node_id, "connected").await;
    let new = json!({ "template_kind": "custom", "title": "Scan", "repo_id": bench.repo, "goal": "Scan.",
        "runtime_kind": "local_node", "target_node_id": machine.node_id, "config": { "phases": ["security_scan"] } });
    let id = created(owner, &new).await;
    launched(owner, &id).await;
    let sandbox = format!("/api/missions/{id}/sandbox");
    eventually("its sandbox is made", async || {
        (owner.get(&sandbox).send().await.status == 200).then_some(())
    })
    .await;
    machine.kill();
    eventually("the mission says that it waits", async || {
        let now = mission(owner, &id).await;
        (now.body["waits_for_node"] != Value::Null).then_some(())
    })
    .await;
    machine.again();
    let over = becomes(owner, &id, "completed").await;
    assert_eq!(over.body["phase_details"][0]["attempt"], 1);
    bench.stop().await;
}
