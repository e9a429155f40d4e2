//! The gateway dies between the commands of a phase without teams. The phase continues with the command that ran, and no
//! command runs twice.

use roost_tests::git_host::GitHost;
use roost_tests::{Client, Process, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};

use super::process::{Beside, SIGABRT, beside_broker};

const TOKEN: &str = "rsttoken-of-probes-5d1a77";
/// Prints how often it ran, in the sandbox that both sides share.
const COUNTS: &str = "n=$(( $(cat /tmp/count 2>/dev/null || echo 0) + 1 )); echo $n > /tmp/count; echo \"nth: $n ns\"";
/// Where it dies: the point, and how often it is passed before.
const DEATHS: [(&str, u32); 5] = [
    ("runtime.session.before_tool", 0),
    ("runtime.session.after_tool", 0),
    ("runtime.session.before_tool", 4),
    ("runtime.session.after_tool", 4),
    ("runtime.session.after_tool", 6),
];

#[tokio::test(flavor = "multi_thread")]
async fn benchmark_whose_gateway_dies_measures_each_side_as_often_as_it_should() {
    killed(&Store::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn benchmark_continues_on_postgresql_after_the_lease_of_the_dead_gateway() {
    if let Some(scratch) = ScratchPostgres::new().await {
        killed(&Store::Postgres(scratch.url().to_owned())).await;
        scratch.remove().await;
    }
}

/// A gateway of its own, with a broker and a repository.
async fn stage(store: &Store) -> (Process, Client, Beside) {
    let image = std::env::var("ROOST_TEST_AGENT_IMAGE");
    let image = image.unwrap_or_else(|_| "roost-agent:rust".to_owned());
    let set = [
        ("sandboxes.local", "on"),
        ("sandboxes.image", &*image),
        ("chaos.allow", "true"),
        ("runs.lease_seconds", "3"),
    ];
    let (process, beside) = beside_broker(store, &set).await;
    let owner = process.owner().await;
    (process, owner, beside)
}

async fn repository(owner: &Client, host: &GitHost) -> Value {
    host.create("acme/tools").await;
    host.commit("acme/tools", "main", "a.txt", b"one").await;
    let body = json!({ "provider": "forgejo", "base_url": host.url(), "token": TOKEN });
    let made = owner.post("/api/repos/connections").json(&body);
    made.expect(201).await;
    eventually("the repository is listed", async || {
        let list = owner.get("/api/repos").expect(200).await;
        let id = &list.body[0]["id"];
        id.is_string().then(|| id.clone())
    })
    .await
}

async fn killed(store: &Store) {
    let (mut process, owner, _beside) = stage(store).await;
    let host = GitHost::start(TOKEN).await;
    let repo = repository(&owner, &host).await;
    for (point, passed) in DEATHS {
        let at = format!("{point}@{passed}");
        let new = json!({ "template_kind": "benchmark", "title": at, "repo_id": repo,
            "config": { "benchmark": { "command": COUNTS, "iterations": 2 } } });
        let mission = owner.post("/api/missions").json(&new).expect(201).await;
        let path = format!("/api/missions/{}", mission.str("/id"));
        process.kill();
        assert!(process.again_with(&format!("{point}=abort@{passed}")).await);
        let launch = owner.post(&format!("{path}/status"));
        // The answer may be cut off with the gateway.
        let launch = launch.json(&json!({ "status": "running" }));
        let _ = launch.try_send().await;
        process.ended_by(SIGABRT).await;
        process.again().await;
        let over = eventually("the mission is over", async || {
            let now = owner.get(&path).expect(200).await;
            let ended = now.body["status"] != "running" && now.body["status"] != "draft";
            ended.then_some(now)
        })
        .await;
        assert_eq!(over.body["status"], "completed", "{at}: {}", over.text);
        let phase = &over.body["phase_details"][0];
        assert_eq!(phase["attempt"], 1, "{at}: {phase}");
        assert_eq!(phase["runs"].as_array().map(Vec::len), Some(1), "{at}");
        let artifacts = over.body["artifacts"].as_array().expect("artifacts");
        let measured = artifacts.iter().find(|one| one["kind"] == "benchmark");
        let id = measured.expect("the measurements")["id"].as_str();
        let id = id.expect("an id");
        let content = owner.get(&format!("{path}/artifacts/{id}/content"));
        let content = content.expect(200).await;
        // Each side was warmed up once. Then they took turns, and each second pair begins with the other side.
        let counted = |side: &str| -> Vec<f64> {
            let pairs = content.body["snapshots"].as_array().expect("snapshots");
            let value = |pair: &Value| pair[side]["samples"][0]["values"][0].as_f64();
            pairs.iter().filter_map(value).collect()
        };
        assert_eq!(
            (counted("before"), counted("after")),
            (vec![3.0, 6.0], vec![4.0, 5.0]),
            "{at}: {}",
            content.text
        );
    }
    process.kill();
}
