//! Runs of teams: order, retries, cancel, children, forks, the fence, and crashes of their gateway.

mod abandoned_commands;
mod alone;
pub mod approvals;
mod breaking;
mod checks;
mod clock;
mod compare;
mod crash;
pub mod crew;
mod demonstration;
mod durable;
mod endings;
mod fence;
mod journal;
pub mod killed;
mod limits;
mod machines;
mod origins;
mod outcomes;
mod parents;
mod parked;
pub mod parked_killed;
mod pinned;
mod spoken_to;
mod step_files;
mod step_files_survive;
mod stopped;
mod sums;
mod upgrade;
pub(crate) mod windows;

use roost_tests::{Answer, Client, eventually};
use serde_json::{Value, json};

/// A team of these slots in a line, each of which has nothing but its words.
pub async fn line_of(client: &Client, slots: &[&str]) -> Value {
    let roles: Vec<Value> = slots.iter().map(|slot| json!({ "slot": slot })).collect();
    let new = json!({ "name": "Line", "topology": "pipeline", "roles": roles });
    client.post("/api/teams").json(&new).expect(201).await.body
}

/// Starts a run of the team; its id.
pub async fn started(client: &Client, team: &Value) -> String {
    let path = format!("/api/teams/{}/run", team["id"].as_str().expect("an id"));
    let run = client.post(&path).json(&json!({ "input": "Do it." }));
    run.expect(202).await.str("/id").to_owned()
}

/// The run as soon as it is over.
pub async fn over(client: &Client, run: &str) -> Answer {
    let path = format!("/api/topology-runs/{run}");
    eventually("the run is over", async || {
        let answer = client.get(&path).expect(200).await;
        let status = answer.str("/status").to_owned();
        matches!(&*status, "completed" | "failed" | "cancelled").then_some(answer)
    })
    .await
}

/// Waits until a machine's connection is as said.
pub async fn connection_is(client: &Client, node: &str, connection: &str) {
    eventually("the machine's connection changes", async || {
        let answer = client.get(&format!("/api/nodes/{node}")).expect(200).await;
        (answer.body["connection"] == connection).then_some(())
    })
    .await;
}

/// Its steps as `key status`, in their order.
pub fn steps(run: &Answer) -> Vec<String> {
    let steps = run.body["steps"].as_array().expect("steps");
    let word = |step: &Value, field: &str| step[field].as_str().unwrap_or_default().to_owned();
    steps
        .iter()
        .map(|step| format!("{} {}", word(step, "key"), word(step, "status")))
        .collect()
}
