//! A machine is drained and its sandboxes move, with the real engine and two real `roostd`: their files are on the other
//! machine. The same after a restart of the gateway, and after a machine is deleted with all that it had.

use std::process::Command;

use roost_tests::{Client, Daemon, Gateway, Process, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};

use crate::execution::runs::connection_is;

fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned())
}

/// Every database that there is.
async fn each() -> Vec<(Gateway, Option<ScratchPostgres>)> {
    let set = [
        ("sandboxes.local", "off".to_owned()),
        ("sandboxes.image", image()),
    ];
    let mut all = vec![(Gateway::start_like(&set, None).await, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        let gateway = Gateway::start_like(&set, Some(&scratch)).await;
        all.push((gateway, Some(scratch)));
    }
    all
}

async fn machine(url: &str, owner: &Client) -> Daemon {
    let daemon = Daemon::joined(url, owner, None).await;
    connection_is(owner, &daemon.node_id, "connected").await;
    daemon
}

/// An agent with a sandbox on a machine; the route of the sandbox.
async fn agent_on(owner: &Client, name: &str, daemon: &Daemon) -> String {
    let made = owner.post("/api/claws").json(&json!({ "name": name }));
    let sandbox = format!("/api/claws/{}/sandbox", made.expect(201).await.str("/id"));
    begin_on(owner, &sandbox, daemon).await;
    sandbox
}

async fn begin_on(owner: &Client, sandbox: &str, daemon: &Daemon) -> Value {
    let here = json!({ "node_id": daemon.node_id });
    owner.post(sandbox).json(&here).expect(201).await.body
}

async fn run(owner: &Client, sandbox: &str, script: &str) -> Value {
    let body = json!({ "argv": ["/bin/sh", "-c", script] });
    let exec = format!("{sandbox}/exec?wait=true");
    owner.post(&exec).json(&body).expect(200).await.body
}

/// Starts a command that ends when `/workspace/go` exists, and then writes `late`.
async fn wait_in(owner: &Client, sandbox: &str) {
    let script = "until [ -e go ]; do sleep 0.1; done; rm go; echo late > late";
    let body = json!({ "argv": ["/bin/sh", "-c", script] });
    let exec = format!("{sandbox}/exec");
    owner.post(&exec).json(&body).expect(202).await;
}

async fn drain(owner: &Client, daemon: &Daemon, body: Option<Value>) -> Value {
    let path = format!("/api/nodes/{}/drain", daemon.node_id);
    let request = owner.post(&path);
    let request = match &body {
        Some(body) => request.json(body),
        None => request,
    };
    request.expect(200).await.body
}

async fn progress(owner: &Client, daemon: &Daemon) -> Value {
    let path = format!("/api/nodes/{}/drain-progress", daemon.node_id);
    owner.get(&path).expect(200).await.body
}

async fn undrain(owner: &Client, daemon: &Daemon) {
    let path = format!("/api/nodes/{}/undrain", daemon.node_id);
    owner.post(&path).expect(200).await;
}

/// Waits until exactly one sandbox is left, which waits for its command.
async fn only_waits_for_a_command(owner: &Client, daemon: &Daemon, name: &str) -> Value {
    eventually("only the sandbox with a command is left", async || {
        let progress = progress(owner, daemon).await;
        let sandboxes = progress["sandboxes"].as_array()?;
        let [one] = sandboxes.as_slice() else {
            return None;
        };
        let waits = one["owner_name"] == name && one["waits_for"] == "command";
        waits.then(|| progress.clone())
    })
    .await
}

async fn emptied(owner: &Client, daemon: &Daemon) -> Value {
    eventually("the machine is empty", async || {
        let node = format!("/api/nodes/{}", daemon.node_id);
        let node = owner.get(&node).expect(200).await.body;
        node["emptied_at"].is_string().then_some(node)
    })
    .await
}

async fn text_of(owner: &Client, sandbox: &str, file: &str) -> String {
    use base64::Engine;
    let ended = run(owner, sandbox, &format!("cat {file}")).await;
    let bytes = ended["stdout_base64"].as_str().unwrap_or_default();
    let bytes = base64::engine::general_purpose::STANDARD.decode(bytes);
    String::from_utf8_lossy(&bytes.expect("base64")).into_owned()
}

/// Whether the engine has the container of a sandbox.
fn engine_has(sandbox_id: &str) -> bool {
    let name = format!("roost-{sandbox_id}");
    let found = Command::new("docker").args(["inspect", &name]).output();
    found.expect("docker is installed").status.success()
}

#[tokio::test(flavor = "multi_thread")]
async fn drain_with_move_empties_a_machine_and_the_files_are_on_the_other() {
    for (gateway, scratch) in each().await {
        let owner = gateway.owner().await;
        let first = machine(&gateway.url(), owner).await;
        let second = machine(&gateway.url(), owner).await;
        let ada = agent_on(owner, "Ada", &first).await;
        let bea = agent_on(owner, "Bea", &first).await;
        run(owner, &ada, "mkdir src; echo words > src/a").await;
        wait_in(owner, &bea).await;
        let was = owner.get(&ada).expect(200).await.str("/id").to_owned();

        // A plain drain saves, and ends nothing.
        let node = drain(owner, &first, None).await;
        assert_eq!(
            (&node["status"], &node["moves"]),
            (&"draining".into(), &false.into())
        );
        eventually("both are saved and stay", async || {
            let progress = progress(owner, &first).await;
            let sandboxes = progress["sandboxes"].as_array()?.clone();
            let stays = |one: &Value| one["waits_for"].is_null() && one["state"] == "running";
            (sandboxes.len() == 2 && sandboxes.iter().all(stays)).then_some(())
        })
        .await;
        assert!(engine_has(&was));

        let node = drain(owner, &first, Some(json!({ "move": true }))).await;
        assert_eq!(node["moves"], true);
        let left = only_waits_for_a_command(owner, &first, "Bea").await;
        assert_eq!(left["summary"], "1 sandbox left.");
        assert_eq!(left["emptied_at"], Value::Null);
        eventually("the engine has removed it", async || {
            (!engine_has(&was)).then_some(())
        })
        .await;
        owner.get(&bea).expect(200).await;

        // Undraining ends the move, also for the sandbox that waits.
        undrain(owner, &first).await;
        assert_eq!(progress(owner, &first).await["draining"], false);
        run(
            owner,
            &bea,
            "touch go; while [ ! -e late ]; do sleep 0.1; done",
        )
        .await;
        let state = owner.get(&bea).expect(200).await;
        assert_eq!(state.str("/state"), "running");

        wait_in(owner, &bea).await;
        run(owner, &bea, "rm late").await;
        drain(owner, &first, Some(json!({ "move": true }))).await;
        only_waits_for_a_command(owner, &first, "Bea").await;
        run(owner, &bea, "touch go").await;
        let node = emptied(owner, &first).await;
        assert_eq!(node["drained"], true, "{node}");
        let left = progress(owner, &first).await;
        assert_eq!(left["sandboxes"], json!([]));
        assert_eq!(left["unsaved"], json!([]));
        assert_eq!(left["emptied_at"], node["emptied_at"]);
        let log = owner
            .get("/api/audit?action=node.emptied")
            .expect(200)
            .await;
        assert_eq!(log.body["items"][0]["entity_id"], first.node_id.as_str());
        let log = owner
            .get("/api/audit?action=sandbox.moved")
            .expect(200)
            .await;
        assert_eq!(log.body["items"].as_array().map(Vec::len), Some(2));

        for (sandbox, file, text) in [(&ada, "src/a", "words\n"), (&bea, "late", "late\n")] {
            let made = begin_on(owner, sandbox, &second).await;
            assert_eq!(made["node_id"], second.node_id.as_str());
            assert!(made["restored_from"]["digest"].is_string(), "{made}");
            assert_eq!(text_of(owner, sandbox, file).await, text);
        }
        // The end of draining ends the emptiness too.
        undrain(owner, &first).await;
        let node = format!("/api/nodes/{}", first.node_id);
        let node = owner.get(&node).expect(200).await.body;
        assert_eq!(node["emptied_at"], Value::Null);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn drain_with_move_goes_on_after_a_restart_of_the_gateway() {
    let folder = tempfile::tempdir().expect("a folder");
    let image = image();
    let set = [("sandboxes.local", "off"), ("sandboxes.image", &*image)];
    let mut process = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    let owner = process.owner().await;
    let first = machine(&process.url(), &owner).await;
    let second = machine(&process.url(), &owner).await;
    let bea = agent_on(&owner, "Bea", &first).await;
    wait_in(&owner, &bea).await;
    drain(&owner, &first, Some(json!({ "move": true }))).await;
    only_waits_for_a_command(&owner, &first, "Bea").await;
    process.kill();
    process.again().await;
    connection_is(&owner, &first.node_id, "connected").await;
    run(&owner, &bea, "touch go").await;
    emptied(&owner, &first).await;
    connection_is(&owner, &second.node_id, "connected").await;
    begin_on(&owner, &bea, &second).await;
    assert_eq!(text_of(&owner, &bea, "late").await, "late\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_the_last_snapshot_are_there_after_a_machine_was_deleted() {
    for (gateway, scratch) in each().await {
        let owner = gateway.owner().await;
        let mut first = machine(&gateway.url(), owner).await;
        let second = machine(&gateway.url(), owner).await;
        let ada = agent_on(owner, "Ada", &first).await;
        run(owner, &ada, "echo words > a").await;
        let snapshots = ada.replace("/sandbox", "/snapshots");
        let saved = eventually("the files are on the gateway", async || {
            let list = owner.get(&snapshots).expect(200).await;
            let newest = list.body["items"][0].clone();
            (newest["uploaded"] == true && newest["files"] == 1).then_some(newest)
        })
        .await;
        // The machine is gone with its disk and its engine.
        let sandbox = owner.get(&ada).expect(200).await.str("/id").to_owned();
        let lost = first.node_id.clone();
        first.kill();
        drop(first);
        let name = format!("roost-{sandbox}");
        let removed = Command::new("docker").args(["rm", "-f", &name]).output();
        assert!(removed.expect("docker is installed").status.success());
        owner
            .delete(&format!("/api/nodes/{lost}"))
            .expect(202)
            .await;
        owner.get(&format!("/api/nodes/{lost}")).expect(404).await;
        eventually("the sandbox is lost", async || {
            let row = owner.get(&ada).send().await;
            (row.status == 404 || row.body["state"] == "lost").then_some(())
        })
        .await;

        let made = begin_on(owner, &ada, &second).await;
        assert_eq!(made["restored_from"]["digest"], saved["digest"]);
        assert_eq!(made["restored_from"]["taken_at"], saved["taken_at"]);
        assert_eq!(text_of(owner, &ada, "a").await, "words\n");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}
