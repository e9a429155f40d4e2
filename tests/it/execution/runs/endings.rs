//! How runs end: when their actor fails for good, when there is little room, when a cancel meets the last step, when
//! their machine is gone; and what retention keeps.

use std::sync::{Arc, Barrier};
use std::time::Duration;

use roost_execution::runs::{self, StepResult, retention, store};
use roost_platform::db::Db;
use roost_platform::ids::RunId;
use roost_tenancy::auth::WorkspaceScope;
use roost_tests::{Daemon, Gateway, Person, Stream, eventually};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use super::crew::Crew;
use super::{connection_is, line_of, over, started, steps};

fn said(key: &str) -> Option<StepResult> {
    Some(StepResult::Done(format!("{key} is done")))
}

/// A team whose only node is that team.
async fn around(owner: &Person, inner: &Value) -> Value {
    let outer = line_of(owner, &["one"]).await;
    let graph = json!({ "kind": "single", "nodes": [
        { "id": "below", "kind": "team", "attributes": { "team": inner["id"] } },
    ] });
    let path = format!("/api/teams/{}", outer["id"].as_str().expect("an id"));
    let changed = owner.patch(&path).json(&json!({ "topology": graph }));
    changed.expect(200).await.body
}

#[tokio::test]
async fn run_of_a_failed_actor_is_claimed_again_after_its_lease() {
    // More deaths in a row than its supervisor forgives.
    let dies = ["runs.checkpoint.before_commit=panic"; 12].join(",");
    let set = [
        ("chaos.allow", "true"),
        ("chaos.arm", &*dies),
        ("runs.lease_seconds", "3"),
    ];
    let crew = Crew::that(|key, _| said(key));
    for (gateway, scratch) in crew.with(&set).await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["only"]).await;
        let run = over(owner, &started(owner, &team).await).await;
        assert_eq!(run.body["status"], "completed", "{run:?}");
        let id = run.str("/id").parse::<RunId>().unwrap();
        let row = store::by_id(gateway.app().db().read(), id).await.unwrap();
        assert!(row.unwrap().claims > 1, "its actor never died for good");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn child_run_has_a_place_while_parents_use_all_places() {
    let crew = Crew::that(|key, _| said(key));
    for (gateway, scratch) in crew.with(&[("runs.at_once", "1")]).await {
        let owner = gateway.owner().await;
        let inner = line_of(owner, &["first", "second"]).await;
        let outermost = around(owner, &around(owner, &inner).await).await;
        let run = over(owner, &started(owner, &outermost).await).await;
        assert_eq!(run.body["status"], "completed", "{run:?}");
        assert_eq!(run.str("/result/text"), "second is done");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn a_cancel_that_meets_the_last_step_leaves_one_end_that_stays() {
    let crew = Crew::that(|key, _| said(key));
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["first", "second"]).await;
        let mut ends = std::collections::BTreeMap::<String, u32>::new();
        for round in 0..80_u64 {
            if round >= 40 && ends.len() == 2 {
                break;
            }
            let run = started(owner, &team).await;
            // From before its first step to after its end, which a busy machine comes to later.
            let wait = round.min(40) + round.saturating_sub(40) * 50;
            tokio::time::sleep(Duration::from_millis(wait)).await;
            let cancel = owner.post(&format!("/api/topology-runs/{run}/cancel"));
            let told = cancel.expect(200).await;
            let ended = over(owner, &run).await;
            let status = ended.str("/status");
            assert!(["completed", "cancelled"].contains(&status), "{ended:?}");
            if told.str("/status") != "running" {
                assert_eq!(told.str("/status"), status, "an end changed");
            }
            assert_eq!(status == "completed", ended.body["result"].is_object());
            assert!(!steps(&ended).iter().any(|step| step.ends_with("running")));
            *ends.entry(status.to_owned()).or_default() += 1;
        }
        assert_eq!(ends.len(), 2, "both must have happened: {ends:?}");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_rests_when_two_runs_of_it_end_at_once() {
    // Each waits for the other, so that both ends are written in the same moment.
    let both = Arc::new(Barrier::new(2));
    let crew = Crew::that(move |key, _| {
        tokio::task::block_in_place(|| both.wait());
        said(key)
    });
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["only"]).await;
        let agent = format!(
            "/api/claws/{}",
            team["members"][0]["agent_id"].as_str().unwrap()
        );
        for _ in 0..20 {
            let (one, other) = tokio::join!(started(owner, &team), started(owner, &team));
            over(owner, &one).await;
            over(owner, &other).await;
            let now = owner.get(&agent).expect(200).await;
            assert_ne!(now.str("/status"), "working", "{now:?}");
        }
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn a_run_names_its_last_event_and_forgets_what_it_handed_over_in_time() {
    let crew = Crew::that(|key, _| said(key));
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["first", "second"]).await;
        let run = over(owner, &started(owner, &team).await).await;
        let db = gateway.app().db();
        let id = run.str("/id").parse::<RunId>().unwrap();
        // What is told of it without being a fact (its topology) may be written down a moment later.
        let newest =
            "SELECT MAX(seq) AS n FROM events WHERE run_id = $1 AND kind = 'resource.changed'";
        let newest = Statement::from_sql_and_values(db.backend().into(), newest, [id.into()]);
        let newest = db.read().query_one_raw(newest).await.unwrap().unwrap();
        let newest: i64 = newest.try_get("", "n").unwrap();
        assert_eq!(run.str("/last_event_id"), format!("1.{newest}"));

        let path = format!("/api/topology-runs/{id}");
        let month = Duration::from_secs(30 * 86_400);
        let delete = async || {
            let tx = db.write().await.unwrap();
            retention::delete_outputs(&tx, month).await.unwrap();
            tx.commit().await.unwrap();
            owner.get(&path).expect(200).await
        };
        let kept = delete().await;
        assert_eq!(kept.body["outputs_forgotten"], false);
        assert_eq!(kept.str("/result/text"), "second is done");
        let tx = db.write().await.unwrap();
        let later = "UPDATE topology_runs SET ended_ms = ended_ms - 2592001000 WHERE id = $1";
        let later = Statement::from_sql_and_values(db.backend().into(), later, [id.into()]);
        tx.execute_raw(later).await.unwrap();
        tx.commit().await.unwrap();
        let gone = delete().await;
        assert_eq!(gone.body["outputs_forgotten"], true);
        assert_eq!(gone.body["result"], Value::Null);
        assert_eq!(steps(&gone), ["first done", "second done"], "{gone:?}");
        let fork = owner.post(&format!("{path}/fork"));
        let fork = fork.json(&json!({ "step": "second" }));
        fork.refused(409, "conflict").await;
        // Nothing that was handed over is needed for the first.
        let fork = owner.post(&format!("{path}/fork"));
        let fork = fork.json(&json!({ "step": "first" })).expect(202).await;
        assert_eq!(fork.body["steps_done"], 0);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

/// The two children of a run, once they are at work.
async fn two_at_work(owner: &Person, run: &str) -> Vec<String> {
    let path = format!("/api/topology-runs?parent_run_id={run}");
    eventually("both are at work", async || {
        let list = owner.get(&path).expect(200).await;
        let items = list.body["items"].as_array().expect("a list").clone();
        let ids: Vec<String> = items
            .iter()
            .filter(|child| child["status"] == "running")
            .map(|child| child["id"].as_str().expect("an id").to_owned())
            .collect();
        (ids.len() == 2).then_some(ids)
    })
    .await
}

/// Writes down what runs have cost, as if their agents had spent it.
async fn spend(db: &Db, costs: &[(&String, i64)]) {
    for (id, cost) in costs {
        let tx = db.write().await.expect("a transaction");
        let id = id.parse::<RunId>().expect("an id");
        let spend = "UPDATE run_state SET cost_microusd = $1 WHERE run_id = $2";
        let values = [(*cost).into(), id.into()];
        let spend = Statement::from_sql_and_values(db.backend().into(), spend, values);
        tx.execute_raw(spend).await.expect("it is written");
        tx.commit().await.expect("it is committed");
    }
}

#[tokio::test]
async fn runs_side_by_side_share_what_the_one_at_the_top_may_spend() {
    // The teams' steps never end; the merging step does.
    let crew = Crew::that(|key, _| {
        key.starts_with("top")
            .then(|| StepResult::Done(key.to_owned()))
    });
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let inner = line_of(owner, &["endless"]).await;
        let outer = line_of(owner, &["top", "one", "two"]).await;
        let agent = outer["members"][0]["agent_id"].clone();
        let node =
            |id: &str| json!({ "id": id, "kind": "team", "attributes": { "team": inner["id"] } });
        let edge = |to: &str| json!({ "from": "top", "to": to, "kind": "parent" });
        let graph = json!({ "kind": "hub_spoke", "edges": [edge("one"), edge("two")], "nodes": [
            { "id": "top", "kind": "agent", "seat": "hub", "attributes": { "agent": agent } }, node("one"), node("two"),
        ] });
        let path = format!("/api/teams/{}", outer["id"].as_str().unwrap());
        let change = owner.patch(&path).json(&json!({ "topology": graph }));
        change.expect(200).await;
        let asked = json!({ "input": "Do it.", "cost_ceiling_microusd": 1_000 });
        let run = owner.post(&format!("{path}/run")).json(&asked);
        let run = run.expect(202).await.str("/id").to_owned();
        let children = two_at_work(owner, &run).await;
        let db = gateway.app().db();
        let scope = WorkspaceScope::of_row(owner.workspace.parse().unwrap());
        spend(db, &[(&run, 100), (&children[0], 300), (&children[1], 200)]).await;
        let root = run.parse::<RunId>().unwrap();
        let sums = async |of: &str| {
            let tree = runs::tree_of(db.read(), root).await.unwrap();
            let accounts = tree.accounts(of.parse().unwrap());
            let of_tree: Vec<_> = accounts
                .iter()
                .map(|one| (one.ceiling, one.spent))
                .collect();
            (
                of_tree,
                store::spent_lately(db.read(), scope).await.unwrap(),
            )
        };
        let of_child = vec![(Some(1_000), 300), (Some(1_000), 600)];
        assert_eq!(sums(&children[0]).await, (of_child, 600));
        // What a child has cost is its parent's when it is over, and counts once.
        for child in &children {
            let cancel = owner.post(&format!("/api/topology-runs/{child}/cancel"));
            cancel.expect(200).await;
        }
        let ended = over(owner, &run).await;
        assert_eq!(ended.body["cost_microusd"], 600, "{ended:?}");
        assert_eq!(sums(&run).await, (vec![(Some(1_000), 600)], 600));
        // Of a parent that is cancelled it never becomes the cost, and counts all the same.
        let again = owner.post(&format!("{path}/run")).json(&asked);
        let again = again.expect(202).await.str("/id").to_owned();
        let children = two_at_work(owner, &again).await;
        spend(db, &[(&children[0], 30), (&children[1], 20)]).await;
        let cancel = owner.post(&format!("/api/topology-runs/{again}/cancel"));
        cancel.expect(200).await;
        over(owner, &again).await;
        assert_eq!(sums(&run).await.1, 650);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn usage_of_a_workspace_is_published_while_its_agents_work() {
    let crew = Crew::that(|_, _| None);
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["endless"]).await;
        let run = started(owner, &team).await;
        let path = format!("/api/topology-runs/{run}");
        eventually("the step is at work", async || {
            let run = owner.get(&path).expect(200).await;
            (steps(&run) == ["endless running"]).then_some(())
        })
        .await;
        let db = gateway.app().db();
        let tx = db.write().await.unwrap();
        let spoke = format!(
            "INSERT INTO run_calls (run_id, step_key, lap, idx, kind, name, content, failed, started_ms, ended_ms, \
               tokens_in, tokens_out, cost_microusd) \
             VALUES ($1, 'endless', 1, 0, 'model', 'm', '{{}}', FALSE, 0, {}, 60, 10, 500000)",
            db.backend().now_ms()
        );
        let id = run.parse::<RunId>().unwrap();
        let spoke = Statement::from_sql_and_values(db.backend().into(), spoke, [id.into()]);
        tx.execute_raw(spoke).await.unwrap();
        tx.commit().await.unwrap();
        let mut stream = Stream::open(owner.get("/api/events")).await;
        let told = loop {
            let event = stream.next().await.expect("more events");
            if event.kind == "telemetry" && event.data["tokensPerMin"] == 70.0 {
                break event.data;
            }
        };
        let all = json!({ "tokensPerMin": 70.0, "costPerHr": 30.0, "loops": 1, "doorsPending": 0 });
        assert_eq!(told, all);
        owner.post(&format!("{path}/cancel")).expect(200).await;
        over(owner, &run).await;
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

const SLEEPER: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "I begin."
  calls = [{ tool = "shell", arguments = { command = "echo begun; sleep 600" } }]
  [[scene.turn]]
  say = "Done."
"#;

/// A run whose only command sleeps on a machine of a real daemon.
struct Sleeping {
    gateway: Gateway,
    daemon: Daemon,
    /// Its path.
    sandbox: String,
    run: String,
}

impl Sleeping {
    async fn start(more: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("script.toml");
        std::fs::write(&script, SLEEPER).expect("it is written");
        let script = script.display().to_string();
        let image = std::env::var("ROOST_TEST_IMAGE");
        let image = image.unwrap_or_else(|_| "roost-agent:tiny".to_owned());
        let mut set = vec![
            ("runs.script", &*script),
            ("sandboxes.image", &*image),
            ("sandboxes.local", "off"),
            ("heartbeat.seconds", "1"),
        ];
        set.extend(more);
        let gateway = Gateway::start_with(&set).await;
        let owner = gateway.owner().await;
        let daemon = Daemon::joined(&gateway.url(), owner, None).await;
        connection_is(owner, &daemon.node_id, "connected").await;
        let there = json!({ "target": "node", "node_id": daemon.node_id });
        let there = owner.put("/api/fleet/placement").json(&there);
        there.expect(200).await;
        let new = json!({ "name": "Alone", "topology": "single", "roles": [{ "slot": "only" }],
            "risk_profile": "coding_readwrite", "mcp_bundles": ["sandbox"] });
        let team = owner.post("/api/teams").json(&new).expect(201).await;
        let run = started(owner, &team.body).await;
        let sandbox = format!("/api/teams/{}/sandbox", team.str("/id"));
        eventually("the command runs", async || {
            (sleeper(&gateway).await.as_deref() == Some("running")).then_some(())
        })
        .await;
        Self {
            gateway,
            daemon,
            sandbox,
            run,
        }
    }
}

/// Where the command that sleeps stands; nothing while it has not been asked for.
async fn sleeper(gateway: &Gateway) -> Option<String> {
    let db = gateway.app().db();
    let sql =
        "SELECT state FROM node_operations WHERE kind = 'sb_exec' AND request LIKE '%sleep 600%'";
    let asked = Statement::from_string(db.backend().into(), sql);
    let row = db.read().query_one_raw(asked).await.expect("it is read")?;
    Some(row.try_get("", "state").expect("a word"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_machine_vanishes_says_so_and_can_be_cancelled_all_the_same() {
    let mut at = Sleeping::start(&[]).await;
    let owner = at.gateway.owner().await;
    at.daemon.kill();
    let path = format!("/api/topology-runs/{}", at.run);
    eventually("the run says what it waits for", async || {
        let now = owner.get(&path).expect(200).await;
        assert_eq!(now.body["status"], "running", "{now:?}");
        now.body["steps"][0]["waiting_since"].as_str()?;
        assert!(now.str("/waiting_on").ends_with("is not connected."));
        Some(())
    })
    .await;
    owner.post(&format!("{path}/cancel")).expect(200).await;
    let ended = over(owner, &at.run).await;
    assert_eq!(ended.body["status"], "cancelled", "{ended:?}");
    // What it left behind is given back when its machine is there again.
    at.daemon.again();
    connection_is(owner, &at.daemon.node_id, "connected").await;
    owner.delete(&at.sandbox).send().await;
    at.gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_is_given_up_leaves_no_command_behind() {
    let mut at = Sleeping::start(&[("runs.machine_wait_seconds", "1")]).await;
    let owner = at.gateway.owner().await;
    at.daemon.kill();
    let ended = over(owner, &at.run).await;
    assert_eq!(ended.body["status"], "failed", "{ended:?}");
    let now = sleeper(&at.gateway).await;
    assert_eq!(now.as_deref(), Some("running"), "nobody could be told");
    at.daemon.again();
    let end = eventually("the command is stopped", async || {
        sleeper(&at.gateway)
            .await
            .filter(|state| state != "running")
    });
    // Not by its own deadline, which would come later.
    assert_eq!(end.await, "cancelled");
    owner.delete(&at.sandbox).send().await;
    at.gateway.stop().await;
}
