//! An agent requests an action outside, and its step waits for the decision of a person.

use roost_execution::runs::store;
use roost_platform::ids::RunId;
use roost_tests::{Answer, Client, Stream, eventually};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use super::{over, started};
use crate::connections::doors::{Bench, connect, until};

/// An agent that requests an issue.
pub const SCRIPT: &str = r#"
[[scene]]
  [[scene.turn]]
  say = "The tests are red, so somebody has to know."
  calls = [{ tool = "door.ask", arguments = { action = "github.issues.create", params = { owner = "octo", repo = "hello", title = "Red" } } }]
  [[scene.turn]]
  say = "That is all."
"#;

/// A gateway on each back end whose agents request an issue.
async fn benches() -> Vec<Bench> {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.toml");
    std::fs::write(&script, SCRIPT).expect("it is written");
    Bench::with(&[("runs.script", &script.display().to_string())]).await
}

/// A team of one agent with the door's tools, which is connected to the app.
pub async fn asking_team(owner: &Client, app: std::net::SocketAddr) -> Value {
    let new = json!({ "name": "Asks", "topology": "single", "roles": [{ "slot": "asker" }],
        "risk_profile": "toolfree", "mcp_bundles": ["door"] });
    let team = owner.post("/api/teams").json(&new).expect(201).await.body;
    let agent = team["members"][0]["agent_id"].as_str().expect("an id");
    connect(owner, app, agent).await;
    team
}

/// The door that the run requests, as soon as the run is parked.
pub async fn parked_on_a_door(owner: &Client, run: &str) -> (Answer, Value) {
    let path = format!("/api/topology-runs/{run}");
    eventually("the run waits for a person", async || {
        let now = owner.get(&path).try_send().await.ok()?;
        assert_ne!(now.body["status"], "failed", "{now:?}");
        let door = now.body["waits_for"]["door"].as_str()?;
        let door = owner
            .get(&format!("/api/doors/{door}"))
            .try_send()
            .await
            .ok()?
            .body;
        Some((now, door))
    })
    .await
}

fn tool_entries(calls: &Answer) -> Vec<Value> {
    let items = calls.body["items"].as_array().expect("calls");
    let doors = items.iter().filter(|call| call["kind"] != "model");
    doors.cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn step_waits_for_the_decision_and_continues_at_its_call() {
    for bench in benches().await {
        let owner = bench.gateway.owner().await;
        let team = asking_team(owner, bench.app.address).await;
        for (decision, state, sent, said) in [
            (
                "approve",
                "performed",
                1,
                "A person approved it, and it was done.",
            ),
            (
                "deny",
                "denied",
                1,
                "It was denied. Nothing was sent.\nThere is such an issue already.",
            ),
        ] {
            let run = started(owner, &team).await;
            let (waits, door) = parked_on_a_door(owner, &run).await;
            assert_eq!(waits.body["status"], "running");
            assert_eq!(waits.body["steps"][0]["status"], "waiting", "{waits:?}");
            assert!(waits.body["waiting_since"].is_string(), "{waits:?}");
            assert_eq!(door["run_id"], run.as_str());
            assert_eq!(
                (&door["step"], &door["call"]),
                (&json!("asker#1"), &json!(1))
            );
            let words = door["words"].as_str().expect("words");
            assert!(words.contains("The tests are red"), "{door}");
            let row = store::by_id(
                bench.gateway.app().db().read(),
                run.parse::<RunId>().unwrap(),
            );
            let row = row.await.unwrap().expect("the run");
            assert_eq!(row.owner, None, "nobody works on it");
            let id = door["id"].as_str().expect("an id");
            let mut resolution = json!({ "decision": decision });
            if decision == "deny" {
                resolution["reason"] = json!("There is such an issue already.");
            }
            let path = format!("/api/doors/{id}/resolve");
            owner.post(&path).json(&resolution).expect(200).await;
            let ended = over(owner, &run).await;
            assert_eq!(ended.body["status"], "completed", "{ended:?}");
            assert_eq!(ended.body["steps"][0]["attempt"], 1, "{ended:?}");
            assert!(ended.body.get("waiting_on").is_none(), "{ended:?}");
            bench.until(id, state).await;
            assert_eq!(bench.app.seen().len(), sent);
            let calls = owner
                .get(&format!("/api/topology-runs/{run}/calls"))
                .expect(200)
                .await;
            let entries = tool_entries(&calls);
            assert_eq!(entries.len(), 1, "{calls:?}");
            assert_eq!(entries[0]["kind"], "door");
            assert_eq!(entries[0]["content"]["door"], id);
            let text = entries[0]["content"]["text"].as_str().expect("text");
            assert!(text.contains(said), "{text}");
        }
        let path = "/api/events?types=agent.tool.call&last_event_id=1.0";
        let mut events = Stream::open(owner.get(path)).await;
        let event = events.next().await.expect("the event");
        assert_eq!(event.data["tool"], "door.ask");
        assert_eq!(event.data["doorRequired"], true);
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn request_that_expires_counts_as_denied_and_the_step_continues() {
    for bench in benches().await {
        let owner = bench.gateway.owner().await;
        let team = asking_team(owner, bench.app.address).await;
        let run = started(owner, &team).await;
        let (_, door) = parked_on_a_door(owner, &run).await;
        let db = bench.gateway.app().db();
        let tx = db.write().await.unwrap();
        let late = Statement::from_string(
            db.backend().into(),
            "UPDATE doors SET expires_at = '2020-01-01T00:00:00+00:00'",
        );
        tx.execute_raw(late).await.unwrap();
        tx.commit().await.unwrap();
        let ended = over(owner, &run).await;
        assert_eq!(ended.body["status"], "completed", "{ended:?}");
        until(owner, door["id"].as_str().unwrap(), "expired").await;
        let calls = owner
            .get(&format!("/api/topology-runs/{run}/calls"))
            .expect(200)
            .await;
        let text = tool_entries(&calls)[0]["content"]["text"].to_string();
        assert!(text.contains("Nobody decided in time"), "{text}");
        assert_eq!(bench.app.seen().len(), 0);
        bench.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_run_withdraws_its_request_and_ends_at_once() {
    for bench in benches().await {
        let owner = bench.gateway.owner().await;
        let team = asking_team(owner, bench.app.address).await;
        let run = started(owner, &team).await;
        let (_, door) = parked_on_a_door(owner, &run).await;
        let path = format!("/api/topology-runs/{run}/cancel");
        let cancelled = owner.post(&path).expect(200).await;
        assert_eq!(cancelled.body["status"], "cancelled", "{cancelled:?}");
        let id = door["id"].as_str().unwrap();
        let denied = until(owner, id, "denied").await;
        assert!(
            denied["result"]["message"]
                .to_string()
                .contains("has ended"),
            "{denied}"
        );
        let late = bench.decide(id, "approve").await;
        assert_eq!(
            late.body["state"], "denied",
            "a late decision changes nothing"
        );
        assert_eq!(bench.app.seen().len(), 0);
        bench.stop().await;
    }
}

/// Two people decide while a third one cancels the run. Each order has a defined end: nothing is sent twice, and the
/// run and the door are over.
#[tokio::test(flavor = "multi_thread")]
async fn door_that_two_people_decide_while_its_run_is_cancelled_has_one_end() {
    for bench in benches().await {
        let owner = bench.gateway.owner().await;
        let admin = bench.gateway.person("admin").await;
        let team = asking_team(owner, bench.app.address).await;
        for _ in 0..6 {
            let before = bench.app.seen().len();
            let run = started(owner, &team).await;
            let (_, door) = parked_on_a_door(owner, &run).await;
            let id = door["id"].as_str().unwrap();
            let resolve = format!("/api/doors/{id}/resolve");
            let cancel = format!("/api/topology-runs/{run}/cancel");
            let (yes, no, cancelled) = tokio::join!(
                owner
                    .post(&resolve)
                    .json(&json!({ "decision": "approve" }))
                    .expect(200),
                admin
                    .post(&resolve)
                    .json(&json!({ "decision": "deny" }))
                    .expect(200),
                owner.post(&cancel).expect(200),
            );
            let ended = over(owner, &run).await;
            let what = format!("{yes:?} {no:?} {cancelled:?} {ended:?}");
            assert_ne!(ended.body["status"], "failed", "{what}");
            let end = eventually("the door has its end", async || {
                let now = owner.get(&format!("/api/doors/{id}")).expect(200).await;
                let state = now.str("/state").to_owned();
                matches!(&*state, "denied" | "performed").then_some(state)
            })
            .await;
            let sent = bench.app.seen().len() - before;
            assert_eq!(sent, usize::from(end == "performed"), "{what}");
        }
        bench.stop().await;
    }
}
