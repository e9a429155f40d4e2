//! The machine for a team's agents: people choose it, a run keeps it, and it changes to `local` when it accepts no more
//! work.

use roost_execution::runs::store;
use roost_platform::ids::RunId;
use roost_tests::{FakeNode, Gateway, Machine, ScratchPostgres, Stream, eventually};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use super::{connection_is, over, started};

/// An agent that works on files, alone in its team, on this machine.
fn alone_on(machine: &Value) -> Value {
    json!({ "name": "Alone", "topology": "single", "roles": [{ "slot": "coder" }],
        "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox"], "machine_id": machine })
}

/// A gateway on each back end with these keys.
async fn on_each(set: &[(&str, String)]) -> Vec<(Gateway, Option<ScratchPostgres>)> {
    let mut each = vec![(Gateway::start_like(set, None).await, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        let gateway = Gateway::start_like(set, Some(&scratch)).await;
        each.push((gateway, Some(scratch)));
    }
    each
}

#[tokio::test]
async fn a_teams_sandboxes_are_made_on_its_machine_and_stay_there() {
    // Where the workspace's own sandboxes would go, none can be made.
    let off = [("sandboxes.local", "off".to_owned())];
    for (gateway, scratch) in on_each(&off).await {
        let owner = gateway.owner().await;
        let machine = Machine::joined(&gateway, owner).await;
        let fake_node = FakeNode::start(machine.clone(), vec![machine.channel.clone()]);
        connection_is(owner, &machine.node_id, "connected").await;
        let team = alone_on(&json!(machine.node_id));
        let team = owner.post("/api/teams").json(&team).expect(201).await;
        assert_eq!(team.str("/machine_id"), machine.node_id);
        over(owner, &started(owner, &team.body).await).await;
        let sandbox = format!("/api/teams/{}/sandbox", team.str("/id"));
        let made = owner.get(&sandbox).expect(200).await;
        assert_eq!(made.str("/node_id"), machine.node_id, "{made:?}");
        assert_eq!(fake_node.history().sandboxes.len(), 1);
        // Another machine counts from the next sandbox on.
        let path = format!("/api/teams/{}", team.str("/id"));
        let change = json!({ "machine_id": "local" });
        let changed = owner.patch(&path).json(&change).expect(200).await;
        assert_eq!(changed.body["machine_id"], "local");
        let moved = json!({ "node_id": "local" });
        let kept = owner.post(&sandbox).json(&moved).expect(200).await;
        assert_eq!(kept.body["id"], made.body["id"]);
        assert_eq!(kept.str("/node_id"), machine.node_id);
        let change = json!({ "machine_id": null });
        let changed = owner.patch(&path).json(&change).expect(200).await;
        assert_eq!(changed.body["machine_id"], Value::Null);
        drop(fake_node);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

/// An agent that runs one command.
const ONE_COMMAND: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I begin."
  calls = [{ tool = "shell", arguments = { command = "true" } }]
  [[scene.turn]]
  say = "Done."
"#;

/// A gateway on each back end, a machine of its own and a team whose sandbox is there already.
async fn with_a_machine_of_its_own(
    set: &[(&str, &str)],
) -> Vec<(Gateway, Option<ScratchPostgres>, FakeNode, Value)> {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.toml");
    std::fs::write(&script, ONE_COMMAND).expect("it is written");
    let mut like = vec![
        ("sandboxes.local", "off".to_owned()),
        ("runs.script", script.display().to_string()),
    ];
    like.extend(set.iter().map(|&(key, value)| (key, value.to_owned())));
    let mut all = Vec::new();
    for (gateway, scratch) in on_each(&like).await {
        let owner = gateway.owner().await;
        let machine = Machine::joined(&gateway, owner).await;
        let fake_node = FakeNode::start(machine.clone(), vec![machine.channel.clone()]);
        connection_is(owner, &machine.node_id, "connected").await;
        let team = alone_on(&json!(machine.node_id));
        let team = owner.post("/api/teams").json(&team).expect(201).await.body;
        let sandbox = format!("/api/teams/{}/sandbox", team["id"].as_str().expect("an id"));
        let here = json!({ "node_id": machine.node_id });
        eventually("its sandbox runs", async || {
            let made = owner.post(&sandbox).json(&here).try_send().await.ok()?;
            (made.body["state"] == "running").then_some(())
        })
        .await;
        all.push((gateway, scratch, fake_node, team));
    }
    all
}

/// How many events of a kind a run has told.
async fn told_of(gateway: &Gateway, run: &str, kind: &str) -> i64 {
    let db = gateway.app().db();
    let run: RunId = run.parse().expect("an id");
    let sql = "SELECT COUNT(*) AS n FROM events WHERE run_id = $1 AND kind = $2";
    let values = [run.into(), kind.into()];
    let asked = Statement::from_sql_and_values(db.backend().into(), sql, values);
    let row = db.read().query_one_raw(asked).await.expect("it is counted");
    row.expect("a row").try_get("", "n").expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn wait_for_an_absent_machine_counts_as_no_attempt() {
    for (gateway, scratch, mut fake_node, team) in with_a_machine_of_its_own(&[]).await {
        let owner = gateway.owner().await;
        let node = team["machine_id"].as_str().unwrap();
        fake_node.leave();
        connection_is(owner, node, "disconnected").await;
        let run = started(owner, &team).await;
        let path = format!("/api/topology-runs/{run}");
        let waits = eventually("the run says what it waits for", async || {
            let now = owner.get(&path).expect(200).await;
            assert_ne!(now.body["status"], "failed", "{now:?}");
            now.body["steps"][0]["waiting_since"].as_str()?;
            Some(now)
        })
        .await;
        assert_eq!(
            waits.str("/waiting_on"),
            "The machine played is not connected."
        );
        eventually("the run is parked", async || {
            let row = store::by_id(gateway.app().db().read(), run.parse().unwrap()).await;
            let row = row.unwrap().unwrap();
            (row.owner.is_none() && row.waiting_on.is_some()).then_some(())
        })
        .await;
        fake_node.come_back();
        let ended = over(owner, &run).await;
        assert_eq!(ended.body["status"], "completed", "{ended:?}");
        let step = &ended.body["steps"][0];
        assert_eq!(step["attempt"], 1, "{step}");
        assert!(step.get("waiting_since").is_none(), "{step}");
        assert!(ended.body.get("waiting_on").is_none(), "{ended:?}");
        assert_eq!(
            fake_node.history().sandboxes.len(),
            1,
            "it kept its sandbox"
        );
        // It is written a moment after it was told.
        let calls = eventually("its call was told", async || {
            let calls = told_of(&gateway, &run, "agent.tool.call").await;
            (calls > 0).then_some(calls)
        });
        assert_eq!(calls.await, 1);
        drop(fake_node);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn machine_that_stays_away_ends_the_step_after_the_wait_limit() {
    let patience = [("runs.machine_wait_seconds", "2")];
    for (gateway, scratch, mut fake_node, team) in with_a_machine_of_its_own(&patience).await {
        let owner = gateway.owner().await;
        fake_node.leave();
        connection_is(owner, team["machine_id"].as_str().unwrap(), "disconnected").await;
        let ended = over(owner, &started(owner, &team).await).await;
        assert_eq!(ended.body["status"], "failed", "{ended:?}");
        assert_eq!(ended.str("/error_code"), "machine-away", "{ended:?}");
        let why = ended.str("/error");
        assert!(
            why.contains("The machine played is not connected.") && why.ends_with("2 s."),
            "{why}"
        );
        assert_eq!(ended.body["steps"][0]["attempt"], 1, "{ended:?}");
        drop(fake_node);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn unsuitable_machine_is_replaced_by_local_and_the_event_has_the_reason() {
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let owner = gateway.owner().await;
    // It never dials.
    let machine = Machine::joined(&gateway, owner).await;
    let team = alone_on(&json!(machine.node_id));
    let team = owner.post("/api/teams").json(&team).expect(201).await;
    let run = started(owner, &team.body).await;
    let run = format!("/api/topology-runs/{run}");
    // Nothing can be made on the gateway's own host either, here; but its machine may come back, so the run waits for it.
    eventually("the run says why it waits", async || {
        let now = owner.get(&run).expect(200).await;
        assert_ne!(now.body["status"], "failed", "{now:?}");
        let why = now.body["steps"][0]["error"].as_str().unwrap_or_default();
        why.contains("switched off").then_some(())
    })
    .await;
    let path = "/api/events?types=placement.fallback&last_event_id=1.0";
    let mut events = Stream::open(owner.get(path)).await;
    let event = events.next().await.expect("the event");
    assert_eq!(event.data["wanted"], machine.node_id.as_str());
    assert_eq!(event.data["reason"], "node_offline");
    assert_eq!(event.data["teamId"], team.body["id"]);
    gateway.stop().await;
}

#[tokio::test]
async fn caller_without_placement_right_names_no_machine_and_keeps_the_present_choice() {
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let owner = gateway.owner().await;
    let member = gateway.person("member").await;
    let refused = member.post("/api/teams").json(&alone_on(&json!("local")));
    refused.refused(403, "forbidden").await;
    let team = owner.post("/api/teams").json(&alone_on(&json!("local")));
    let team = team.expect(201).await;
    let sandbox = format!("/api/teams/{}/sandbox", team.str("/id"));
    let named = member.post(&sandbox).json(&json!({ "node_id": "local" }));
    named.refused(403, "forbidden").await;
    let path = format!("/api/teams/{}", team.str("/id"));
    let machine = Machine::joined(&gateway, owner).await.node_id;
    let mut on_node = team.body["topology"].clone();
    on_node["nodes"][0]["attributes"]["machine"] = machine.into();
    for change in [
        json!({ "machine_id": on_node["nodes"][0]["attributes"]["machine"] }),
        json!({ "topology": on_node }),
    ] {
        member
            .patch(&path)
            .json(&change)
            .refused(403, "forbidden")
            .await;
    }
    // What an admin chose stays while somebody else changes the rest, and anybody may give the choice up.
    on_node["nodes"][0]["attributes"]["machine"] = "local".into();
    for change in [
        json!({ "topology": on_node, "machine_id": "local" }),
        json!({ "machine_id": null }),
    ] {
        member.patch(&path).json(&change).expect(200).await;
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_machine_that_the_workspace_does_not_have_is_refused_with_its_place() {
    let gateway = Gateway::start_with(&[("sandboxes.local", "off")]).await;
    let owner = gateway.owner().await;
    let stranger = gateway.stranger().await;
    let theirs = Machine::joined(&gateway, &stranger).await.node_id;
    let of_nobody = "0190a000-0000-7000-8000-000000000009";
    let team = alone_on(&json!("local"));
    let team = owner.post("/api/teams").json(&team).expect(201).await;
    let path = format!("/api/teams/{}", team.str("/id"));
    let sandbox = format!("/api/teams/{}/sandbox", team.str("/id"));
    for machine in [theirs.as_str(), of_nobody, "the big one", ""] {
        let mut on_node = team.body["topology"].clone();
        on_node["nodes"][0]["attributes"]["machine"] = machine.into();
        for (request, pointer) in [
            (
                owner.post("/api/teams").json(&alone_on(&json!(machine))),
                "/machine_id",
            ),
            (
                owner.patch(&path).json(&json!({ "machine_id": machine })),
                "/machine_id",
            ),
            (
                owner.patch(&path).json(&json!({ "topology": on_node })),
                "/topology/nodes/0/attributes/machine",
            ),
            (
                owner.post(&sandbox).json(&json!({ "node_id": machine })),
                "/node_id",
            ),
        ] {
            let refused = request.refused(400, "validation").await;
            assert_eq!(refused.body["errors"][0]["pointer"], pointer, "{machine:?}");
        }
    }
    let list = owner.get("/api/teams").expect(200).await;
    assert_eq!(list.body["items"].as_array().unwrap().len(), 1);
    gateway.stop().await;
}
