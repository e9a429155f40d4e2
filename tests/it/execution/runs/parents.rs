//! Parents of runs wait as rows: depth needs no places, and the end of a child wakes its parent. Also when a gateway dies
//! around it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use roost_execution::runs::{StepResult, store};
use roost_platform::ids::RunId;
use roost_tests::{Client, Process, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};

use super::crew::Crew;
use super::{line_of, over, started, steps};

/// A team of one step, which is a run of that team.
async fn around(owner: &Client, team: &Value) -> Value {
    above(owner, &[team]).await
}

/// A team in which these teams work one after the other.
async fn above(owner: &Client, teams: &[&Value]) -> Value {
    let slots: Vec<String> = (0..teams.len()).map(|n| format!("team{n}")).collect();
    let slots: Vec<&str> = slots.iter().map(String::as_str).collect();
    let outer = line_of(owner, &slots).await;
    let mut graph = outer["topology"].clone();
    for (n, team) in teams.iter().enumerate() {
        graph["nodes"][n] =
            json!({ "id": slots[n], "kind": "team", "attributes": { "team": team["id"] } });
    }
    let path = format!("/api/teams/{}", outer["id"].as_str().expect("an id"));
    let changed = owner.patch(&path).json(&json!({ "topology": graph }));
    changed.expect(200).await.body
}

/// The runs that the step of a run started.
async fn children(owner: &Client, run: &str) -> Vec<String> {
    let path = format!("/api/topology-runs?parent_run_id={run}");
    let list = owner.get(&path).expect(200).await;
    let items = list.body["items"].as_array().expect("items").clone();
    let ids = items
        .iter()
        .map(|run| run["id"].as_str().expect("an id").to_owned());
    ids.collect()
}

#[tokio::test]
async fn tree_deeper_than_the_places_ends_with_one_place() {
    let open = Arc::new(AtomicBool::new(false));
    let is_open = open.clone();
    let crew = Crew::that(move |key, _| match is_open.load(Ordering::SeqCst) {
        true => Some(StepResult::Done(format!("{key} is done"))),
        false => Some(StepResult::Failed {
            class: roost_execution::runs::Class::Away,
            detail: "Not yet.".to_owned(),
            after: Some(std::time::Duration::from_millis(50)),
        }),
    });
    for (gateway, scratch) in crew.with(&[("runs.at_once", "1")]).await {
        open.store(false, Ordering::SeqCst);
        let owner = gateway.owner().await;
        let mut team = line_of(owner, &["inner"]).await;
        for _ in 0..4 {
            team = around(owner, &team).await;
        }
        let run = started(owner, &team).await;
        let db = gateway.app().db().read();
        let mut line = vec![run.clone()];
        for _ in 0..4 {
            let above = line.last().expect("a run").clone();
            let child = eventually("the child is there", async || {
                children(owner, &above).await.pop()
            });
            line.push(child.await);
        }
        let innermost = line.pop().expect("the innermost");
        for parent in &line {
            let path = format!("/api/topology-runs/{parent}");
            let shown = eventually("the parent waits", async || {
                let shown = owner.get(&path).expect(200).await;
                (shown.body["waits_for"]["type"] == "child").then_some(shown)
            })
            .await;
            assert_eq!(shown.body["status"], "running", "{shown:?}");
            // Its team is at work: nobody has to do anything.
            assert_eq!(steps(&shown), ["team0 running"]);
            assert!(
                shown.body["steps"][0].get("waiting_since").is_none(),
                "{shown:?}"
            );
            let id: RunId = parent.parse().expect("an id");
            let row = store::by_id(db, id).await.expect("read").expect("the run");
            assert_eq!(row.owner, None);
        }
        open.store(true, Ordering::SeqCst);
        let ended = over(owner, &run).await;
        assert_eq!(ended.body["status"], "completed", "{ended:?}");
        assert_eq!(ended.str("/result/text"), "inner is done");
        for run in line.iter().chain([&innermost]) {
            let ended = owner
                .get(&format!("/api/topology-runs/{run}"))
                .expect(200)
                .await;
            assert_eq!(ended.body["status"], "completed", "{ended:?}");
            assert_eq!(ended.body["steps"][0]["attempt"], 1, "{ended:?}");
            assert!(ended.body.get("waits_for").is_none(), "{ended:?}");
        }
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn children_that_end_while_their_parents_park_are_not_lost() {
    let crew = Crew::that(|key, _| Some(StepResult::Done(format!("{key} is done"))));
    for (gateway, scratch) in crew.with(&[("runs.at_once", "3")]).await {
        let owner = gateway.owner().await;
        let inner = line_of(owner, &["inner"]).await;
        let middle = above(owner, &[&inner, &inner]).await;
        let outer = above(owner, &[&middle, &inner, &middle]).await;
        let mut runs = Vec::new();
        for _ in 0..8 {
            runs.push(started(owner, &outer).await);
        }
        for run in &runs {
            let ended = over(owner, run).await;
            assert_eq!(ended.body["status"], "completed", "{ended:?}");
            assert_eq!(steps(&ended), ["team0 done", "team1 done", "team2 done"]);
            assert_eq!(children(owner, run).await.len(), 3);
        }
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn cancelled_child_wakes_its_parent_and_a_cancelled_parent_ends_its_child() {
    // Nobody ever comes to an end.
    let crew = Crew::that(|_, _| None);
    for (gateway, scratch) in crew.with(&[("runs.at_once", "1")]).await {
        let owner = gateway.owner().await;
        let team = around(owner, &line_of(owner, &["inner"]).await).await;
        for of_child in [true, false] {
            let run = started(owner, &team).await;
            let child = eventually("the child is at work", async || {
                let child = children(owner, &run).await.pop()?;
                let path = format!("/api/topology-runs/{child}");
                let shown = owner.get(&path).expect(200).await;
                (shown.body["status"] == "running").then_some(child)
            })
            .await;
            let cancelled = if of_child { &child } else { &run };
            let path = format!("/api/topology-runs/{cancelled}/cancel");
            owner.post(&path).expect(200).await;
            let (parent, child) = (over(owner, &run).await, over(owner, &child).await);
            assert_eq!(child.body["status"], "cancelled", "{child:?}");
            let expected = if of_child { "failed" } else { "cancelled" };
            assert_eq!(parent.body["status"], expected, "{parent:?}");
            assert!(parent.body.get("waits_for").is_none(), "{parent:?}");
        }
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

/// How `abort` ends a process.
const SIGABRT: i32 = 6;

#[tokio::test]
async fn tree_whose_gateway_dies_around_the_wait_ends_as_if_nothing_had_happened() {
    tree_is_killed(&Store::Sqlite).await;
    if let Some(scratch) = ScratchPostgres::new().await {
        tree_is_killed(&Store::Postgres(scratch.url().to_owned())).await;
        scratch.remove().await;
    }
}

async fn tree_is_killed(store: &Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let set = [
        ("sandboxes.local", "off"),
        ("chaos.allow", "true"),
        ("runs.lease_seconds", "3"),
        ("runs.at_once", "1"),
    ];
    let mut process = Process::start_with(folder.path(), store, &set).await;
    let owner = process.owner().await;
    let inner = line_of(&owner, &["writer"]).await;
    let team = around(&owner, &inner).await;
    let path = format!("/api/teams/{}/run", team["id"].as_str().expect("an id"));
    let points = [
        // The parent parks.
        ("waits.park.before_commit", 0),
        ("waits.park.after_commit", 0),
        // The child is claimed, and ends; the parent is claimed again, and ends.
        ("runs.claim.after_commit", 1),
        ("runs.close.before_commit", 0),
        ("committer.before_commit", 1),
        ("runs.close.after_commit", 0),
        ("runs.claim.after_commit", 2),
        ("runs.close.before_commit", 1),
    ];
    for (point, passed) in points {
        process.kill();
        assert!(process.again_with(&format!("{point}=abort@{passed}")).await);
        let asked = owner.post(&path).json(&json!({ "input": "Do it." }));
        // The answer may be cut off with the gateway.
        let _ = asked.try_send().await;
        process.ended_by(SIGABRT).await;
        process.again().await;
        let newest = owner.get("/api/topology-runs?limit=1").expect(200).await;
        let run = newest.str("/items/0/id").to_owned();
        let ended = over(&owner, &run).await;
        let what = format!("{point}@{passed}: {ended:?}");
        assert_eq!(ended.body["status"], "completed", "{what}");
        assert_eq!(steps(&ended), ["team0 done"], "{what}");
        assert_eq!(ended.body["steps"][0]["attempt"], 1, "{what}");
        assert_eq!(children(&owner, &run).await.len(), 1, "{what}");
    }
    process.kill();
}
