//! A gateway with a fake executor in place of its agents. Teams and agents are real, and their steps are stored as
//! usual.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use roost_execution::runs::{self, NewRun, Origin, RunLimits, RunsHandle, Tier};
use roost_execution::topology::Graph;
use roost_gateway::app::Surroundings;
use roost_platform::ids::{RunId, TeamId, UserId};
use roost_tenancy::auth::WorkspaceScope;
use roost_tests::{DbInspector, Gateway, Person, ScratchPostgres, Store};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::fake_executor::FakeExecutor;

/// A team for runs.
#[derive(Clone)]
pub struct Team {
    pub id: TeamId,
    pub scope: WorkspaceScope,
    pub user: UserId,
    pub graph: Graph,
}

impl Team {
    /// The team in the API's answer to this person.
    pub fn of(person: &Person, shown: &Value) -> Result<Self> {
        let id = shown["id"].as_str().context("a team has an id")?;
        Ok(Self {
            id: id.parse()?,
            scope: WorkspaceScope::of_row(person.workspace.parse()?),
            user: person.id.parse()?,
            graph: serde_json::from_value(shown["topology"].clone())?,
        })
    }

    /// A new run of it.
    pub fn run(&self, id: RunId) -> NewRun<'static> {
        NewRun {
            id,
            origin: Origin::Team,
            tier: Tier::Team,
            title: "Figures".to_owned(),
            graph: self.graph.clone(),
            input: "Do nothing.".to_owned(),
            team: Some(self.id),
            agent: None,
            under: None,
            forked: None,
            ceiling: None,
            limits: RunLimits::default(),
        }
    }
}

type Waiters = Arc<Mutex<HashMap<RunId, oneshot::Sender<()>>>>;

/// A gateway in this process.
pub struct Fixture {
    gateway: Gateway,
    scratch: Option<ScratchPostgres>,
    pub executor: FakeExecutor,
    waiters: Waiters,
    listener: JoinHandle<()>,
}

impl Fixture {
    /// On a SQLite file, or on a new database of the PostgreSQL server.
    pub async fn open(postgres: bool) -> Result<Self> {
        let scratch = match postgres {
            true => Some(ScratchPostgres::new().await.context(
                "ROOST_TEST_POSTGRES_URL names no server; deploy/runs-figures.sh starts one",
            )?),
            false => None,
        };
        let store = scratch.as_ref().map_or(Store::Sqlite, |scratch| {
            Store::Postgres(scratch.url().to_owned())
        });
        let executor = FakeExecutor::new();
        let around = Surroundings {
            step_executor: Some(Arc::new(executor.clone())),
            ..Surroundings::default()
        };
        let set = [
            ("sandboxes.local", "off"),
            ("plans.free.agents", "1000"),
            ("plans.free.live_containers", "2"),
        ];
        let gateway = Gateway::start_in(tempfile::tempdir()?, &store, &set, around).await?;
        let waiters = Waiters::default();
        let listener = tokio::spawn(notify_ends(gateway.app().runs().endings(), waiters.clone()));
        Ok(Self {
            gateway,
            scratch,
            executor,
            waiters,
            listener,
        })
    }

    /// The address of its database.
    pub fn database(&self) -> String {
        match &self.scratch {
            Some(scratch) => scratch.url().to_owned(),
            None => format!(
                "sqlite:{}",
                self.gateway.data_dir().join("roost.db").display()
            ),
        }
    }

    /// Its runs.
    pub fn runs(&self) -> &RunsHandle {
        self.gateway.app().runs()
    }

    /// Its first Owner.
    pub async fn owner(&self) -> &Person {
        self.gateway.owner().await
    }

    /// A new person with a separate workspace.
    pub async fn stranger(&self) -> Person {
        self.gateway.stranger().await
    }

    /// A team of this many agents who work one after the other.
    pub async fn team(&self, person: &Person, agents: usize) -> Result<Team> {
        let roles: Vec<Value> = (1..=agents)
            .map(|n| json!({ "slot": format!("step-{n}") }))
            .collect();
        let kind = if agents == 1 { "single" } else { "pipeline" };
        let new = json!({ "name": "Figures", "topology": kind, "roles": roles });
        let shown = person.post("/api/teams").json(&new).expect(201).await;
        Team::of(person, &shown.body)
    }

    /// A team of one agent that delegates work to these teams and merges their results.
    pub async fn hub_of(&self, person: &Person, teams: &[Team]) -> Result<Team> {
        let hub = self.team(person, 1).await?;
        let agent = hub.graph.nodes[0].attributes.agent;
        let mut nodes =
            vec![json!({ "id": "hub", "seat": "hub", "attributes": { "agent": agent } })];
        let mut edges = Vec::new();
        for (n, team) in teams.iter().enumerate() {
            let id = format!("team-{n}");
            edges.push(json!({ "from": "hub", "to": id, "kind": "parent" }));
            nodes.push(json!({ "id": id, "kind": "team", "seat": "spoke", "attributes": { "team": team.id } }));
        }
        let graph = json!({ "topology": { "kind": "hub_spoke", "nodes": nodes, "edges": edges } });
        let path = format!("/api/teams/{}", hub.id);
        let shown = person.patch(&path).json(&graph).expect(200).await;
        Team::of(person, &shown.body)
    }

    /// Enqueues a run of the team; the receiver gets its end.
    pub async fn start(&self, team: &Team) -> Result<(RunId, oneshot::Receiver<()>)> {
        let id = RunId(Uuid::now_v7());
        let ended = self.await_end(id);
        runs::enqueue(self.runs(), team.scope, team.user, team.run(id)).await?;
        Ok((id, ended))
    }

    /// A receiver for the end of a run.
    pub fn await_end(&self, run: RunId) -> oneshot::Receiver<()> {
        let (tell, told) = oneshot::channel();
        let mut waiters = self.waiters.lock().unwrap_or_else(PoisonError::into_inner);
        waiters.insert(run, tell);
        told
    }

    /// Fails unless every run is completed with all its steps, so that only finished work is measured.
    pub async fn all_is_done(&self, runs: usize, steps: usize) -> Result<()> {
        let inspector = DbInspector::open(&self.database()).await;
        let count = |sql: &'static str| inspector.numbers(sql);
        let done = count("SELECT count(*) AS n FROM run_state WHERE status = 'completed'").await;
        let outputs = count(
            "SELECT count(*) AS n FROM run_steps WHERE status = 'done' AND output IS NOT NULL",
        )
        .await;
        inspector.close().await;
        let expected = (i64::try_from(runs)?, i64::try_from(runs * steps)?);
        ensure!(
            (done[0], outputs[0]) == expected,
            "{done:?} runs and {outputs:?} steps are done, not {expected:?}"
        );
        Ok(())
    }

    /// Stops it and deletes its data.
    pub async fn close(self) {
        self.executor.hold(false);
        self.listener.abort();
        self.gateway.stop().await;
        if let Some(scratch) = self.scratch {
            scratch.remove().await;
        }
    }
}

async fn notify_ends(mut endings: tokio::sync::broadcast::Receiver<RunId>, waiters: Waiters) {
    loop {
        match endings.recv().await {
            Ok(run) => {
                let waiter = waiters
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(&run);
                if let Some(tell) = waiter {
                    // The receiver may be gone.
                    let _ = tell.send(());
                }
            }
            // Its receivers would wait for ever. Dropping them marks the figures as invalid.
            Err(RecvError::Lagged(_)) => waiters
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clear(),
            Err(RecvError::Closed) => return,
        }
    }
}
