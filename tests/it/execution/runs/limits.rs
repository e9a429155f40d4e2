//! Limits of turns and of time: what they count, how a run ends at them, and what becomes of the runs that it started.

use roost_execution::runs::StepResult;
use roost_platform::db::Db;
use roost_platform::ids::RunId;
use roost_tests::{Person, eventually};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use super::crew::Crew;
use super::{line_of, over};

/// Its steps never end.
fn endless() -> Crew {
    Crew::that(|_, _| None)
}

/// Starts a run of the team with these limits; its id.
async fn limited(owner: &Person, team: &Value, limits: Value) -> String {
    let path = format!("/api/teams/{}/run", team["id"].as_str().expect("an id"));
    let asked = json!({ "input": "Do it.", "limits": limits });
    let run = owner.post(&path).json(&asked).expect(202).await;
    assert_eq!(run.body["limits"], limits);
    run.str("/id").to_owned()
}

/// Lets the time of a run be up, as if it had begun long ago.
async fn use_up_time(db: &Db, run: &str) {
    let up =
        "UPDATE run_state SET time_up_ms = started_ms WHERE run_id = $1 AND time_up_ms IS NOT NULL";
    write(db, run, up).await;
}

/// Changes the row of a run.
async fn write(db: &Db, run: &str, sql: &str) {
    let tx = db.write().await.expect("a transaction");
    let id: RunId = run.parse().expect("an id");
    let statement = Statement::from_sql_and_values(db.backend().into(), sql, [id.into()]);
    let changed = tx.execute_raw(statement).await.expect("it is written");
    assert_eq!(changed.rows_affected(), 1, "{sql}");
    tx.commit().await.expect("it is committed");
}

/// The run when this holds for it.
async fn when(owner: &Person, run: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let path = format!("/api/topology-runs/{run}");
    eventually(what, async || {
        let now = owner.get(&path).expect(200).await.body;
        holds(&now).then_some(now)
    })
    .await
}

/// A run whose only step is the run of another team, both at work; their ids.
async fn parent_and_child(owner: &Person, limits: Value) -> (String, String) {
    let inner = line_of(owner, &["endless"]).await;
    let outer = line_of(owner, &["one"]).await;
    let graph = json!({ "kind": "single", "nodes": [
        { "id": "below", "kind": "team", "attributes": { "team": inner["id"] } },
    ] });
    let path = format!("/api/teams/{}", outer["id"].as_str().expect("an id"));
    let outer = owner.patch(&path).json(&json!({ "topology": graph }));
    let outer = outer.expect(200).await.body;
    let run = limited(owner, &outer, limits).await;
    let parent = when(owner, &run, "it has a child", |run| {
        run["steps"][0]["child_run_ids"][0].is_string()
    })
    .await;
    let child = parent["steps"][0]["child_run_ids"][0].as_str();
    let child = child.expect("an id").to_owned();
    when(owner, &child, "the child works", at_work).await;
    (run, child)
}

fn at_work(run: &Value) -> bool {
    run["steps"][0]["status"] == "running"
}

#[tokio::test]
async fn run_whose_time_is_up_fails_and_says_so() {
    for (gateway, scratch) in endless().on_each().await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["endless", "later"]).await;
        let run = limited(owner, &team, json!({ "time_s": 5_400 })).await;
        when(owner, &run, "a step works", at_work).await;
        use_up_time(gateway.app().db(), &run).await;
        let ended = over(owner, &run).await;
        assert_eq!(ended.str("/status"), "failed");
        assert_eq!(ended.str("/error_code"), "time-limit-reached");
        assert_eq!(ended.str("/outcome"), "undecided");
        assert!(ended.str("/error").contains("1h 30m"), "{ended:?}");
        assert_eq!(ended.str("/steps/0/status"), "cancelled");
        // A run without a limit goes on.
        let other = limited(owner, &team, json!({})).await;
        when(owner, &other, "a step works", at_work).await;
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn paused_run_whose_time_is_up_ends_without_working_again() {
    // Each attempt ends at once, so that the run pauses before the next one.
    let crew = Crew::that(|_, _| Some(StepResult::retryable("It does not work yet.")));
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["again"]).await;
        let run = limited(owner, &team, json!({ "time_s": 60 })).await;
        when(owner, &run, "a step works", at_work).await;
        let path = format!("/api/topology-runs/{run}");
        owner.post(&format!("{path}/pause")).expect(200).await;
        when(owner, &run, "it is paused", |run| {
            run["waits_for"].is_object()
        })
        .await;
        use_up_time(gateway.app().db(), &run).await;
        let ended = over(owner, &run).await;
        assert_eq!(ended.str("/error_code"), "time-limit-reached");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn runs_below_end_with_the_run_whose_time_is_up() {
    for (gateway, scratch) in endless().on_each().await {
        let owner = gateway.owner().await;
        let (run, child) = parent_and_child(owner, json!({ "time_s": 60 })).await;
        use_up_time(gateway.app().db(), &run).await;
        assert_eq!(over(owner, &run).await.str("/status"), "failed");
        assert_eq!(over(owner, &child).await.str("/status"), "cancelled");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn child_is_cancelled_when_its_parents_gateway_stopped_before_it_did_so() {
    let set = [("runs.lease_seconds", "3")];
    for (gateway, scratch) in endless().with(&set).await {
        let owner = gateway.owner().await;
        let (run, child) = parent_and_child(owner, json!({})).await;
        when(owner, &run, "it waits for its child", |run| {
            run["waits_for"].is_object()
        })
        .await;
        let ends = "UPDATE run_state SET status = 'failed', waiting_on = NULL WHERE run_id = $1 AND owner IS NULL";
        write(gateway.app().db(), &run, ends).await;
        assert_eq!(over(owner, &child).await.str("/status"), "cancelled");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn limits_out_of_range_are_refused_and_a_fork_gets_others() {
    let crew = Crew::that(|_, _| Some(StepResult::terminal("It does not work.")));
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["only"]).await;
        let path = format!("/api/teams/{}/run", team["id"].as_str().expect("an id"));
        let wrong = json!({ "input": "Do it.", "limits": { "turns": 0, "time_s": 9 } });
        let refused = owner.post(&path).json(&wrong).expect(400).await;
        assert_eq!(refused.str("/errors/0/pointer"), "/limits/turns");
        assert_eq!(refused.str("/errors/1/pointer"), "/limits/time_s");

        let run = limited(owner, &team, json!({ "turns": 3, "time_s": 60 })).await;
        over(owner, &run).await;
        let path = format!("/api/topology-runs/{run}/fork");
        let fork = json!({ "step": "only", "limits": { "turns": 7 } });
        let fork = owner.post(&path).json(&fork).expect(202).await;
        assert_eq!(fork.body["limits"], json!({ "turns": 7, "time_s": 60 }));
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}
