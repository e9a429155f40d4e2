//! A run whose step needs a machine that another gateway holds is handed over. No attempt is charged, and a run that the
//! other gateway does not take goes on here. Two real gateways are in tests/it/crashes/two_gateways/handover.rs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use roost_execution::runs::entity::{handover, run};
use roost_execution::runs::{Effect, StepExecutor, StepJob, StepResult, store};
use roost_platform::ids::RunId;
use roost_tests::eventually;
use sea_orm::EntityTrait;
use serde_json::json;
use tokio::sync::watch;

use crate::execution::runs::crew::gateways;
use crate::execution::runs::{line_of, over, started};

const GONE: &str = "a gateway that is gone";

/// The machine of `east` belongs to a gateway that is gone, at the first attempt. `north` ends after that, and `west` when
/// the test says so.
#[derive(Clone)]
struct Team {
    stage: watch::Sender<u8>,
    begun: Arc<Mutex<HashMap<String, u32>>>,
}

impl Team {
    fn begun(&self) -> std::sync::MutexGuard<'_, HashMap<String, u32>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn stage(&self, wanted: u8) {
        let mut stage = self.stage.subscribe();
        let reached = stage.wait_for(|stage| *stage >= wanted).await;
        drop(reached.expect("the test has the sender"));
    }
}

#[async_trait]
impl StepExecutor for Team {
    async fn execute(&self, job: StepJob) -> StepResult {
        let times = {
            let mut begun = self.begun();
            let times = begun.entry(job.step.key.clone()).or_default();
            *times += 1;
            *times
        };
        match &*job.step.key {
            "east" if times == 1 => {
                self.stage.send_replace(1);
                return StepResult::Elsewhere {
                    owner: GONE.to_owned(),
                    detail: "Another gateway holds the machine.".to_owned(),
                };
            }
            "north" => self.stage(1).await,
            "west" => self.stage(2).await,
            _ => {}
        }
        StepResult::Done(format!("{} is done", job.step.key))
    }

    async fn abandon(&self, _: &run::Model, _: Vec<Effect>) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn run_is_handed_over_after_its_other_steps_and_goes_on_when_nobody_takes_it() {
    let team = Team {
        stage: watch::Sender::new(0),
        begun: Arc::default(),
    };
    let set = [("runs.lease_seconds", "3")];
    for (gateway, scratch) in gateways(Arc::new(team.clone()), &set).await {
        team.stage.send_replace(0);
        team.begun().clear();
        let owner = gateway.owner().await;
        let slots = ["hub", "east", "north", "west"].map(|slot| json!({ "slot": slot }));
        let new = json!({ "name": "Spokes", "topology": "hub_spoke", "roles": slots });
        let made = owner.post("/api/teams").json(&new).expect(201).await.body;
        let run = started(owner, &made).await;
        let path = format!("/api/topology-runs/{run}");
        let id: RunId = run.parse().expect("an id");
        eventually("north is done", async || {
            let now = owner.get(&path).expect(200).await;
            let steps = now.body["steps"].as_array().expect("steps").clone();
            let north = steps.into_iter().find(|step| step["key"] == "north")?;
            (north["status"] == "done").then_some(())
        })
        .await;
        let db = gateway.app().db().read();
        let row = store::by_id(db, id).await.expect("read").expect("the run");
        assert!(row.owner.is_some(), "west works here");
        team.stage.send_replace(2);
        let handed = eventually("the run is handed over", async || {
            let row = handover::Entity::find_by_id(id).one(db).await;
            row.expect("read")
        })
        .await;
        assert_eq!((&*handed.owner, handed.epoch), (GONE, row.epoch));
        let handed = store::by_id(db, id).await.expect("read").expect("the run");
        if handed.epoch == row.epoch {
            assert_eq!((&*handed.status, handed.owner), ("running", None));
        }
        let ended = over(owner, &run).await;
        assert_eq!(ended.body["status"], "completed", "{ended:?}");
        for step in ended.body["steps"].as_array().expect("steps") {
            assert_eq!(step["attempt"], 1, "{step}");
        }
        let begun = |key: &str| team.begun().get(key).copied().unwrap_or(0);
        assert_eq!((begun("east"), begun("north"), begun("west")), (2, 1, 1));
        let row = store::by_id(db, id).await.expect("read").expect("the run");
        assert_eq!(row.claims, 1, "the claim that handed over does not count");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn run_that_was_handed_over_ends_at_once_when_it_is_cancelled() {
    let team = Team {
        stage: watch::Sender::new(2),
        begun: Arc::default(),
    };
    // The other gateway has twenty minutes to take the run.
    let set = [("runs.lease_seconds", "3600")];
    for (gateway, scratch) in gateways(Arc::new(team.clone()), &set).await {
        team.begun().clear();
        let owner = gateway.owner().await;
        let alone = line_of(owner, &["east", "after"]).await;
        let run = started(owner, &alone).await;
        let path = format!("/api/topology-runs/{run}");
        let id: RunId = run.parse().expect("an id");
        let db = gateway.app().db().read();
        eventually("the run is handed over", async || {
            let row = store::by_id(db, id).await.expect("read").expect("the run");
            (row.status == "running" && row.owner.is_none()).then_some(())
        })
        .await;
        let shown = owner.get(&path).expect(200).await;
        assert_eq!(shown.body["status"], "running", "{shown:?}");
        // Only the other gateway may claim it: this one takes the next run, and leaves that one.
        let other = line_of(owner, &["other"]).await;
        over(owner, &started(owner, &other).await).await;
        let row = store::by_id(db, id).await.expect("read").expect("the run");
        assert_eq!((row.owner, row.epoch), (None, 1));
        owner.post(&format!("{path}/cancel")).expect(200).await;
        let ended = owner.get(&path).expect(200).await;
        assert_eq!(ended.body["status"], "cancelled", "{ended:?}");
        assert_eq!(team.begun().get("east").copied(), Some(1));
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}
