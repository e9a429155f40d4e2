//! A person stops one agent of a run at work: its step ends as cancelled, and the others go on.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use roost_execution::providers::{Call, Stop};
use roost_execution::runs::entity::run;
use roost_execution::runs::{
    Effect, Entry, NewEntry, StepExecutor, StepJob, StepResult, Turn, Used, effect_key,
};
use roost_execution::topology::StepRef;
use roost_platform::ids::RunId;
use roost_tests::{Answer, Client, Person, eventually};
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::crew::gateways;
use super::{over, started, steps};

/// Agents of which each asks for a command and waits until the test lets it end.
#[derive(Clone)]
struct Held {
    /// `<run>/<step>` of the steps that may end.
    free: watch::Sender<BTreeSet<String>>,
    stopped: Arc<Mutex<Vec<uuid::Uuid>>>,
}

impl Held {
    fn new() -> Self {
        Self {
            free: watch::Sender::default(),
            stopped: Arc::default(),
        }
    }

    fn release(&self, run: &str, key: &str) {
        self.free.send_modify(|free| {
            free.insert(format!("{run}/{key}"));
        });
    }

    fn stopped(&self, key: uuid::Uuid) -> bool {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        stopped.contains(&key)
    }
}

#[async_trait]
impl StepExecutor for Held {
    async fn execute(&self, job: StepJob) -> StepResult {
        let shell = Call {
            id: "c".to_owned(),
            name: "shell".to_owned(),
            arguments: json!({}),
            malformed: None,
            opaque: None,
        };
        let turn = NewEntry {
            index: 0,
            name: "small".to_owned(),
            entry: Entry::Model(Turn {
                text: String::new(),
                thought: None,
                calls: vec![shell],
                stop: Stop::Tools,
            }),
            took_ms: 1,
            used: Used::default(),
        };
        let mut begun = false;
        if job.journal.replay(|_, _| begun = true).await.is_err() {
            return StepResult::Fenced;
        }
        if !begun && job.journal.write(turn).await.is_err() {
            return StepResult::Fenced;
        }
        let name = format!("{}/{}", job.run.id, job.step.key);
        let mut free = self.free.subscribe();
        match free.wait_for(|free| free.contains(&name)).await {
            Ok(_) => StepResult::Done(match &*job.step.key {
                "top/plan" => "All of you: go.".to_owned(),
                _ => "REVIEW_APPROVE: INT-01".to_owned(),
            }),
            Err(_) => StepResult::terminal("the test is over"),
        }
    }

    async fn abandon(&self, _: &run::Model, effects: Vec<Effect>) {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        stopped.extend(effects.into_iter().map(|effect| effect.key));
    }
}

async fn hub(owner: &Client) -> Value {
    let roles = json!([{ "slot": "top" }, { "slot": "one" }, { "slot": "two" }]);
    let new = json!({ "name": "Hub", "topology": "hub_spoke", "roles": roles });
    owner.post("/api/teams").json(&new).expect(201).await.body
}

/// Waits until the run has exactly these steps.
async fn has(owner: &Client, run: &str, wanted: &[&str]) -> Answer {
    let path = format!("/api/topology-runs/{run}");
    eventually(&format!("the run's steps are {wanted:?}"), async || {
        let answer = owner.get(&path).expect(200).await;
        let mut found = steps(&answer);
        found.sort();
        (found == wanted).then_some(answer)
    })
    .await
}

async fn stop(owner: &Client, run: &str, step: &str, status: u16) -> Answer {
    let step = step.replace('/', "%2F");
    let path = format!("/api/topology-runs/{run}/steps/{step}/stop");
    owner.post(&path).expect(status).await
}

fn step<'a>(run: &'a Answer, key: &str) -> &'a Value {
    let steps = run.body["steps"].as_array().expect("steps");
    let found = steps.iter().find(|step| step["key"] == key);
    found.expect("the step")
}

fn effect(run: &str, key: &str) -> uuid::Uuid {
    let at = StepRef {
        key: key.to_owned(),
        lap: 1,
        shard: 0,
    };
    effect_key(run.parse::<RunId>().expect("an id"), &at, 1)
}

async fn stops_in_audit(owner: &Person) -> usize {
    let log = owner.get("/api/audit?limit=200").expect(200).await;
    let items = log.body["items"].as_array().expect("entries");
    let stops = items
        .iter()
        .filter(|entry| entry["action"] == "run.agent_stopped");
    stops.count()
}

const STOPPED: &str = "A person stopped the agent before the end of this step.";

#[tokio::test]
async fn stopped_agent_ends_alone_and_the_outcome_says_so() {
    let held = Held::new();
    for (gateway, scratch) in gateways(Arc::new(held.clone()), &[]).await {
        let owner = gateway.owner().await;
        let team = hub(owner).await;
        let run = started(owner, &team).await;
        held.release(&run, "top/plan");
        let at_work = ["one running", "top/plan done", "two running"];
        has(owner, &run, &at_work).await;
        stop(owner, &run, "one", 200).await;
        // Again, and one that has ended, and one that is not there.
        stop(owner, &run, "one", 200).await;
        stop(owner, &run, "top/plan", 200).await;
        stop(owner, &run, "three", 404).await;
        let seen = has(
            owner,
            &run,
            &["one cancelled", "top/plan done", "two running"],
        )
        .await;
        let one = step(&seen, "one");
        assert_eq!(
            (&one["error"], &one["stopped_by"]["id"]),
            (&json!(STOPPED), &json!(owner.id))
        );
        assert_eq!(step(&seen, "two")["stopped_by"], Value::Null);
        assert_eq!(stops_in_audit(owner).await, 1);
        eventually("its command is stopped", async || {
            held.stopped(effect(&run, "one")).then_some(())
        })
        .await;
        assert!(!held.stopped(effect(&run, "two")));
        held.release(&run, "two");
        held.release(&run, "top/merge");
        let ended = over(owner, &run).await;
        assert_eq!(ended.str("/status"), "completed", "{ended:?}");
        assert_eq!(ended.str("/outcome"), "undecided", "{ended:?}");
        let reason = ended.str("/outcome_reason");
        assert!(
            reason.starts_with("A person stopped the step one. All 2 verdicts accept"),
            "{reason}"
        );
        // The run is over: nothing changes.
        stop(owner, &run, "two", 200).await;
        assert_eq!(stops_in_audit(owner).await, 1);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn parked_agent_is_stopped_and_a_request_outlives_the_gateway() {
    let held = Held::new();
    let set = [("runs.lease_seconds", "3")];
    for (gateway, scratch) in gateways(Arc::new(held.clone()), &set).await {
        let owner = gateway.owner().await;
        let team = hub(owner).await;
        let parked = started(owner, &team).await;
        has(owner, &parked, &["top/plan running"]).await;
        let path = format!("/api/topology-runs/{parked}");
        owner.post(&format!("{path}/pause")).expect(200).await;
        held.release(&parked, "top/plan");
        eventually("the run is parked", async || {
            let run = owner.get(&path).expect(200).await;
            (run.body["waits_for"]["type"] == "pause").then_some(())
        })
        .await;
        stop(owner, &parked, "one", 200).await;
        let run = has(
            owner,
            &parked,
            &["one cancelled", "top/plan done", "two waiting"],
        )
        .await;
        assert_eq!(step(&run, "one")["error"], STOPPED);
        owner.post(&format!("{path}/resume")).expect(200).await;
        held.release(&parked, "two");
        held.release(&parked, "top/merge");
        let ended = over(owner, &parked).await;
        assert_eq!(ended.str("/status"), "completed", "{ended:?}");

        let run = started(owner, &team).await;
        held.release(&run, "top/plan");
        let at_work = ["one running", "top/plan done", "two running"];
        has(owner, &run, &at_work).await;
        // As a gateway leaves it that dies before it has seen the request.
        let db = gateway.app().db();
        let tx = db.write().await.expect("a transaction");
        let die = "UPDATE run_state SET owner = 'dead', epoch = epoch + 1 WHERE run_id = $1";
        let id: RunId = run.parse().expect("an id");
        let die = Statement::from_sql_and_values(db.backend().into(), die, [id.into()]);
        tx.execute_raw(die).await.expect("changed");
        tx.commit().await.expect("a commit");
        stop(owner, &run, "one", 200).await;
        has(
            owner,
            &run,
            &["one cancelled", "top/plan done", "two running"],
        )
        .await;
        held.release(&run, "two");
        held.release(&run, "top/merge");
        let ended = over(owner, &run).await;
        assert_eq!(ended.str("/outcome"), "undecided", "{ended:?}");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn line_fails_with_the_agent_that_was_stopped() {
    let held = Held::new();
    for (gateway, scratch) in gateways(Arc::new(held.clone()), &[]).await {
        let owner = gateway.owner().await;
        let team = super::line_of(owner, &["first", "second"]).await;
        let run = started(owner, &team).await;
        has(owner, &run, &["first running"]).await;
        stop(owner, &run, "first", 200).await;
        let ended = over(owner, &run).await;
        assert_eq!(ended.str("/status"), "failed", "{ended:?}");
        assert!(ended.str("/error").contains(STOPPED), "{ended:?}");
        assert_eq!(steps(&ended), ["first cancelled"]);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}
