//! A run whose machine another gateway holds continues there, at the same call. Each of the two gateways may die.

use roost_tests::{
    Client, Daemon, DbInspector, FakeNode, Machine, Process, ScratchPostgres, Store, eventually,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::execution::runs::{connection_is, over, started};

/// An agent that runs two commands.
const SCRIPT: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I begin."
  calls = [{ tool = "shell", arguments = { command = "echo one" } }]
  [[scene.turn]]
  say = "I go on."
  calls = [{ tool = "shell", arguments = { command = "echo two" } }]
  [[scene.turn]]
  say = "Done."
"#;

/// How `abort` ends a process.
const SIGABRT: i32 = 6;

/// Two gateways on one database; the first one gets the requests.
struct Two {
    folder: TempDir,
    _other: TempDir,
    one: Process,
    two: Process,
    token: String,
    inspector: DbInspector,
    scratch: ScratchPostgres,
}

impl Two {
    async fn start() -> Option<Self> {
        let scratch = ScratchPostgres::new().await?;
        let store = Store::Postgres(scratch.url().to_owned());
        let (folder, other) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        let script = folder.path().join("script.toml");
        std::fs::write(&script, SCRIPT).expect("it is written");
        let script = script.display().to_string();
        let image = std::env::var("ROOST_TEST_IMAGE");
        let image = image.unwrap_or_else(|_| "roost-agent:tiny".to_owned());
        let set = [
            ("runs.script", &*script),
            ("runs.lease_seconds", "3"),
            // A gateway that stops holds its machine for three heartbeats.
            ("heartbeat.seconds", "3"),
            ("sandboxes.local", "off"),
            ("sandboxes.image", &*image),
            ("chaos.allow", "true"),
        ];
        let one = Process::start_with(folder.path(), &store, &set).await;
        let token = one.owner_token().await;
        let two = Process::start_with(other.path(), &store, &set).await;
        Some(Self {
            folder,
            _other: other,
            one,
            two,
            token,
            inspector: DbInspector::open(scratch.url()).await,
            scratch,
        })
    }

    fn owner(&self) -> Client {
        Client::new(&self.one.url()).with_token(&self.token)
    }

    /// A team of one agent with a sandbox on this machine.
    async fn team_on(&self, node: &str) -> Value {
        let there = Client::new(&self.two.url()).with_token(&self.token);
        connection_is(&there, node, "connected").await;
        let new = json!({ "name": "Alone", "topology": "single", "roles": [{ "slot": "coder" }],
            "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox"], "machine_id": node });
        let team = there.post("/api/teams").json(&new).expect(201).await.body;
        let id = team["id"].as_str().expect("an id");
        let sandbox = format!("/api/teams/{id}/sandbox");
        let here = json!({ "node_id": node });
        eventually("its sandbox runs", async || {
            let made = there.post(&sandbox).json(&here).try_send().await.ok()?;
            (made.body["state"] == "running").then_some(())
        })
        .await;
        team
    }

    async fn holder(&self) -> String {
        let holders = self.inspector.texts("SELECT held_by AS t FROM nodes").await;
        holders.into_iter().next().expect("the machine is held")
    }

    /// To which gateways runs were handed over.
    async fn handed_to(&self) -> Vec<String> {
        let sql = "SELECT owner AS t FROM run_handovers";
        self.inspector.texts(sql).await
    }

    async fn end(mut self) {
        drop(self.folder);
        self.one.kill();
        self.two.kill();
        self.inspector.close().await;
        self.scratch.remove().await;
    }
}

/// The run completed in one attempt, and each of its calls was made once.
async fn is_whole(owner: &Client, run: &str, what: &str) {
    let ended = over(owner, run).await;
    assert_eq!(ended.body["status"], "completed", "{what}: {ended:?}");
    assert_eq!(ended.body["steps"][0]["attempt"], 1, "{what}: {ended:?}");
    let calls = owner.get(&format!("/api/topology-runs/{run}/calls"));
    let calls = calls.expect(200).await;
    let calls = calls.body["items"].as_array().expect("calls");
    assert_eq!(calls.len(), 5, "{what}: {calls:?}");
}

#[tokio::test]
async fn run_continues_at_the_same_call_on_the_gateway_that_holds_its_machine() {
    let Some(two) = Two::start().await else {
        return;
    };
    let there = Client::new(&two.two.url()).with_token(&two.token);
    let daemon = Daemon::joined(&two.two.url(), &there, None).await;
    let team = two.team_on(&daemon.node_id).await;
    let owner = two.owner();
    let mut runs = Vec::new();
    for _ in 0..3 {
        runs.push(started(&owner, &team).await);
    }
    for run in &runs {
        is_whole(&owner, run, "a daemon").await;
    }
    let handed = two.handed_to().await;
    let holder = two.holder().await;
    assert!(!handed.is_empty());
    assert!(handed.iter().all(|to| *to == holder), "{handed:?} {holder}");
    let claims = two
        .inspector
        .numbers("SELECT claims::bigint AS n FROM run_state");
    assert_eq!(claims.await, [1, 1, 1]);
    let commands = "SELECT COUNT(*) AS n FROM node_operations WHERE kind = 'sb_exec' AND request::text LIKE '%echo %'";
    assert_eq!(two.inspector.numbers(commands).await, [6]);
    let id = team["id"].as_str().expect("an id");
    there
        .delete(&format!("/api/teams/{id}/sandbox"))
        .send()
        .await;
    drop(daemon);
    two.end().await;
}

#[tokio::test]
async fn run_goes_on_when_the_gateway_that_it_was_handed_to_is_dead() {
    let Some(two) = Two::start().await else {
        return;
    };
    let there = Client::new(&two.two.url()).with_token(&two.token);
    let machine = Machine::joined_by(&Client::new(&two.two.url()), &there).await;
    let channels = vec![two.two.channel(), two.one.channel()];
    let mut fake_node = FakeNode::start(machine.clone(), channels);
    let team = two.team_on(&machine.node_id).await;
    let holder = two.holder().await;
    // Its hold of the machine outlives it for a while.
    two.two.pause();
    fake_node.leave();
    let owner = two.owner();
    let run = started(&owner, &team).await;
    eventually("the run is handed over", async || {
        (!two.handed_to().await.is_empty()).then_some(())
    })
    .await;
    // It connects to the other gateway.
    fake_node.come_back();
    is_whole(&owner, &run, "a dead gateway").await;
    assert_eq!(two.handed_to().await, [holder]);
    two.two.go_on();
    drop(fake_node);
    two.end().await;
}

#[tokio::test]
async fn run_is_handed_over_once_when_its_gateway_dies_meanwhile() {
    let Some(mut two) = Two::start().await else {
        return;
    };
    let there = Client::new(&two.two.url()).with_token(&two.token);
    let machine = Machine::joined_by(&Client::new(&two.two.url()), &there).await;
    let fake_node = FakeNode::start(machine.clone(), vec![two.two.channel()]);
    let team = two.team_on(&machine.node_id).await;
    for point in KILLED_THERE {
        two.one.kill();
        assert!(two.one.again_with(&format!("{point}=abort")).await);
        // It must not take the run before the other one does.
        two.two.pause();
        let path = format!("/api/teams/{}/run", team["id"].as_str().expect("an id"));
        let asked = two.owner().post(&path).json(&json!({ "input": point }));
        // The answer may be cut off with the gateway.
        let _ = asked.try_send().await;
        two.one.ended_by(SIGABRT).await;
        let newest = "SELECT status AS t FROM run_state ORDER BY queued_ms DESC LIMIT 1";
        assert_eq!(two.inspector.texts(newest).await, ["running"], "{point}");
        two.two.go_on();
        let newest = there.get("/api/topology-runs?limit=1").expect(200).await;
        is_whole(&there, newest.str("/items/0/id"), point).await;
        two.one.again().await;
    }
    drop(fake_node);
    two.end().await;
}

/// The points that have their case here.
pub const KILLED_THERE: &[&str] = &[
    "runs.hand_over.before_commit",
    "runs.hand_over.after_commit",
];
