//! The boot of a mission's runtime while gateways and machines come and go. A real engine, and the image `runtime`.

use roost_tests::{Client, Daemon, ScratchPostgres, eventually};
use serde_json::{Value, json};

use super::runtime::{Stage, alone, new, pauses, result, writers};
use super::{becomes, created, launched, mission, phases, set_status, template};
use crate::execution::runs::connection_is;

/// A server that begins late. Each start of it leaves a line.
const LATE: &str =
    "echo x >>/workspace/boots; sleep 6; exec roost-runtime -- sh -c 'wc -l </workspace/boots'";

/// The boot is at work: the mission has its sandbox, and its server is not ready.
async fn boots(owner: &Client, id: &str) {
    eventually("its sandbox runs", async || {
        let path = format!("/api/missions/{id}/sandbox");
        let sandbox = owner.get(&path).send().await;
        (sandbox.body["state"] == "running").then_some(())
    })
    .await;
    eventually("its server starts", async || {
        let now = mission(owner, id).await;
        (now.body["runtime"]["state"] == "starting").then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gateway_that_is_killed_in_a_boot_follows_the_server_that_it_started() {
    let (mut process, _beside) = alone(&[]).await;
    let owner = process.owner().await;
    let template = writers(&owner).await;
    let id = created(&owner, &new(&template, LATE)).await;
    launched(&owner, &id).await;
    boots(&owner, &id).await;
    process.kill();
    process.again().await;
    let over = becomes(&owner, &id, "completed").await;
    assert_eq!(result(&owner, &over).await.trim(), "1", "one boot");
    process.terminate().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn boot_waits_for_a_machine_that_goes_away() {
    for scratch in [None, ScratchPostgres::new().await] {
        let stage = Stage::on(scratch.as_ref(), &[]).await;
        let owner = stage.owner().await;
        let mut machine = Daemon::joined(&stage.url(), owner, None).await;
        connection_is(owner, &machine.node_id, "connected").await;
        let id = created(owner, &on_node(&template(owner, "Writers").await, &machine)).await;
        launched(owner, &id).await;
        boots(owner, &id).await;
        machine.kill();
        eventually("the mission says that it waits", async || {
            let now = mission(owner, &id).await;
            (now.body["waits_for_node"] != Value::Null).then_some(())
        })
        .await;
        let now = mission(owner, &id).await;
        assert_eq!(now.str("/status"), "running", "{now:?}");
        machine.again();
        let over = becomes(owner, &id, "completed").await;
        assert_eq!(result(owner, &over).await.trim(), "1", "one boot");
        stage.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gateway_that_holds_the_machine_boots_the_runtime() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let stage = Stage::on(Some(&scratch), &[]).await;
    let second = stage.second(&scratch).await;
    let owner = stage.owner().await;
    // Each gateway holds one of the machines, so one of the missions has to move, whichever gateway takes them.
    let near = Daemon::joined(&stage.url(), owner, None).await;
    let far = Daemon::joined(&second.url(), owner, None).await;
    let writers = template(owner, "Writers").await;
    let mut missions = Vec::new();
    for machine in [&near, &far] {
        connection_is(owner, &machine.node_id, "connected").await;
        let id = created(owner, &on_node(&writers, machine)).await;
        launched(owner, &id).await;
        missions.push(id);
    }
    for id in &missions {
        let over = becomes(owner, id, "completed").await;
        assert_eq!(result(owner, &over).await.trim(), "1", "one boot");
        assert_eq!(over.body["phase_details"][0]["attempt"], 1);
    }
    stage.stop().await;
    second.stop().await;
    scratch.remove().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mission_whose_runtime_did_not_start_is_resumed_with_a_new_boot() {
    let stage = Stage::on(None, &[]).await;
    let owner = stage.owner().await;
    let once = "if [ -e seen ]; then exec roost-runtime -- echo Again.; fi; touch seen; echo Not configured.; exit 1";
    let asked = new(
        &template(owner, "Writers").await,
        &format!("cd /workspace; {once}"),
    );
    let id = created(owner, &asked).await;
    launched(owner, &id).await;
    let now = pauses(owner, &id).await;
    assert_eq!(now.str("/status_reason"), "runtime_failed");
    assert!(
        now.str("/status_detail").contains("Not configured."),
        "{now:?}"
    );
    assert_eq!(phases(&now), ["pending"]);
    set_status(owner, &id, "running", 200).await;
    let over = becomes(owner, &id, "completed").await;
    assert_eq!(result(owner, &over).await.trim(), "Again.");
    stage.stop().await;
}

fn on_node(template: &str, machine: &Daemon) -> Value {
    let mut asked = new(template, LATE);
    asked["runtime_kind"] = json!("local_node");
    asked["target_node_id"] = json!(machine.node_id);
    asked
}
