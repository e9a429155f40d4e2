//! The files of a snapshot, on a real engine: listed, read and compared, and there again after the engine lost its
//! container and the host lost its own snapshots.
use roost_tests::{Client, Gateway, ScratchPostgres, eventually};
use serde_json::{Value, json};

use crate::program::cli::Terminal;

pub(super) async fn run(owner: &Client, sandbox: &str, script: &str) -> Value {
    let body = json!({ "argv": ["/bin/sh", "-c", script] });
    let exec = format!("{sandbox}/exec?wait=true");
    owner.post(&exec).json(&body).expect(200).await.body
}

/// Waits until the newest snapshot is another one than `before` and on the gateway; returns it.
pub(super) async fn saved(owner: &Client, claw: &str, before: &Value) -> Value {
    eventually("the files are on the gateway", async || {
        let list = owner.get(&format!("{claw}/snapshots")).expect(200).await;
        let newest = list.body["items"][0].clone();
        let new = newest["digest"] != before["digest"] && newest["files"] != 0;
        (newest["uploaded"] == true && new).then_some(newest)
    })
    .await
}

fn of(claw: &str, snapshot: &Value, rest: &str) -> String {
    let id = snapshot["id"].as_str().expect("an id");
    format!("{claw}/snapshots/{id}/{rest}")
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_listed_read_compared_and_there_again_after_a_loss() {
    let image = std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
    let set = [("sandboxes.image", image)];
    story(&Gateway::start_like(&set, None).await).await;
    if let Some(scratch) = ScratchPostgres::new().await {
        story(&Gateway::start_like(&set, Some(&scratch)).await).await;
    }
}

async fn story(gateway: &Gateway) {
    let owner = gateway.owner().await;
    let made = owner.post("/api/claws").json(&json!({ "name": "Ada" }));
    let claw = format!("/api/claws/{}", made.expect(201).await.str("/id"));
    let sandbox = format!("{claw}/sandbox");
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let script = "mkdir src; echo one > src/a; ln -s src/a near";
    run(owner, &sandbox, script).await;
    let first = saved(owner, &claw, &Value::Null).await;
    let script = "echo changed > src/a; echo new > src/b; rm near";
    run(owner, &sandbox, script).await;
    let second = saved(owner, &claw, &first).await;

    let top = owner.get(&of(&claw, &first, "files")).expect(200).await;
    let names = [top.str("/entries/0/name"), top.str("/entries/1/name")];
    assert_eq!(names, ["near", "src"], "{}", top.body);
    assert_eq!(top.body["entries"][0]["target"], "src/a");
    let inside = of(&claw, &second, "files?path=src");
    let inside = owner.get(&inside).expect(200).await;
    assert_eq!(inside.body["entries"][1]["bytes"], 4, "{}", inside.body);
    // Each snapshot has the content of its time.
    for (snapshot, text) in [(&first, "one\n"), (&second, "changed\n")] {
        let file = of(&claw, snapshot, "file?path=src/a");
        assert_eq!(owner.get(&file).expect(200).await.text, text);
    }
    for (path, status) in [("gone", 404), ("src", 400), ("../etc/passwd", 404)] {
        let file = of(&claw, &first, &format!("file?path={path}"));
        owner.get(&file).expect(status).await;
    }
    let before = first["id"].as_str().expect("an id");
    let diff = of(&claw, &second, &format!("diff?before={before}"));
    let diff = owner.get(&diff).expect(200).await.body;
    let changes = diff["changes"].as_array().expect("a list").iter();
    let told: Vec<_> = changes
        .map(|change| (change["path"].as_str(), change["difference"].as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (Some("near"), Some("removed")),
            (Some("src/a"), Some("changed")),
            (Some("src/b"), Some("added"))
        ]
    );
    let audit = "/api/audit?action=sandbox.download";
    let audit = owner.get(audit).expect(200).await.body;
    assert_eq!(audit["items"][0]["details"]["path"], "src/a", "{audit}");
    lose(gateway, owner, &sandbox).await;
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let read = run(owner, &sandbox, "cat src/a src/b").await;
    assert_eq!(read["stdout_base64"], "Y2hhbmdlZApuZXcK", "{read}");
    let shown = owner.get(&sandbox).expect(200).await;
    assert_eq!(shown.body["restored_from"]["digest"], second["digest"]);
    // An earlier snapshot is chosen only for a new sandbox.
    let earlier = json!({ "restore": first["id"] });
    owner.post(&sandbox).json(&earlier).expect(409).await;
    owner.delete(&sandbox).expect(204).await;
    let unknown = json!({ "restore": uuid::Uuid::now_v7() });
    owner.post(&sandbox).json(&unknown).expect(400).await;
    owner.post(&sandbox).json(&earlier).expect(201).await;
    let read = run(owner, &sandbox, "cat near; ls src").await;
    assert_eq!(read["stdout_base64"], "b25lCmEK", "{read}");
}

/// The engine loses the container, and the host loses its own snapshots.
async fn lose(gateway: &Gateway, owner: &Client, sandbox: &str) {
    let shown = owner.get(sandbox).expect(200).await;
    let packs = gateway.data_dir().join("local-engine/snapshots/packs");
    for entry in std::fs::read_dir(packs).expect("a folder") {
        let pack = entry.expect("an entry").path();
        let damaged = std::fs::File::options().write(true).open(pack);
        let damaged = damaged.and_then(|pack| pack.set_len(0));
        damaged.expect("the pack is emptied");
    }
    let removed = std::process::Command::new("docker")
        .args(["rm", "-f", shown.str("/container")])
        .output()
        .expect("docker runs");
    assert!(removed.status.success(), "{removed:?}");
    eventually("the loss is seen", async || {
        let shown = owner.get(sandbox).expect(200).await;
        (shown.body["state"] == "stopped").then_some(())
    })
    .await;
}

/// What a command wrote.
fn decoded(done: &Value) -> String {
    use base64::Engine;
    let base64 = done["stdout_base64"].as_str().expect("stdout");
    let bytes = base64::engine::general_purpose::STANDARD.decode(base64);
    String::from_utf8(bytes.expect("base64")).expect("text")
}

#[tokio::test(flavor = "multi_thread")]
async fn command_line_copies_files_into_a_sandbox_and_keeps_those_that_exist() {
    let image = std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
    let gateway = Gateway::start_like(&[("sandboxes.image", image)], None).await;
    let owner = gateway.owner().await;
    let made = owner.post("/api/claws").json(&json!({ "name": "Ada" }));
    let sandbox = format!("/api/claws/{}/sandbox", made.expect(201).await.str("/id"));
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let folder = tempfile::tempdir().expect("a folder");
    let notes = folder.path().join("notes");
    std::fs::create_dir_all(notes.join("deep")).expect("a folder");
    // More than one request of stdin.
    let large = vec![b'x'; 200 << 10];
    std::fs::write(notes.join("deep/large"), &large).expect("a file");
    std::fs::write(notes.join("a"), "one").expect("a file");
    let local = notes.to_str().expect("text");

    let put = terminal.runs(&["files", "put", "Ada", local, "docs"]).await;
    assert!(put.ok && put.err.contains("/workspace/docs"), "{}", put.err);
    let seen = run(
        &owner.client,
        &sandbox,
        "cat docs/notes/a; wc -c < docs/notes/deep/large",
    )
    .await;
    assert_eq!(decoded(&seen), "one204800\n", "{seen}");

    std::fs::write(notes.join("a"), "two").expect("a file");
    let again = terminal.runs(&["files", "put", "Ada", local, "docs"]).await;
    let seen = run(&owner.client, &sandbox, "cat docs/notes/a").await;
    assert_eq!(decoded(&seen), "one", "{} {seen}", again.err);
    let forced = terminal
        .runs(&["files", "put", "Ada", local, "docs", "--force"])
        .await;
    assert!(forced.ok, "{}", forced.err);
    let seen = run(&owner.client, &sandbox, "cat docs/notes/a").await;
    assert_eq!(decoded(&seen), "two", "{seen}");

    let audit = owner.get("/api/audit?action=sandbox.upload").expect(200);
    let audit = audit.await;
    assert_eq!(audit.str("/items/0/details/folder"), "/workspace/docs");
    assert_eq!(audit.str("/items/0/details/agent"), "Ada");

    for (local, folder, why) in [
        ("/nothing/here", "docs", "cannot read"),
        (local, "../etc", "must be below /workspace"),
    ] {
        let refused = terminal.runs(&["files", "put", "Ada", local, folder]).await;
        assert!(!refused.ok && refused.err.contains(why), "{}", refused.err);
    }
    gateway.stop().await;
}
