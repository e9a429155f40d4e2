//! A database that breaks off before or after each statement of a run's life, from its start to its end.

use std::sync::Arc;
use std::time::Instant;

use roost_execution::runs::StepResult;
use roost_gateway::app::Surroundings;
use roost_tests::{BreakingProxy, Gateway, ScratchPostgres, Side, Store, eventually};
use rstest::rstest;
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement};
use serde_json::json;

use super::crew::Crew;
use super::{line_of, steps};

async fn count(db: &DatabaseConnection, sql: &str) -> i64 {
    let row = db.query_one_raw(Statement::from_string(sea_orm::DbBackend::Postgres, sql));
    let row = row.await.expect("the database answers").expect("a row");
    row.try_get("", "n").expect("a number")
}

/// A supervisor gives up after so many restarts in a minute, and the program ends, to be started again. So a gateway of
/// this test sees fewer breaks.
const BREAKS_OF_A_GATEWAY: u32 = 6;

async fn gateway_on(url: &str, crew: &Crew) -> Gateway {
    let around = Surroundings {
        step_executor: Some(Arc::new(crew.clone())),
        ..Surroundings::default()
    };
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::Postgres(url.to_owned());
    // A run whose claim nobody heard of is taken up again after a lease.
    let set = [("sandboxes.local", "off"), ("runs.lease_seconds", "3")];
    let gateway = Gateway::start_in(folder, &store, &set, around).await;
    gateway.expect("it starts")
}

#[rstest]
#[case::before_a_statement(Side::Before)]
#[case::after_a_statement(Side::After)]
#[tokio::test]
async fn run_ends_once_with_its_books_right_when_the_database_breaks_off(#[case] side: Side) {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let proxy = BreakingProxy::before(scratch.url()).await;
    let crew = Crew::that(|key, _| Some(StepResult::Done(format!("{key} is done"))));
    let mut gateway = gateway_on(proxy.url(), &crew).await;
    let token = gateway.owner().await.token.clone();
    let mut owner = gateway.anonymous().with_token(&token);
    let team = line_of(&owner, &["first", "second"]).await;
    let path = format!("/api/teams/{}/run", team["id"].as_str().expect("an id"));
    let mut runs = 0;
    for nth in 0.. {
        if nth % BREAKS_OF_A_GATEWAY == BREAKS_OF_A_GATEWAY - 1 {
            gateway.stop().await;
            gateway = gateway_on(proxy.url(), &crew).await;
            owner = gateway.anonymous().with_token(&token);
        }
        let key = format!("{side:?} {nth}");
        let began = Instant::now();
        proxy.break_at(nth, side);
        // A person who gets an error asks again, with the same key.
        let run = eventually("the run is taken", async || {
            let run = owner.post(&path).header("idempotency-key", &key);
            let answer = run.json(&json!({ "input": "Do it." })).send().await;
            (answer.status == 202).then(|| answer.str("/id").to_owned())
        })
        .await;
        let run = eventually("the run is over", async || {
            let answer = owner.get(&format!("/api/topology-runs/{run}")).send().await;
            let is_over = answer.status == 200 && answer.body["ended_at"].is_string();
            is_over.then_some(answer)
        })
        .await;
        assert_eq!(run.body["status"], "completed", "{key}: {run:?}");
        assert_eq!(steps(&run), ["first done", "second done"], "{key}");
        assert_eq!(run.body["steps_done"], 2, "{key}");
        runs += 1;
        if !proxy.broke() {
            break;
        }
        eprintln!("{key}: it holds, {:?}", began.elapsed());
    }
    // A whole run is a few dozen statements.
    assert!(runs > 30, "only {runs} runs: did the connections break?");
    let db = Database::connect(scratch.url()).await.expect("connects");
    for (what, sql, n) in [
        ("runs", "SELECT count(*) AS n FROM topology_runs", runs),
        (
            "agents at work",
            "SELECT count(*) AS n FROM agent_state WHERE at_work <> 0",
            0,
        ),
        (
            "gaps of logs",
            "SELECT count(*) AS n FROM event_heads h WHERE h.seq <> (SELECT count(*) FROM events e \
             WHERE e.workspace_id = h.workspace_id)",
            0,
        ),
        (
            "runs whose last event is not their last",
            "SELECT count(*) AS n FROM topology_runs r WHERE r.last_event_id IS DISTINCT FROM (SELECT e.epoch || '.' || e.seq \
             FROM events e WHERE e.run_id = r.id ORDER BY e.seq DESC LIMIT 1)",
            0,
        ),
    ] {
        assert_eq!(count(&db, sql).await, n, "{what}");
    }
    db.close().await.expect("closes");
    gateway.stop().await;
    scratch.remove().await;
}
