//! What a run guarantees while its gateway lives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use roost_execution::runs::entity::run;
use roost_execution::runs::{Class, StepResult, store};
use roost_platform::ids::RunId;
use roost_tests::eventually;
use serde_json::{Value, json};
use uuid::Uuid;

use super::crew::Crew;
use super::{line_of, over, started, steps};

fn said(key: &str) -> Option<StepResult> {
    Some(StepResult::Done(format!("{key} is done")))
}

#[tokio::test]
async fn each_step_is_done_once_in_its_order_and_the_last_gives_the_result() {
    let crew = Crew::that(|key, _| said(key));
    for (gateway, scratch) in crew.on_each().await {
        let before = crew.begun("first");
        let owner = gateway.owner().await;
        let team = line_of(owner, &["first", "second", "third"]).await;
        let run = over(owner, &started(owner, &team).await).await;
        assert_eq!(run.body["status"], "completed", "{run:?}");
        assert_eq!(steps(&run), ["first done", "second done", "third done"]);
        assert_eq!(run.str("/result/text"), "third is done");
        assert_eq!(run.str("/checkpoint/outputs/first#1"), "first is done");
        assert_eq!(run.body["steps_done"], 3);
        assert_eq!(crew.begun("first") - before, 1);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn retryable_failures_are_retried_and_terminal_ones_end_the_run() {
    let crew = Crew::that(|key, tries| match (key, tries) {
        ("shaky", 1 | 2) => Some(StepResult::retryable("the line was cut")),
        ("broken", _) => Some(StepResult::terminal("There is no such thing.")),
        ("poor", _) => Some(StepResult::Failed {
            class: Class::Quota,
            detail: "No money is left.".to_owned(),
            after: None,
        }),
        (key, _) => said(key),
    });
    let (gateway, _) = crew.on_each().await.remove(0);
    let owner = gateway.owner().await;
    let team = line_of(owner, &["shaky", "after"]).await;
    let run = over(owner, &started(owner, &team).await).await;
    assert_eq!(steps(&run), ["shaky done", "after done"]);
    assert_eq!(run.body["steps"][0]["attempt"], 3);
    for (slot, code, words) in [
        ("broken", "step-failed", "no such thing"),
        ("poor", "cost-ceiling-reached", "No money"),
    ] {
        let team = line_of(owner, &[slot, "never"]).await;
        let run = over(owner, &started(owner, &team).await).await;
        assert_eq!(run.body["status"], "failed");
        assert_eq!(run.str("/error_code"), code);
        assert!(run.str("/error").contains(words), "{run:?}");
        assert_eq!(steps(&run), [format!("{slot} failed")]);
    }
    assert_eq!(crew.begun("never"), 0);
    gateway.stop().await;
}

/// The team with a topology of one node, which is that team.
fn made_of(owner: &roost_tests::Person, team: &Value, of: &Value) -> roost_tests::Request {
    let graph = json!({ "kind": "single", "nodes": [
        { "id": "again", "kind": "team", "attributes": { "team": of["id"] } },
    ] });
    let path = format!("/api/teams/{}", team["id"].as_str().expect("an id"));
    owner.patch(&path).json(&json!({ "topology": graph }))
}

/// A team in which a team works in which a team works, and so on, deeper than runs may go. No team can come back to itself.
async fn nested(owner: &roost_tests::Person) -> Value {
    let innermost = line_of(owner, &["inner"]).await;
    let itself = made_of(owner, &innermost, &innermost);
    itself.refused(400, "validation").await;
    let mut team = innermost.clone();
    for _ in 0..8 {
        let outer = line_of(owner, &["outer"]).await;
        team = made_of(owner, &outer, &team).expect(200).await.body;
    }
    let circle = made_of(owner, &innermost, &team);
    let refused = circle.refused(400, "validation").await;
    assert!(refused.text.contains("without end"), "{}", refused.text);
    // The circle is named, team by team.
    assert!(refused.text.contains("Line → Line"), "{}", refused.text);
    team
}

#[tokio::test]
async fn a_tree_of_runs_has_a_bound_and_says_so() {
    let full = Arc::new(AtomicBool::new(false));
    let is_full = full.clone();
    let crew = Crew::that(move |key, _| match key {
        "first" if !is_full.load(Ordering::SeqCst) => Some(StepResult::retryable("not yet")),
        key => said(key),
    });
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let inner = line_of(owner, &["inner"]).await;
        let outer = line_of(owner, &["first", "second"]).await;
        let mut graph = outer["topology"].clone();
        graph["nodes"][1] =
            json!({ "id": "second", "kind": "team", "attributes": { "team": inner["id"] } });
        let path = format!("/api/teams/{}", outer["id"].as_str().expect("an id"));
        let changed = owner.patch(&path).json(&json!({ "topology": graph }));
        changed.expect(200).await;
        let run = started(owner, &outer).await;
        let db = gateway.app().db();
        let id = run.parse::<RunId>().unwrap();
        // As if it had started 999 that are over.
        let top = store::by_id(db.read(), id).await.unwrap().unwrap();
        let others = (1..1_000).map(|_| run::Model {
            id: RunId(Uuid::now_v7()),
            parent_run_id: Some(id),
            root_run_id: id,
            depth: 1,
            status: "completed".to_owned(),
            owner: None,
            ended_ms: Some(top.updated_ms),
            ..top.clone()
        });
        let tx = db.write().await.unwrap();
        for other in others {
            store::insert(&tx, other).await.unwrap();
        }
        tx.commit().await.unwrap();
        full.store(true, Ordering::SeqCst);
        let ended = over(owner, &run).await;
        full.store(false, Ordering::SeqCst);
        assert_eq!(ended.body["status"], "failed", "{ended:?}");
        assert!(
            ended.str("/error").contains("may be 1000 runs"),
            "{ended:?}"
        );
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn run_of_teams_that_are_nested_too_deep_is_refused_before_it_begins() {
    let crew = Crew::that(|key, _| said(key));
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let team = nested(owner).await;
        let path = format!("/api/teams/{}/run", team["id"].as_str().expect("an id"));
        let run = owner.post(&path).json(&json!({ "input": "Do it." }));
        let refused = run.refused(400, "validation").await;
        assert!(refused.text.contains("nested 8 deep"), "{}", refused.text);
        assert_eq!(crew.begun("inner"), 0);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn cancelling_a_run_ends_its_descendants_and_no_child_starts_after_it() {
    // Nobody ever comes to an end.
    let crew = Crew::that(|_, _| None);
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let inner = line_of(owner, &["endless"]).await;
        let outer = line_of(owner, &["one"]).await;
        let node =
            |id: &str| json!({ "id": id, "kind": "team", "attributes": { "team": inner["id"] } });
        let graph = json!({ "kind": "single", "nodes": [node("below")] });
        let path = format!("/api/teams/{}", outer["id"].as_str().unwrap());
        let outer = owner
            .patch(&path)
            .json(&json!({ "topology": graph }))
            .expect(200)
            .await
            .body;
        let run = started(owner, &outer).await;
        let children = format!("/api/topology-runs?parent_run_id={run}");
        let child = eventually("the child is at work", async || {
            let list = owner.get(&children).expect(200).await;
            let child = &list.body["items"][0];
            (child["status"] == "running").then(|| child["id"].as_str().unwrap().to_owned())
        })
        .await;
        owner
            .post(&format!("/api/topology-runs/{run}/cancel"))
            .expect(200)
            .await;
        for id in [&run, &child] {
            let ended = over(owner, id).await;
            assert_eq!(ended.body["status"], "cancelled", "{ended:?}");
            assert!(
                steps(&ended).iter().all(|step| step.ends_with("cancelled")),
                "{ended:?}"
            );
        }
        let list = owner.get(&children).expect(200).await;
        assert_eq!(list.body["items"].as_array().unwrap().len(), 1);
        // An end never changes: cancelling it again is no error, and does nothing.
        let again = owner
            .post(&format!("/api/topology-runs/{run}/cancel"))
            .expect(200)
            .await;
        assert_eq!(again.body["status"], "cancelled");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn a_fork_keeps_what_was_handed_over_before_the_step_and_does_the_rest_anew() {
    let crew = Crew::that(|key, tries| match (key, tries) {
        ("second", 1) => Some(StepResult::terminal("It was not possible.")),
        (key, _) => said(key),
    });
    let (gateway, _) = crew.on_each().await.remove(0);
    let owner = gateway.owner().await;
    let team = line_of(owner, &["first", "second", "third"]).await;
    let run = started(owner, &team).await;
    assert_eq!(over(owner, &run).await.body["status"], "failed");
    let path = format!("/api/topology-runs/{run}/fork");
    owner
        .post(&path)
        .json(&json!({ "step": "fourth" }))
        .refused(400, "validation")
        .await;
    owner
        .post(&path)
        .json(&json!({ "step": "third" }))
        .refused(400, "validation")
        .await;
    let fork = owner
        .post(&path)
        .json(&json!({ "step": "second" }))
        .expect(202)
        .await;
    assert_eq!(fork.str("/forked_from"), run);
    assert_eq!(fork.body["steps_done"], 1);
    let fork = over(owner, fork.str("/id")).await;
    assert_eq!(fork.body["status"], "completed", "{fork:?}");
    assert_eq!(steps(&fork), ["first done", "second done", "third done"]);
    assert_eq!(fork.body["steps_done"], 3);
    assert_eq!((crew.begun("first"), crew.begun("second")), (1, 2));
    assert_eq!(over(owner, &run).await.body["status"], "failed");
    gateway.stop().await;
}

#[tokio::test]
async fn a_run_keeps_the_topology_that_it_began_with_and_one_at_work_is_not_forked() {
    let crew = Crew::that(|key, _| (key == "first").then(|| StepResult::Done("done".to_owned())));
    let (gateway, _) = crew.on_each().await.remove(0);
    let owner = gateway.owner().await;
    let team = line_of(owner, &["first", "second"]).await;
    let run = started(owner, &team).await;
    let path = format!("/api/topology-runs/{run}");
    eventually("the second step is at work", async || {
        let run = owner.get(&path).expect(200).await;
        (steps(&run) == ["first done", "second running"]).then_some(())
    })
    .await;
    let fork = json!({ "step": "first" });
    owner
        .post(&format!("{path}/fork"))
        .json(&fork)
        .refused(409, "conflict")
        .await;
    let team_path = format!("/api/teams/{}", team["id"].as_str().unwrap());
    owner.delete(&team_path).refused(409, "conflict").await;
    let mut graph = team["topology"].clone();
    graph["kind"] = "single".into();
    graph["edges"] = json!([]);
    graph["nodes"].as_array_mut().unwrap().truncate(1);
    owner
        .patch(&team_path)
        .json(&json!({ "topology": graph }))
        .expect(200)
        .await;
    let run = owner.get(&path).expect(200).await;
    assert_eq!(run.body["graph"]["kind"], "pipeline");
    gateway.stop().await;
}
