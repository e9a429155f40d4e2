//! The gateway dies while a mission pauses or resumes its runs. The runs are paused and resumed once the gateway is back.

use roost_tests::model_server::ModelServer;
use roost_tests::{Client, Process, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};

use super::lives::{coding, endless};
use super::process::{SIGABRT, beside_broker};
use super::{launched, mission, set_status, think_with};

#[tokio::test]
async fn mission_whose_gateway_dies_while_it_pauses_or_resumes_does_both() {
    killed(&Store::Sqlite).await;
}

#[tokio::test]
async fn mission_pauses_and_resumes_on_postgresql_after_the_lease_of_the_dead_gateway() {
    if let Some(scratch) = ScratchPostgres::new().await {
        killed(&Store::Postgres(scratch.url().to_owned())).await;
        scratch.remove().await;
    }
}

async fn killed(store: &Store) {
    let set = [
        ("sandboxes.local", "off"),
        ("chaos.allow", "true"),
        ("runs.lease_seconds", "3"),
    ];
    let (mut process, _beside) = beside_broker(store, &set).await;
    let owner = process.owner().await;
    // Before the launch: the lease of a mission outlives the gateway that is killed.
    process.kill();
    assert!(process.again_with("missions.hold.after_mark=abort").await);
    let server = endless().await;
    think_with(&owner, &server).await;
    let id = coding(&owner, &json!(["coding"])).await;
    launched(&owner, &id).await;
    works(&server).await;

    dies(&mut process, &owner, &id, "paused").await;
    let armed = process.again_with("missions.resume.after_runs=abort");
    assert!(armed.await);
    assert_eq!(mission(&owner, &id).await.str("/status_reason"), "person");
    let run = parked(&owner, &id).await;

    dies(&mut process, &owner, &id, "running").await;
    process.again().await;
    works(&server).await;
    eventually("the run is not paused", async || {
        (run_of(&owner, &id).await["is_paused"] == false).then_some(())
    })
    .await;

    // The mark is gone with the resume: a run that a person pauses now stays paused, and each run was resumed once.
    let pause = owner.post(&format!("/api/topology-runs/{run}/pause"));
    pause.expect(200).await;
    process.kill();
    process.again().await;
    assert_eq!(parked(&owner, &id).await, run);
    set_status(&owner, &id, "cancelled", 200).await;
    eventually("its run has ended", async || {
        (run_of(&owner, &id).await["status"] == "cancelled").then_some(())
    })
    .await;
    let audit = owner.get("/api/audit?action=run.resumed").expect(200).await;
    let resumed = audit.body["items"].as_array().map(Vec::len);
    assert_eq!(resumed, Some(1), "{}", audit.text);
    process.kill();
}

/// Asks for a status, and waits until the gateway dies of it.
async fn dies(process: &mut Process, owner: &Client, id: &str, status: &str) {
    let change = owner.post(&format!("/api/missions/{id}/status"));
    let change = change.json(&json!({ "status": status }));
    // The answer may be cut off with the gateway.
    let _ = change.try_send().await;
    process.ended_by(SIGABRT).await;
}

/// Waits until the model is asked again.
async fn works(server: &ModelServer) {
    let asked = server.asked().len();
    eventually("the agent works", async || {
        (server.asked().len() > asked + 2).then_some(())
    })
    .await;
}

async fn run_of(owner: &Client, id: &str) -> Value {
    mission(owner, id).await.body["phase_details"][0]["runs"][0].clone()
}

/// Waits until the run is paused and its step is parked. Returns the run's id.
async fn parked(owner: &Client, id: &str) -> String {
    let run = run_of(owner, id).await;
    let run = run["run_id"].as_str().expect("an id").to_owned();
    let path = format!("/api/topology-runs/{run}");
    eventually("its step is parked", async || {
        let now = owner.get(&path).expect(200).await;
        (now.body["paused_at"].is_string() && now.body["waits_for"]["type"] == "pause")
            .then_some(())
    })
    .await;
    run
}
