//! The sandbox of a team: it outlives the agents that work there, and ends with the team.

use std::path::Path;

use roost_tests::{Client, Gateway, eventually};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use crate::program::cli::Terminal;

async fn with_engine() -> Gateway {
    let image = std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
    Gateway::start_with(&[("sandboxes.image", &image)]).await
}

async fn team(owner: &Client, shared: bool) -> Value {
    let new = json!({ "name": roost_tests::unique("Pair"), "topology": "pipeline", "shared_sandbox": shared,
        "roles": [{ "slot": "one" }, { "slot": "two" }] });
    owner.post("/api/teams").json(&new).expect(201).await.body
}

fn address(team: &Value) -> String {
    format!("/api/teams/{}", team["id"].as_str().expect("an id"))
}

fn members(team: &Value) -> Vec<String> {
    let all = team["members"].as_array().expect("members");
    let id = |member: &Value| member["agent_id"].as_str().expect("an id").to_owned();
    all.iter().map(id).collect()
}

async fn said(owner: &Client, sandbox: &str, script: &str) -> Value {
    let body = json!({ "argv": ["/bin/sh", "-c", script] });
    let exec = format!("{sandbox}/exec?wait=true");
    owner.post(&exec).json(&body).expect(200).await.body
}

/// Whether a stored workspace on a gateway's host contains a text.
fn holds(gateway: &Gateway, text: &str) -> bool {
    let packs = gateway.data_dir().join("local-engine/snapshots/packs");
    names(&packs).iter().any(|name| {
        // A pack may be replaced by a smaller one at this moment.
        let bytes = std::fs::read(packs.join(name)).unwrap_or_default();
        let mut windows = bytes.windows(text.len());
        windows.any(|window| window == text.as_bytes())
    })
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.map(name).collect()
}

async fn rows(gateway: &Gateway, table: &str) -> i64 {
    let db = gateway.app().db();
    let sql = format!("SELECT COUNT(*) AS n FROM {table}");
    let statement = Statement::from_string(db.backend().into(), sql);
    let row = db.read().query_one_raw(statement).await;
    let row = row.expect("the table exists").expect("a count is a row");
    row.try_get("", "n").expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn sandbox_of_a_team_outlives_its_agents_and_ends_with_the_team() {
    let gateway = with_engine().await;
    let owner = gateway.owner().await;
    let pair = team(owner, true).await;
    assert_eq!(pair["shared_sandbox"], true);
    let (address, sandbox) = (address(&pair), format!("{}/sandbox", address(&pair)));
    let made = owner.post(&sandbox).json(&json!({})).expect(201).await;
    assert_eq!(made.str("/owner_kind"), "team");
    assert_eq!(made.body["owner_id"], pair["id"]);
    said(
        owner,
        &sandbox,
        "echo planted-in-the-team > /workspace/note",
    )
    .await;
    for agent in members(&pair) {
        let seat = owner.get(&format!("/api/claws/{agent}/runtime-config"));
        assert_eq!(seat.expect(200).await.body["sandbox_team_id"], pair["id"]);
        let purge = format!("/api/claws/{agent}?purge=true");
        owner.delete(&purge).expect(202).await;
        eventually("the agent is purged", async || {
            let gone = owner
                .get(&format!("/api/claws/{agent}"))
                .send()
                .await
                .status
                == 404;
            gone.then_some(())
        })
        .await;
    }
    let read = said(owner, &sandbox, "cat /workspace/note").await;
    assert_eq!(read["stdout_base64"], "cGxhbnRlZC1pbi10aGUtdGVhbQo=");
    // The sandbox that follows begins with these files.
    owner.delete(&sandbox).expect(204).await;
    let history = owner.get(&format!("{address}/snapshots")).expect(200).await;
    // The gateway's own probe of the new sandbox causes none.
    let items = history.body["items"].as_array().map(Vec::len);
    assert_eq!(items, Some(1), "{}", history.text);
    assert!(holds(&gateway, "planted-in-the-team"));
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    let read = said(owner, &sandbox, "cat /workspace/note").await;
    assert_eq!(read["code"], 0);
    // An agent's command is not a command of the team, and the other way round.
    let stranger = owner.post("/api/claws").json(&json!({ "name": "Eve" }));
    let stranger = format!(
        "/api/claws/{}/sandbox",
        stranger.expect(201).await.str("/id")
    );
    let command = read["operation_id"].as_str().expect("an id");
    let foreign = owner.get(&format!("{stranger}/exec/{command}"));
    foreign.refused(404, "not-found").await;

    owner.delete(&address).expect(204).await;
    owner
        .post(&sandbox)
        .json(&json!({}))
        .refused(404, "not-found")
        .await;
    eventually("nothing of the team is left", async || {
        let rows =
            rows(&gateway, "agent_containers").await + rows(&gateway, "workspace_snapshots").await;
        let shown = owner.get(&sandbox).send().await.status;
        (rows == 0 && shown == 404 && !holds(&gateway, "planted-in-the-team")).then_some(())
    })
    .await;
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn team_whose_agents_have_their_own_sandboxes_gets_none_until_it_shares_one() {
    let gateway = with_engine().await;
    let owner = gateway.owner().await;
    let pair = team(owner, false).await;
    let (address, sandbox) = (address(&pair), format!("{}/sandbox", address(&pair)));
    let refused = owner.post(&sandbox).json(&json!({}));
    let refused = refused.refused(409, "conflict").await;
    assert!(refused.str("/detail").contains("a sandbox of its own"));
    owner.get(&sandbox).refused(404, "not-found").await;
    let config = format!("/api/claws/{}/runtime-config", members(&pair)[0]);
    let own = owner.get(&config).expect(200).await;
    assert_eq!(own.body.get("sandbox_team_id"), None);
    let terminal = Terminal::signed_in(&gateway.url(), &owner.token).await;
    let name = pair["name"].as_str().expect("a name");
    let shown = terminal.runs(&["team", "show", name]).await;
    assert!(
        shown.out.contains("sandbox     one for each agent\n"),
        "{}",
        shown.out
    );
    let changes = ["team", "sandbox", name, "--shared", "true"];
    let changed = terminal.runs(&changes).await;
    let words = format!("sandbox     shared (team:{name})\n");
    assert!(
        changed.out.contains(&words),
        "{}{}",
        changed.out,
        changed.err
    );
    let now = owner.get(&address).expect(200).await;
    assert_eq!(now.body["shared_sandbox"], true);
    let own = owner.get(&config).expect(200).await;
    assert_eq!(own.body["sandbox_team_id"], pair["id"]);
    owner.post(&sandbox).json(&json!({})).expect(201).await;
    // With its agents it goes in the same way.
    owner
        .delete(&format!("{address}?with_agents=true"))
        .expect(204)
        .await;
    eventually("the team is gone with its sandbox", async || {
        let rows = rows(&gateway, "agent_containers").await;
        let gone = owner.get(&address).send().await.status == 404;
        (gone && rows == 0).then_some(())
    })
    .await;
    gateway.stop().await;
}
