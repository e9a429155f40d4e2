//! What runs is pinned, whole: a nested team that is edited or deleted while its run is open changes nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use roost_execution::runs::pin_entity as pin;
use roost_execution::runs::{StepResult, retention};
use roost_tests::{Client, ScratchPostgres, eventually};
use sea_orm::{ConnectionTrait, EntityTrait, PaginatorTrait, Statement};
use serde_json::{Value, json};

use super::crew::Crew;
use super::{line_of, over, started};

async fn remove(scratch: Option<ScratchPostgres>) {
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

fn path(team: &Value) -> String {
    format!("/api/teams/{}", team["id"].as_str().expect("an id"))
}

/// A team of one agent, `first`, and then this team.
async fn before(client: &Client, inner: &Value) -> Value {
    let outer = line_of(client, &["first", "second"]).await;
    let mut graph = outer["topology"].clone();
    graph["nodes"][1] =
        json!({ "id": "second", "kind": "team", "attributes": { "team": inner["id"] } });
    let changed = client.patch(&path(&outer));
    changed
        .json(&json!({ "topology": graph }))
        .expect(200)
        .await
        .body
}

/// A crew whose step `first` waits until it is told to go on.
fn crew() -> (Crew, Arc<AtomicBool>) {
    let go = Arc::new(AtomicBool::new(false));
    let may = go.clone();
    let crew = Crew::that(move |key, _| match key {
        "first" if !may.load(Ordering::SeqCst) => Some(StepResult::retryable("not yet")),
        key => Some(StepResult::Done(format!("{key} is done"))),
    });
    (crew, go)
}

#[tokio::test]
async fn nested_team_that_is_edited_or_deleted_while_it_is_pinned_changes_nothing() {
    let (crew, go) = crew();
    for (gateway, scratch) in crew.on_each().await {
        go.store(false, Ordering::SeqCst);
        let owner = gateway.owner().await;
        let inner = line_of(owner, &["old"]).await;
        let other = line_of(owner, &["new"]).await;
        let outer = before(owner, &inner).await;
        let run = started(owner, &outer).await;
        // It cannot be deleted, neither with its agents nor without.
        for query in ["", "?with_agents=true"] {
            let delete = owner.delete(&format!("{}{query}", path(&inner)));
            let refused = delete.refused(409, "conflict").await;
            assert!(
                refused.text.contains("in which it works"),
                "{}",
                refused.text
            );
        }
        let edited = owner.patch(&path(&inner));
        let edited = edited.json(&json!({ "topology": other["topology"] }));
        edited.expect(200).await;
        // As if an earlier version had deleted it.
        let db = gateway.app().db();
        let tx = db.write().await.unwrap();
        let gone = "DELETE FROM teams WHERE id = $1";
        let id: uuid::Uuid = inner["id"].as_str().unwrap().parse().unwrap();
        let gone = Statement::from_sql_and_values(tx.backend().into(), gone, [id.into()]);
        tx.execute_raw(gone).await.unwrap();
        tx.commit().await.unwrap();
        go.store(true, Ordering::SeqCst);
        let ended = over(owner, &run).await;
        assert_eq!(ended.body["status"], "completed", "{ended:?}");
        assert_eq!(ended.str("/result/text"), "old is done");
        // A fork has the graphs of its original too.
        let fork = owner.post(&format!("/api/topology-runs/{run}/fork"));
        let fork = fork.json(&json!({ "step": "second" })).expect(202).await;
        let fork = over(owner, fork.str("/id")).await;
        assert_eq!(fork.str("/result/text"), "old is done", "{fork:?}");
        // A new run is refused, and says which node has no team.
        let again = owner.post(&format!("{}/run", path(&outer)));
        let again = again.json(&json!({ "input": "Do it." }));
        let refused = again.refused(400, "validation").await;
        assert!(refused.text.contains("/nodes/1/"), "{}", refused.text);
        // Retention deletes them with the outputs.
        assert_eq!(pin::Entity::find().count(db.read()).await.unwrap(), 2);
        let tx = db.write().await.unwrap();
        let later = "UPDATE topology_runs SET ended_ms = ended_ms - 1000";
        tx.execute_unprepared(later).await.unwrap();
        while retention::delete_outputs(&tx, std::time::Duration::ZERO)
            .await
            .unwrap()
        {}
        tx.commit().await.unwrap();
        assert_eq!(pin::Entity::find().count(db.read()).await.unwrap(), 0);
        gateway.stop().await;
        remove(scratch).await;
    }
}

#[tokio::test]
async fn ephemeral_nested_team_ends_with_the_last_run_that_may_start_it() {
    let (crew, go) = crew();
    for (gateway, scratch) in crew.on_each().await {
        go.store(true, Ordering::SeqCst);
        let owner = gateway.owner().await;
        let inner = line_of(owner, &["inner"]).await;
        let ephemeral = owner.patch(&path(&inner));
        ephemeral
            .json(&json!({ "lifecycle": "ephemeral" }))
            .expect(200)
            .await;
        // The same team works twice.
        let outer = line_of(owner, &["one", "two"]).await;
        let mut graph = outer["topology"].clone();
        for (place, id) in ["one", "two"].into_iter().enumerate() {
            graph["nodes"][place] =
                json!({ "id": id, "kind": "team", "attributes": { "team": inner["id"] } });
        }
        let changed = owner.patch(&path(&outer));
        changed
            .json(&json!({ "topology": graph }))
            .expect(200)
            .await;
        let ended = over(owner, &started(owner, &outer).await).await;
        assert_eq!(ended.body["status"], "completed", "{ended:?}");
        eventually("the nested team is taken down", async || {
            let answer = owner.get(&path(&inner)).send().await;
            (answer.status == 404).then_some(())
        })
        .await;
        gateway.stop().await;
        remove(scratch).await;
    }
}

#[tokio::test]
async fn run_of_a_team_that_contains_itself_is_refused_and_the_circle_is_named() {
    let (crew, _) = crew();
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let inner = line_of(owner, &["inner"]).await;
        let outer = before(owner, &inner).await;
        // Two people may save both halves of a circle at once, so a run checks it again.
        let graph = json!({ "kind": "single", "edges": [], "nodes": [
            { "id": "back", "kind": "team", "label": "", "attributes": { "team": outer["id"] } },
        ] });
        let db = gateway.app().db();
        let tx = db.write().await.unwrap();
        let id: uuid::Uuid = inner["id"].as_str().unwrap().parse().unwrap();
        let edit = "UPDATE teams SET topology = $1, name = 'Inner' WHERE id = $2";
        let values = [graph.to_string().into(), id.into()];
        let edit = Statement::from_sql_and_values(tx.backend().into(), edit, values);
        tx.execute_raw(edit).await.unwrap();
        tx.commit().await.unwrap();
        let run = owner.post(&format!("{}/run", path(&outer)));
        let run = run.json(&json!({ "input": "Do it." }));
        let refused = run.refused(400, "validation").await;
        assert!(
            refused.text.contains("Inner → Line → Inner"),
            "{}",
            refused.text
        );
        gateway.stop().await;
        remove(scratch).await;
    }
}
