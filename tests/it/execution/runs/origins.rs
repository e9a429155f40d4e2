//! Where runs come from: which lists show them, what their events belong to, and what earlier rows say.

use roost_execution::runs::StepResult;
use roost_tests::{Answer, Client, ScratchPostgres};
use serde_json::{Value, json};

use super::crew::Crew;
use super::{line_of, over, started};

async fn remove(scratch: Option<ScratchPostgres>) {
    if let Some(scratch) = scratch {
        scratch.remove().await;
    }
}

/// The origins in a list, newest first.
async fn listed(client: &Client, query: &str) -> Vec<String> {
    let list = client.get(&format!("/api/topology-runs{query}"));
    let list = list.expect(200).await;
    let all = list.body["items"].as_array().expect("a list");
    let words = all.iter().map(|run| run["origin"]["type"].as_str());
    words
        .map(|word| word.unwrap_or_default().to_owned())
        .collect()
}

#[tokio::test]
async fn lists_show_the_work_of_people_and_everything_when_they_are_asked_for_all() {
    let crew = Crew::that(|key, _| Some(StepResult::Done(format!("{key} is done"))));
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let inner = line_of(owner, &["inner"]).await;
        let outer = line_of(owner, &["only"]).await;
        let graph = json!({ "kind": "single", "nodes": [
            { "id": "below", "kind": "team", "attributes": { "team": inner["id"] } },
        ] });
        let path = format!("/api/teams/{}", outer["id"].as_str().expect("an id"));
        let changed = owner.patch(&path).json(&json!({ "topology": graph }));
        let outer = changed.expect(200).await.body;
        let run = over(owner, &started(owner, &outer).await).await;
        assert_eq!((run.str("/kind"), run.str("/tier")), ("team", "team"));
        assert_eq!(run.body["origin"], json!({ "type": "team" }));
        let fork = owner.post(&format!("/api/topology-runs/{}/fork", run.str("/id")));
        let fork = fork.json(&json!({ "step": "below" })).expect(202).await;
        let fork = over(owner, fork.str("/id")).await;
        assert_eq!(
            fork.body["origin"],
            json!({ "type": "fork", "of": run.body["id"] })
        );
        assert_eq!(listed(owner, "").await, ["fork", "team"]);
        // The id of a call comes from its place, so its order says nothing.
        let mut all = listed(owner, "?all=true").await;
        all.sort();
        assert_eq!(all, ["call", "call", "fork", "team"]);
        assert_eq!(listed(owner, "?origin=call").await, ["call", "call"]);
        assert_eq!(listed(owner, "?origin=fork").await, ["fork"]);
        assert_eq!(listed(owner, "?origin=chat&all=true").await, [""; 0]);
        let unknown = owner.get("/api/topology-runs?origin=nobody");
        unknown.refused(400, "validation").await;
        let below = format!("?parent_run_id={}", run.str("/id"));
        assert_eq!(listed(owner, &below).await, ["call"]);
        let child = only_child(owner, &below).await;
        let caller = json!({ "type": "call", "run": run.body["id"], "step": "below", "lap": 1,
            "shard": 0, "call": 0 });
        assert_eq!(child["origin"], caller);
        assert_eq!(child["kind"], "team");
        gateway.stop().await;
        remove(scratch).await;
    }
}

async fn only_child(client: &Client, query: &str) -> Value {
    let list: Answer = client
        .get(&format!("/api/topology-runs{query}"))
        .expect(200)
        .await;
    list.body["items"][0].clone()
}
