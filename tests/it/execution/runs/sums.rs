//! What runs used, summed by the gateway: by team, template, mission, person, model and day. Each token counts once, also
//! for runs inside runs, and also after the journals are deleted.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use roost_execution::providers::Stop;
use roost_execution::runs::entity::run;
use roost_execution::runs::{
    Effect, Entry, NewEntry, StepExecutor, StepJob, StepResult, Turn, Used, retention,
};
use roost_tests::{Client, Gateway, Person, eventually};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};

use super::crew::gateways;
use super::{line_of, over, started};

/// Agents that pay for one turn in each step: `cheap` steps with the model `small`, others with `large`. A `failing` step
/// also pays for a turn without an answer.
struct Paid;

fn used(tokens_in: i64, tokens_out: i64, cost_microusd: i64) -> Used {
    Used {
        tokens_in,
        tokens_out,
        cost_microusd,
    }
}

#[async_trait]
impl StepExecutor for Paid {
    async fn execute(&self, job: StepJob) -> StepResult {
        let (model, used_by_turn) = match &*job.step.key {
            "cheap" | "agent" => ("small", used(10, 5, 100)),
            _ => ("large", used(20, 10, 1_000)),
        };
        if job.step.key == "failing" && job.journal.spend(used(1, 0, 7)).await.is_err() {
            return StepResult::Fenced;
        }
        let turn = Turn {
            text: "Done.".to_owned(),
            thought: None,
            calls: Vec::new(),
            stop: Stop::End,
        };
        let entry = NewEntry {
            index: 0,
            name: model.to_owned(),
            entry: Entry::Model(turn),
            took_ms: 3_000,
            used: used_by_turn,
        };
        match job.journal.write(entry).await {
            Ok(()) => StepResult::Done("Done.".to_owned()),
            Err(_) => StepResult::Fenced,
        }
    }

    async fn abandon(&self, _: &run::Model, _: Vec<Effect>) {}
}

/// A row as (key, name, runs, input, output, cost).
type Row = (Value, Value, i64, i64, i64, i64);

async fn rows(client: &Client, query: &str) -> Vec<Row> {
    let sums = client.get(&format!("/api/runs/use?{query}"));
    let sums = sums.expect(200).await;
    assert_eq!(sums.body["others"], Value::Null, "{sums:?}");
    let rows = sums.body["rows"].as_array().expect("rows");
    let number = |row: &Value, field: &str| row[field].as_i64().expect("a number");
    let row = |row: &Value| {
        (
            row["key"].clone(),
            row["name"].clone(),
            number(row, "runs"),
            number(row, "input_tokens"),
            number(row, "output_tokens"),
            number(row, "cost_microusd"),
        )
    };
    rows.iter().map(row).collect()
}

/// Runs of a team (twice), of a team around it (once), and of an agent alone (once).
async fn work(owner: &Client) -> (Value, Value) {
    let inner = line_of(owner, &["cheap", "failing"]).await;
    let outer = line_of(owner, &["team0"]).await;
    let mut graph = outer["topology"].clone();
    graph["nodes"][0] =
        json!({ "id": "team0", "kind": "team", "attributes": { "team": inner["id"] } });
    let path = format!("/api/teams/{}", outer["id"].as_str().expect("an id"));
    let changed = owner.patch(&path).json(&json!({ "topology": graph }));
    changed.expect(200).await;
    for team in [&inner, &inner, &outer] {
        let ended = over(owner, &started(owner, team).await).await;
        assert_eq!(ended.body["status"], "completed", "{ended:?}");
    }
    let new = json!({ "name": "Ada", "model_binding": "scripted" });
    let ada = owner.post("/api/claws").json(&new).expect(201).await;
    let path = format!("/api/claws/{}/run", ada.str("/id"));
    let run = owner.post(&path).json(&json!({ "input": "Count." }));
    over(owner, run.expect(202).await.str("/id")).await;
    (inner["id"].clone(), outer["id"].clone())
}

#[tokio::test]
async fn use_of_runs_is_summed_once_by_each_thing_that_they_name() {
    for (gateway, scratch) in gateways(Arc::new(Paid), &[]).await {
        let owner = gateway.owner().await;
        let (inner, outer) = work(owner).await;
        // One run of the inner team: 10 + 20 + 1 in, 5 + 10 out, 100 + 1,000 + 7.
        let of_team = |id: &Value, runs| {
            let row = (id.clone(), json!("Line"), runs, 31 * runs, 15 * runs);
            (row.0, row.1, row.2, row.3, row.4, 1_107 * runs)
        };
        let alone = (Value::Null, Value::Null, 1, 10, 5, 100);
        assert_eq!(
            rows(owner, "by=team").await,
            [of_team(&inner, 2), of_team(&outer, 1), alone]
        );
        let all = |key: Value, name: Value| (key, name, 4, 103, 50, 3_421);
        assert_eq!(
            rows(owner, "by=person").await,
            [all(owner.id.clone().into(), json!("Owner"))]
        );
        let nothing = all(Value::Null, Value::Null);
        for by in ["mission", "template"] {
            let sums = rows(owner, &format!("by={by}")).await;
            assert_eq!(sums, std::slice::from_ref(&nothing), "{by}");
        }
        listed_by_model(owner, &inner).await;
        let of_one = rows(owner, &format!("by=day&team_id={}", text(&inner))).await;
        assert_eq!(of_one.iter().map(|row| row.2).sum::<i64>(), 2, "{of_one:?}");
        assert_eq!(of_one.iter().map(|row| row.5).sum::<i64>(), 2_214);
        let of_models = rows(owner, &format!("by=model&team_id={}", text(&inner))).await;
        assert_eq!((&of_models[0].0, of_models[0].2), (&json!("large"), 2));
        let days = rows(owner, "by=day").await;
        assert_eq!(days.iter().map(|row| row.2).sum::<i64>(), 4, "{days:?}");
        let today = chrono::Utc::now().date_naive().to_string();
        assert_eq!(days.last().expect("a day").0, today);
        models(owner).await;
        forget(&gateway).await;
        models(owner).await;
        listed_by_model(owner, &inner).await;
        listed_by_template(owner).await;

        // A deleted team keeps its sums, without a name.
        let path = format!("/api/teams/{}", outer.as_str().expect("an id"));
        owner.delete(&path).expect(204).await;
        eventually("the team is gone", async || {
            let all = rows(owner, "by=team").await;
            let is_it = |row: &Row| row.0 == outer && row.1.is_null();
            all.iter().any(is_it).then_some(())
        })
        .await;
        bounds(&gateway, owner).await;
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

/// The models of the steps, and what turns without an answer cost.
async fn models(owner: &Client) {
    let model = |name: &str, runs, tokens_in, tokens_out, cost| {
        (json!(name), json!(name), runs, tokens_in, tokens_out, cost)
    };
    assert_eq!(
        rows(owner, "by=model").await,
        [
            model("large", 3, 60, 30, 3_000),
            model("small", 4, 40, 20, 400),
            (Value::Null, Value::Null, 0, 3, 0, 21),
        ]
    );
    let sums = owner.get("/api/runs/use?by=model").expect(200).await;
    assert_eq!(sums.body["rows"][0]["seconds"], 9, "{sums:?}");
}

fn text(id: &Value) -> &str {
    id.as_str().expect("an id")
}

async fn count(owner: &Client, query: &str) -> usize {
    let path = format!("/api/topology-runs?limit=200&{query}");
    let list = owner.get(&path).expect(200).await;
    list.body["items"].as_array().expect("runs").len()
}

/// The list of runs has those that used a model, also through a run below them. The run of the agent alone is not work of a
/// team, so only the list of all runs has it.
async fn listed_by_model(owner: &Client, inner: &Value) {
    assert_eq!(count(owner, "model=small").await, 3);
    // With the run of the agent alone and the child of the outer team.
    assert_eq!(count(owner, "model=small&all=true").await, 5);
    assert_eq!(count(owner, "model=large").await, 3);
    let inner = text(inner);
    assert_eq!(
        count(owner, &format!("model=large&team_id={inner}")).await,
        2
    );
    // The child of the outer team used it itself.
    assert_eq!(count(owner, "model=large&all=true").await, 4);
    assert_eq!(count(owner, "model=larg").await, 0);
}

/// The runs of a template are those of its teams.
async fn listed_by_template(owner: &Client) {
    let list = owner.get("/api/team-templates?limit=200").expect(200).await;
    let items = list.body["items"].as_array().expect("templates");
    let [first, second] = [0, 1].map(|at| text(&items[at]["id"]));
    let new = json!({ "name": "Made", "template_id": first });
    let team = owner.post("/api/teams").json(&new).expect(201).await;
    started(owner, &team.body).await;
    assert_eq!(count(owner, &format!("template_id={first}")).await, 1);
    assert_eq!(count(owner, &format!("template_id={second}")).await, 0);
    let path = "/api/topology-runs?template_id=odd";
    owner.get(path).refused(400, "validation").await;
}

/// Deletes the journals of all runs.
async fn forget(gateway: &Gateway) {
    let db = gateway.app().db();
    let tx = db.write().await.expect("a transaction");
    let old = "UPDATE topology_runs SET ended_ms = ended_ms - 2592001000";
    let old = Statement::from_string(db.backend().into(), old);
    tx.execute_raw(old).await.expect("older");
    let month = Duration::from_secs(30 * 86_400);
    retention::delete_outputs(&tx, month)
        .await
        .expect("deleted");
    let left = "SELECT COUNT(*) AS n FROM run_calls WHERE kind = 'model'";
    let left = Statement::from_string(db.backend().into(), left);
    let left = tx.query_one_raw(left).await.expect("read").expect("a row");
    assert_eq!(left.try_get::<i64>("", "n").expect("a number"), 0);
    tx.commit().await.expect("a commit");
}

/// Other times and other workspaces have nothing, and bad times are refused.
async fn bounds(gateway: &Gateway, owner: &Person) {
    assert_eq!(rows(owner, "by=team&to=2026-01-01T00:00:00Z").await, []);
    assert_eq!(rows(owner, "by=model&to=2026-01-01T00:00:00Z").await, []);
    let stranger = gateway.stranger().await;
    for by in ["team", "template", "mission", "person", "model", "day"] {
        let rows = rows(&stranger, &format!("by={by}")).await;
        let spent: i64 = rows.iter().map(|row| row.2 + row.3 + row.5).sum();
        assert_eq!(spent, 0, "{by}: {rows:?}");
    }
    for query in [
        "by=colour",
        "",
        "by=team&from=2025-01-01T00:00:00Z&to=2026-01-03T00:00:00Z",
        "by=team&from=2026-01-03T00:00:00Z&to=2026-01-03T00:00:00Z",
    ] {
        let path = format!("/api/runs/use?{query}");
        owner.get(&path).refused(400, "validation").await;
    }
}
