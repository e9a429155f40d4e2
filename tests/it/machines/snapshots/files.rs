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
    archives(owner, &claw, &first).await;
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
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
    let taken = |place: usize, key: &str| audit["items"][place]["details"][key].clone();
    assert_eq!(taken(0, "path"), "", "the whole workspace: {audit}");
    assert_eq!(
        (taken(1, "path"), taken(1, "files")),
        (json!("src"), json!(1))
    );
    assert_eq!(taken(2, "path"), "src/a");
    command_line(&terminal, [&first, &second]).await;
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
    let digest = first["digest"].as_str().expect("a digest");
    let restored = terminal.runs(&["files", "restore", "Ada", digest]).await;
    assert!(restored.ok, "{}", restored.err);
    let read = run(owner, &sandbox, "cat near; ls src").await;
    assert_eq!(read["stdout_base64"], "b25lCmEK", "{read}");
}

/// A folder and the whole workspace as archives, which the library of another program reads.
async fn archives(owner: &Client, claw: &str, snapshot: &Value) {
    for (path, expected) in [
        ("src", &["src", "src/a"][..]),
        (
            "",
            &["workspace/near", "workspace/src", "workspace/src/a"][..],
        ),
    ] {
        let archive = of(claw, snapshot, &format!("archive?path={path}"));
        let archive = owner.get(&archive).expect(200).await;
        let folder = tempfile::tempdir().expect("a folder");
        let tar = folder.path().join("tar");
        std::fs::write(&tar, &archive.text).expect("written");
        let listed = std::process::Command::new("tar")
            .arg("-tf")
            .arg(&tar)
            .output()
            .expect("tar runs");
        assert!(listed.status.success(), "{listed:?}");
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let names: Vec<_> = listed
            .lines()
            .map(|name| name.trim_end_matches('/'))
            .collect();
        assert_eq!(names, expected);
    }
    let file = of(claw, snapshot, "archive?path=src/a");
    owner.get(&file).expect(400).await;
    let gone = of(claw, snapshot, "archive?path=gone");
    owner.get(&gone).expect(404).await;
}

/// The same in a terminal: list, read, copy and compare.
async fn command_line(terminal: &Terminal, [first, second]: [&Value; 2]) {
    let digest = |snapshot: &Value| snapshot["digest"].as_str().expect("a digest")[..12].to_owned();
    let (first, second) = (digest(first), digest(second));
    let said = async |args: &[&str]| {
        let said = terminal.runs(&[&["files"], args].concat()).await;
        assert!(said.ok, "{args:?}: {}", said.err);
        said.out
    };
    let history = said(&["history", "Ada"]).await;
    assert!(
        history.contains(&first) && history.contains(&second),
        "{history}"
    );
    let listed = said(&["ls", "Ada", "--at", &first]).await;
    assert!(
        listed.contains("near -> src/a") && listed.contains("src/"),
        "{listed}"
    );
    assert_eq!(said(&["get", "Ada", "src/a"]).await, "changed\n");
    let diff = said(&["diff", "Ada", &first]).await;
    for line in ["removed", "src/b"] {
        assert!(diff.contains(line), "{diff}");
    }
    let patch = said(&["diff", "Ada", &first, "--patch"]).await;
    assert!(patch.contains("-one\n+changed\n"), "{patch}");
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).display().to_string();
    said(&["get", "Ada", "src/a", "-o", &place("a")]).await;
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!(read("a"), "changed\n");
    said(&["get", "Ada", ".", "-r", "--at", &first, "-o", &place("all")]).await;
    assert_eq!(read("all/src/a"), "one\n");
    let link = std::fs::read_link(folder.path().join("all/near"));
    assert_eq!(link.expect("a link"), std::path::Path::new("src/a"));
    for (args, why) in [
        (
            &["get", "Ada", "src/a", "-o", &place("a")][..],
            "cannot make",
        ),
        (
            &["get", "Ada", "src", "-r", "-o", &place("all")][..],
            "exists already",
        ),
        (
            &["ls", "Ada", "--at", "ffffffffffff"][..],
            "no snapshot begins",
        ),
        (&["get", "Ada", "gone"][..], "no such file"),
        (&["restore", "Ada", &first][..], "has a sandbox"),
    ] {
        let refused = terminal.runs(&[&["files"], args].concat()).await;
        assert!(
            !refused.ok && refused.err.contains(why),
            "{args:?}: {}",
            refused.err
        );
    }
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
