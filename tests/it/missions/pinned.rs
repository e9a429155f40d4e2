//! A mission on a machine: it waits while the machine is away, says so, and never works elsewhere.

use roost_tests::{Daemon, eventually};
use serde_json::{Value, json};

use super::{becomes, created, launched, mission, phase_id};
use crate::connections::checkouts::Bench;
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

#[tokio::test(flavor = "multi_thread")]
async fn mission_on_a_machine_that_is_deleted_fails_with_words_that_say_so() {
    let bench = Bench::new("[[scene]]\n[[scene.turn]]\nsay = \"Done.\"\n").await;
    let owner = bench.gateway.owner().await;
    let mut machine = Daemon::joined(&bench.gateway.url(), owner, None).await;
    connection_is(owner, &machine.node_id, "connected").await;
    let new = json!({ "template_kind": "benchmark", "title": "Slow", "repo_id": bench.repo,
        "runtime_kind": "local_node", "target_node_id": machine.node_id,
        "config": { "benchmark": { "command": SLOW, "iterations": 6 } } });
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
    assert_eq!(paused.str("/status_reason"), "phase_failed");
    let detail = paused.str("/status_detail");
    assert!(detail.contains("machine"), "{detail}");
    bench.stop().await;
}
