//! Sandboxes on a real engine: provisioned, used, ended, refused, placed, and kept across the death of the gateway.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use roost_tests::{Client, Gateway, Machine, Stream, eventually};
use serde_json::{Value, json};

/// The small image that `make test` builds; a missing engine or image is a failure, not a skip.
fn image() -> String {
    std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned())
}

async fn with_engine() -> Gateway {
    Gateway::start_with(&[("sandboxes.image", &image())]).await
}

async fn agent(owner: &Client) -> String {
    let made = owner
        .post("/api/claws")
        .json(&json!({ "name": roost_tests::unique("Ada") }))
        .expect(201)
        .await;
    format!("/api/claws/{}/sandbox", made.str("/id"))
}

fn decoded(done: &Value, stream: &str) -> Vec<u8> {
    STANDARD
        .decode(done[stream].as_str().unwrap_or_default())
        .expect("base64")
}

async fn run(owner: &Client, sandbox: &str, script: &str) -> Value {
    let body = json!({ "argv": ["/bin/sh", "-c", script] });
    owner
        .post(&format!("{sandbox}/exec?wait=true"))
        .json(&body)
        .expect(200)
        .await
        .body
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sandbox_is_made_used_and_ended_and_each_step_counts_in_the_quota() {
    let gateway = with_engine().await;
    let owner = gateway.owner().await;
    let sandbox = agent(owner).await;
    owner
        .post(&format!("{sandbox}/exec"))
        .json(&json!({ "argv": ["true"] }))
        .refused(409, "no-sandbox")
        .await;
    let made = owner.post(&sandbox).json(&json!({})).expect(201).await;
    assert_eq!(made.body["state"], "running");
    assert_eq!(made.body["node_id"], "local");
    // Asked again, the agent keeps the one it has.
    let again = owner.post(&sandbox).json(&json!({})).expect(200).await;
    assert_eq!(again.body["id"], made.body["id"]);
    let quota = owner.get("/api/quota").expect(200).await;
    assert_eq!(quota.body["live_containers"]["used"], 1);

    let done = run(owner, &sandbox, "printf 'out\\377'; printf err >&2; exit 7").await;
    assert_eq!(
        (&done["state"], &done["code"]),
        (&json!("done"), &json!(7)),
        "{done}"
    );
    assert_eq!(
        decoded(&done, "stdout_base64"),
        b"out\xff",
        "output that is not UTF-8 arrives as it is"
    );
    assert_eq!(decoded(&done, "stderr_base64"), b"err");
    let inside = run(
        owner,
        &sandbox,
        "id -u; cat /proc/self/status | grep CapEff; touch /x 2>&1; ls /sys/class/net",
    )
    .await;
    let inside = String::from_utf8_lossy(&decoded(&inside, "stdout_base64")).into_owned();
    assert!(
        inside.contains("CapEff:\t0000000000000000") && inside.contains("Read-only"),
        "{inside}"
    );
    assert!(
        !inside.starts_with("0\n") && inside.trim_end().ends_with("lo"),
        "{inside}"
    );

    owner.delete(&sandbox).expect(204).await;
    owner.get(&sandbox).refused(404, "not-found").await;
    let quota = owner.get("/api/quota").expect(200).await;
    assert_eq!(quota.body["live_containers"]["used"], 0);
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_workspace_comes_back_with_the_next_sandbox() {
    let gateway = with_engine().await;
    let owner = gateway.owner().await;
    let sandbox = agent(owner).await;
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    run(owner, &sandbox, "echo kept > /workspace/note").await;
    owner.delete(&sandbox).expect(204).await;
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let done = run(owner, &sandbox, "cat /workspace/note").await;
    assert_eq!(decoded(&done, "stdout_base64"), b"kept\n", "{done}");
    owner.delete(&sandbox).expect(204).await;
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn output_streams_by_offset_stdin_is_taken_once_and_a_cancel_kills_the_tree() {
    let gateway = with_engine().await;
    let owner = gateway.owner().await;
    let sandbox = agent(owner).await;
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let taken = owner
        .post(&format!("{sandbox}/exec"))
        .json(&json!({ "argv": ["cat"] }))
        .expect(202)
        .await;
    let path = format!("{sandbox}/exec/{}", taken.str("/operation_id"));
    for _ in 0..2 {
        let stdin = owner
            .post(&format!("{path}/stdin?offset=0"))
            .header("content-type", "application/octet-stream");
        let at = stdin.body("hello\n").expect(200).await;
        assert_eq!(at.body["offset"], 6, "the same bytes twice count once");
    }
    owner
        .post(&format!("{path}/stdin?offset=6&eof=true"))
        .body("")
        .expect(200)
        .await;
    let mut whole = Stream::open(owner.get(&path).header("accept", "text/event-stream")).await;
    let first = whole.next().await.expect("output");
    assert_eq!(
        (first.kind.as_str(), &first.data["data_base64"]),
        ("output", &json!("aGVsbG8K"))
    );
    let exit = whole.next().await.expect("the end");
    assert_eq!(
        (exit.kind.as_str(), &exit.data["code"]),
        ("exit", &json!(0))
    );
    let mut rest = Stream::open(
        owner
            .get(&format!("{path}?offset=2"))
            .header("accept", "text/event-stream"),
    )
    .await;
    assert_eq!(
        rest.next().await.expect("the rest").data["data_base64"],
        "bGxvCg=="
    );

    // A grandchild in a session of its own does not outlive its command.
    let script = "setsid sleep 600 & sleep 600";
    let taken = owner
        .post(&format!("{sandbox}/exec"))
        .json(&json!({ "argv": ["/bin/sh", "-c", script] }))
        .expect(202)
        .await;
    let path = format!("{sandbox}/exec/{}", taken.str("/operation_id"));
    eventually("both sleeps run", async || {
        let done = run(owner, &sandbox, "ps | grep -c '[s]leep 600'").await;
        (decoded(&done, "stdout_base64") >= b"2".to_vec()).then_some(())
    })
    .await;
    owner.delete(&path).expect(202).await;
    let mut end = Stream::open(owner.get(&path).header("accept", "text/event-stream")).await;
    assert_eq!(
        end.next().await.expect("the end").data["state"],
        "cancelled"
    );
    let left = run(owner, &sandbox, "ps | grep -c '[s]leep 600'").await;
    assert_eq!(decoded(&left, "stdout_base64"), b"0\n");
    owner.delete(&sandbox).expect(204).await;
    gateway.stop().await;
}

/// A gateway as a process of its own, to be killed.
struct Process {
    child: std::process::Child,
    folder: std::path::PathBuf,
    url: String,
}

impl Process {
    async fn start(folder: &std::path::Path) -> Self {
        let bin = std::env::var("ROOST_TEST_BIN_DIR").map_or_else(
            |_| std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/debug"),
            std::path::PathBuf::from,
        );
        // The port is asked of the kernel and given back: a gateway that is killed comes back under its address.
        let port_file = folder.join("port");
        let port = std::fs::read_to_string(&port_file).unwrap_or_else(|_| {
            let probe = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
            probe.local_addr().expect("an address").port().to_string()
        });
        std::fs::write(&port_file, &port).expect("the folder can be written");
        let mut command = std::process::Command::new(bin.join("roost"));
        command
            .arg("serve")
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        for (key, value) in [
            ("listen", format!("127.0.0.1:{port}")),
            ("operator_listen", "127.0.0.1:0".to_owned()),
            ("data_dir", folder.join("data").display().to_string()),
            ("sandboxes.image", image()),
        ] {
            command.arg("--set").arg(format!("{key}={value}"));
        }
        let child = command.spawn().expect("`cargo build --bins` made roost");
        let url = format!("http://127.0.0.1:{port}");
        let ready = format!("{url}/readyz");
        let _ = rustls::crypto::ring::default_provider().install_default();
        let probe = reqwest::Client::builder().build().expect("a client");
        eventually("the gateway is ready", async || {
            let answer = probe.get(&ready).send().await;
            answer
                .is_ok_and(|answer| answer.status().is_success())
                .then_some(())
        })
        .await;
        Self {
            child,
            folder: folder.to_owned(),
            url,
        }
    }

    /// Kills it without a word, and starts another one on the same data.
    async fn killed_and_started(mut self) -> Self {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ended");
        let folder = self.folder.clone();
        Self::start(&folder).await
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A killed one is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_outlives_its_killed_gateway_and_its_output_goes_on_by_offset() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let gateway = Process::start(folder.path()).await;
    let code =
        std::fs::read_to_string(folder.path().join("data/first-login")).expect("a first login");
    let anonymous = Client::new(&gateway.url);
    let login = json!({ "one_time": code.trim() });
    let session = anonymous
        .post("/api/auth/login")
        .json(&login)
        .expect(200)
        .await;
    let owner = anonymous.with_token(session.str("/token"));
    let sandbox = agent(&owner).await;
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let script =
        "echo before; while [ ! -e /workspace/go ]; do sleep 0.1; done; echo after; exit 3";
    let body = json!({ "argv": ["/bin/sh", "-c", script] });
    let taken = owner
        .post(&format!("{sandbox}/exec"))
        .json(&body)
        .expect(202)
        .await;
    let path = format!("{sandbox}/exec/{}", taken.str("/operation_id"));
    let mut stream = Stream::open(owner.get(&path).header("accept", "text/event-stream")).await;
    assert_eq!(
        stream.next().await.expect("output").data["data_base64"],
        STANDARD.encode("before\n")
    );
    drop(stream);
    shows(&owner, &sandbox, "working").await;
    let gateway = gateway.killed_and_started().await;
    let go = run(&owner, &sandbox, "touch /workspace/go").await;
    assert_eq!(go["code"], 0, "{go}");
    let mut stream = Stream::open(
        owner
            .get(&format!("{path}?offset=7"))
            .header("accept", "text/event-stream"),
    )
    .await;
    assert_eq!(
        stream.next().await.expect("output").data["data_base64"],
        STANDARD.encode("after\n")
    );
    let exit = stream.next().await.expect("the end");
    assert_eq!(
        (&exit.data["state"], &exit.data["code"]),
        (&json!("done"), &json!(3))
    );
    // The watcher of the command died with its gateway; the agent rests all the same.
    shows(&owner, &sandbox, "idle").await;
    owner.delete(&sandbox).expect(204).await;
    drop(gateway);
}

async fn shows(owner: &Client, sandbox: &str, status: &str) {
    let agent = sandbox.trim_end_matches("/sandbox");
    eventually(&format!("{agent} shows as {status}"), async || {
        let seen = owner.get(agent).expect(200).await;
        (seen.body["status"] == status).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_works_until_its_own_last_command_ends() {
    let gateway = with_engine().await;
    let owner = gateway.owner().await;
    let waits = |flag: &str| {
        let script = format!("while [ ! -e /workspace/{flag} ]; do sleep 0.05; done");
        json!({ "argv": ["/bin/sh", "-c", script] })
    };
    let (one, other) = (agent(owner).await, agent(owner).await);
    for (sandbox, flag) in [(&one, "a"), (&one, "b"), (&other, "a")] {
        if flag == "a" {
            owner.post(sandbox).json(&json!({})).expect(201).await;
        }
        owner
            .post(&format!("{sandbox}/exec"))
            .json(&waits(flag))
            .expect(202)
            .await;
    }
    shows(owner, &one, "working").await;
    shows(owner, &other, "working").await;
    run(owner, &one, "touch /workspace/a; sleep 0.4").await;
    shows(owner, &one, "working").await;
    run(owner, &one, "touch /workspace/b").await;
    // The other agent's command goes on, which is no reason for this one to look busy.
    shows(owner, &one, "idle").await;
    shows(owner, &other, "working").await;
    run(owner, &other, "touch /workspace/a").await;
    shows(owner, &other, "idle").await;
    for sandbox in [&one, &other] {
        owner.delete(sandbox).expect(204).await;
    }
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_commands_at_once_with_one_key_start_one() {
    let gateway = with_engine().await;
    let owner = gateway.owner().await;
    let sandbox = agent(owner).await;
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let body = json!({ "argv": ["/bin/sh", "-c", "echo x >> /workspace/count"] });
    let exec = format!("{sandbox}/exec");
    let one = async || {
        owner
            .post(&exec)
            .header("idempotency-key", "k1")
            .json(&body)
            .send()
            .await
            .status
    };
    let all = futures::future::join_all((0..10).map(|_| one())).await;
    assert!(all.contains(&202), "{all:?}");
    eventually("the command ran", async || {
        let seen = run(owner, &sandbox, "cat /workspace/count 2>/dev/null | wc -l").await;
        (decoded(&seen, "stdout_base64") == b"1\n").then_some(())
    })
    .await;
    tokio::time::timeout(Duration::from_secs(30), owner.delete(&sandbox).expect(204))
        .await
        .expect("it ends");
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_say_which_field_is_wrong_and_start_nothing() {
    let gateway = with_engine().await;
    let owner = gateway.owner().await;
    let sandbox = agent(owner).await;
    for (body, pointer) in [
        (json!({ "privileged": true }), "/privileged"),
        (json!({ "image": "--privileged" }), "/image"),
        (json!({ "image": "a b" }), "/image"),
        (
            json!({ "limits": { "memory_bytes": 1 } }),
            "/limits/memory_bytes",
        ),
        (json!({ "limits": { "devices": [] } }), "/limits/devices"),
    ] {
        let refused = owner
            .post(&sandbox)
            .json(&body)
            .refused(400, "validation")
            .await;
        let errors = refused.body["errors"].to_string();
        assert!(errors.contains(pointer), "{body} gave {errors}");
    }
    let missing = owner
        .post(&sandbox)
        .json(&json!({ "image": "roost-no-such-image:none" }));
    missing.refused(503, "image-missing").await;
    let quota = owner.get("/api/quota").expect(200).await;
    assert_eq!(
        quota.body["live_containers"]["used"], 0,
        "what could not be made gives its place back"
    );
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    for (body, pointer) in [
        (json!({ "argv": [] }), "/argv"),
        (
            json!({ "argv": ["true"], "cwd": "/workspace/../etc" }),
            "/cwd",
        ),
        (
            json!({ "argv": ["true"], "env": { "LD_PRELOAD": "/x" } }),
            "/env",
        ),
        (json!({ "argv": ["true"], "deadline_s": 0 }), "/deadline_s"),
    ] {
        let refused = owner
            .post(&format!("{sandbox}/exec"))
            .json(&body)
            .refused(400, "validation")
            .await;
        assert!(
            refused.body["errors"].to_string().contains(pointer),
            "{body}"
        );
    }
    let none = run(owner, &sandbox, "exec /no/such/program").await;
    assert_eq!(none["code"], 127, "{none}");
    owner.delete(&sandbox).expect(204).await;
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_is_away_is_not_waited_for_and_the_answer_says_why() {
    let gateway = with_engine().await;
    let owner = gateway.owner().await;
    let machine = Machine::joined(&gateway, owner).await;
    let set = json!({ "target": "node", "node_id": machine.node_id });
    owner
        .put("/api/fleet/placement")
        .json(&set)
        .expect(200)
        .await;
    let sandbox = agent(owner).await;
    let made = owner.post(&sandbox).json(&json!({})).expect(201).await;
    assert_eq!(made.body["node_id"], "local");
    assert_eq!(made.body["fallback"]["reason"], "node_offline");
    let mut events =
        Stream::open(owner.get("/api/events?types=placement.fallback&last_event_id=1.0")).await;
    let event = events.next().await.expect("the event");
    assert_eq!(
        (event.kind.as_str(), &event.data["reason"]),
        ("placement.fallback", &json!("node_offline"))
    );
    // Another workspace's machine does not exist.
    let stranger = gateway.stranger().await;
    stranger
        .put("/api/fleet/placement")
        .json(&set)
        .refused(404, "not-found")
        .await;
    owner.delete(&sandbox).expect(204).await;
    gateway.stop().await;
}
