//! Parked runs: they cost a row, leave their place free, and continue when what they wait for is there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use roost_execution::runs::entity::run;
use roost_execution::runs::{Effect, StepExecutor, StepJob, StepResult, WaitOn, store};
use roost_platform::db::Db;
use roost_platform::ids::{NodeId, RunId};
use roost_tests::{Client, FakeNode, Gateway, Machine, eventually};

use super::crew::gateways;
use super::{connection_is, line_of, over, started, steps};

/// The machine of a workspace, and how often its step began.
type Machines = HashMap<uuid::Uuid, (Db, NodeId, u32)>;

/// An agent whose step "waits" waits for the workspace's machine until it is connected. Other steps are done at once.
#[derive(Clone, Default)]
struct Waits(Arc<Mutex<Machines>>);

impl Waits {
    fn machines(&self) -> std::sync::MutexGuard<'_, Machines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn machine(&self, gateway: &Gateway) -> Machine {
        let owner = gateway.owner().await;
        let machine = Machine::joined(gateway, owner).await;
        let id = machine.node_id.parse().expect("an id");
        let workspace = owner.workspace.parse().expect("an id");
        self.machines()
            .insert(workspace, (gateway.app().db().clone(), id, 0));
        machine
    }

    fn begun(&self, workspace: &str) -> u32 {
        self.machines()[&workspace.parse().expect("an id")].2
    }
}

#[async_trait]
impl StepExecutor for Waits {
    async fn execute(&self, job: StepJob) -> StepResult {
        if job.step.key != "waits" {
            return StepResult::Done("done".to_owned());
        }
        let (db, machine) = {
            let mut machines = self.machines();
            let entry = machines.get_mut(&job.run.workspace_id.0);
            let (db, machine, begun) = entry.expect("the test has made it");
            *begun += 1;
            (db.clone(), *machine)
        };
        let node = roost_machines::fleet::by_id(db.read(), machine).await;
        let node = node.expect("it is read").expect("the machine");
        match node.connection.as_str() {
            "connected" => StepResult::Done("it is there".to_owned()),
            _ => StepResult::Waits {
                on: WaitOn::Machine { machine },
                detail: "The machine is not connected.".to_owned(),
            },
        }
    }

    async fn abandon(&self, _: &run::Model, _: Vec<Effect>) {}
}

async fn is_parked(owner: &Client, run: &str) {
    let path = format!("/api/topology-runs/{run}");
    eventually("the run is parked", async || {
        let now = owner.get(&path).expect(200).await;
        (now.body["waits_for"]["type"] == "machine").then_some(())
    })
    .await;
}

/// The lists of runs, of those that wait, and of teams.
async fn says_that_it_waits(owner: &Client, run: &str) {
    let waiting = owner.get("/api/topology-runs?waiting=true").expect(200);
    let waiting = waiting.await;
    let found = waiting.body["items"].as_array().expect("a list");
    assert_eq!(found.len(), 1, "{waiting:?}");
    assert_eq!(found[0]["id"], run);
    assert!(found[0]["waiting_on"].is_string(), "{waiting:?}");
    let teams = owner.get("/api/teams").expect(200).await;
    let teams = teams.body["items"].as_array().expect("a list").clone();
    let last = teams
        .iter()
        .map(|team| &team["last_run"])
        .find(|last| last["id"] == run);
    assert!(last.expect("the team's run")["waiting_on"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn parked_run_leaves_its_place_and_continues_when_the_machine_connects() {
    let waits = Waits::default();
    for (gateway, scratch) in gateways(Arc::new(waits.clone()), &[("runs.at_once", "1")]).await {
        let owner = gateway.owner().await;
        let machine = waits.machine(&gateway).await;
        let waiting = line_of(owner, &["first", "waits", "last"]).await;
        let quick = line_of(owner, &["quick"]).await;
        let parked = started(owner, &waiting).await;
        is_parked(owner, &parked).await;
        let db = gateway.app().db().read();
        let row = store::by_id(db, parked.parse::<RunId>().unwrap()).await;
        let row = row.unwrap().expect("the run");
        assert_eq!((row.status.as_str(), row.owner), ("running", None));
        // The only place is free.
        let other = over(owner, &started(owner, &quick).await).await;
        assert_eq!(other.body["status"], "completed");
        assert_eq!(waits.begun(&owner.workspace), 1, "nobody polls");
        says_that_it_waits(owner, &parked).await;
        let fake_node = FakeNode::start(machine.clone(), vec![machine.channel.clone()]);
        connection_is(owner, &machine.node_id, "connected").await;
        let ended = over(owner, &parked).await;
        assert_eq!(ended.body["status"], "completed", "{ended:?}");
        assert_eq!(steps(&ended), ["first done", "waits done", "last done"]);
        let step = &ended.body["steps"][1];
        assert_eq!(step["attempt"], 1, "{step}");
        assert_eq!(step["output"], "it is there");
        assert!(ended.body.get("waiting_on").is_none(), "{ended:?}");
        drop(fake_node);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parked_run_ends_at_once_when_it_is_cancelled() {
    let waits = Waits::default();
    for (gateway, scratch) in gateways(Arc::new(waits.clone()), &[]).await {
        let owner = gateway.owner().await;
        waits.machine(&gateway).await;
        let team = line_of(owner, &["waits"]).await;
        let run = started(owner, &team).await;
        is_parked(owner, &run).await;
        let cancel = format!("/api/topology-runs/{run}/cancel");
        let cancelled = owner.post(&cancel).expect(200).await;
        assert_eq!(cancelled.body["status"], "cancelled", "{cancelled:?}");
        assert_eq!(steps(&over(owner, &run).await), ["waits cancelled"]);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parked_run_fails_when_the_machine_stays_away_for_too_long() {
    let waits = Waits::default();
    let patience = [("runs.machine_wait_seconds", "2")];
    for (gateway, scratch) in gateways(Arc::new(waits.clone()), &patience).await {
        let owner = gateway.owner().await;
        waits.machine(&gateway).await;
        let team = line_of(owner, &["waits"]).await;
        let ended = over(owner, &started(owner, &team).await).await;
        assert_eq!(ended.body["status"], "failed", "{ended:?}");
        assert_eq!(ended.str("/error_code"), "machine-away", "{ended:?}");
        assert_eq!(
            waits.begun(&owner.workspace),
            2,
            "at its begin and at its end"
        );
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}
