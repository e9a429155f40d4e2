//! The escape probe's report of each sandbox: present, or absent with the true reason.

use std::process::Command;

use roost_tests::{Client, Gateway, Process, Store, eventually};
use serde_json::{Value, json};

fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned())
}

async fn sandbox_of(owner: &Client, name: &str) -> String {
    let claw = json!({ "name": name });
    let made = owner.post("/api/claws").json(&claw).expect(201).await;
    format!("/api/claws/{}/sandbox", made.str("/id"))
}

fn shell(script: &str) {
    let ran = Command::new("sh")
        .args(["-euc", script])
        .output()
        .expect("a shell");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// The test's image without its probe; the tag goes with the value.
struct WithoutProbe(String);

impl WithoutProbe {
    fn make() -> Self {
        let tag = format!("roost-test-no-probe:{}", uuid::Uuid::now_v7().simple());
        let folder = tempfile::tempdir().expect("a folder");
        let (tree, from) = (folder.path().join("tree"), image());
        let tree = tree.display();
        shell(&format!(
            "id=$(docker create {from}); mkdir {tree}; docker export $id | tar x -C {tree}; \
             docker rm $id >/dev/null; rm {tree}/usr/local/lib/roost/escape-probe; tar c -C {tree} . | \
             docker import --change 'CMD [\"/usr/local/lib/roost/guest\"]' - {tag} >/dev/null"
        ));
        Self(tag)
    }
}

impl Drop for WithoutProbe {
    fn drop(&mut self) {
        let _ = Command::new("docker").args(["rmi", "-f", &self.0]).output();
    }
}

async fn read(owner: &Client, sandbox: &str) -> Value {
    eventually("the sandbox was read from inside", async || {
        let shown = owner.get(sandbox).expect(200).await.body;
        let facts = shown["hardening"].as_array().map_or(0, Vec::len);
        (facts > 0 || shown["hardening_missing"].is_string()).then_some(shown)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_without_a_probe_is_a_fact_of_its_sandboxes_and_the_usual_image_has_a_report() {
    let bare = WithoutProbe::make();
    let gateway = Gateway::start_with(&[("sandboxes.image", &image())]).await;
    let owner = gateway.owner().await;
    let sandbox = sandbox_of(owner, "Ada").await;
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let shown = read(owner, &sandbox).await;
    assert!(shown["hardening"].as_array().expect("facts").len() > 100);
    assert!(shown.get("hardening_missing").is_none(), "{shown}");
    owner.delete(&sandbox).expect(204).await;

    let sandbox = sandbox_of(owner, "Bea").await;
    let wanted = json!({ "image": bare.0 });
    owner.post(&sandbox).json(&wanted).expect(201).await;
    let shown = read(owner, &sandbox).await;
    let why = shown["hardening_missing"].as_str().expect("a reason");
    assert!(why.contains("no escape probe"), "{why}");
    assert_eq!(shown["state"], "running");
    owner.delete(&sandbox).expect(204).await;
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sandbox_that_ends_while_it_is_read_is_no_warning_and_a_missing_probe_is_said_once() {
    let bare = WithoutProbe::make();
    let folder = tempfile::tempdir().expect("a folder");
    let set = [
        ("sandboxes.local", "on"),
        ("sandboxes.image", &*image()),
        ("plans.free", "{ agents = 50, live_containers = 50 }"),
    ];
    let gateway = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    let owner = gateway.owner().await;
    for n in 0..4 {
        let sandbox = sandbox_of(&owner, &format!("quick {n}")).await;
        owner.post(&sandbox).json(&json!({})).expect(201).await;
        owner.delete(&sandbox).expect(204).await;
    }
    let wanted = json!({ "image": bare.0 });
    for n in 0..3 {
        let sandbox = sandbox_of(&owner, &format!("bare {n}")).await;
        owner.post(&sandbox).json(&wanted).expect(201).await;
        read(&owner, &sandbox).await;
        owner.delete(&sandbox).expect(204).await;
    }
    let log = gateway.log();
    let warnings: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("WARN") && line.contains("probe"))
        .collect();
    assert!(warnings.is_empty(), "{warnings:#?}");
    assert_eq!(log.matches("holds no escape probe").count(), 1, "{log}");
}
