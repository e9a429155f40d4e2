//! A step executor in place of the agents. The test decides what each step does, and the executor counts the steps.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use roost_execution::runs::entity::run;
use roost_execution::runs::{Effect, StepExecutor, StepJob, StepResult};
use roost_gateway::app::Surroundings;
use roost_tests::{Gateway, ScratchPostgres, Store};

/// What a step does; by its key and how often it was tried in all, counted from 1.
type Act = dyn Fn(&str, u32) -> Option<StepResult> + Send + Sync;

/// The crew.
#[derive(Clone)]
pub struct Crew {
    act: Arc<Act>,
    done: Arc<Mutex<HashMap<String, u32>>>,
}

impl Crew {
    /// One that does this; `None` is never done with it.
    pub fn that(act: impl Fn(&str, u32) -> Option<StepResult> + Send + Sync + 'static) -> Self {
        Self {
            act: Arc::new(act),
            done: Arc::default(),
        }
    }

    /// How often the steps of this key were begun.
    pub fn begun(&self, key: &str) -> u32 {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.get(key).copied().unwrap_or(0)
    }

    /// A gateway on each back end with this crew.
    pub async fn on_each(&self) -> Vec<(Gateway, Option<ScratchPostgres>)> {
        self.with(&[]).await
    }

    /// The same, with some keys set.
    pub async fn with(&self, set: &[(&str, &str)]) -> Vec<(Gateway, Option<ScratchPostgres>)> {
        gateways(Arc::new(self.clone()), set).await
    }
}

/// A gateway on each back end in which steps are carried out by this, with some keys set.
pub async fn gateways(
    executor: Arc<dyn StepExecutor>,
    set: &[(&str, &str)],
) -> Vec<(Gateway, Option<ScratchPostgres>)> {
    let mut all = vec![(at(&executor, &Store::Sqlite, set).await, None)];
    if let Some(scratch) = ScratchPostgres::new().await {
        let store = Store::Postgres(scratch.url().to_owned());
        all.push((at(&executor, &store, set).await, Some(scratch)));
    }
    all
}

async fn at(executor: &Arc<dyn StepExecutor>, store: &Store, more: &[(&str, &str)]) -> Gateway {
    let folder = tempfile::tempdir().expect("a folder");
    let around = Surroundings {
        step_executor: Some(executor.clone()),
        ..Surroundings::default()
    };
    let mut set = vec![("sandboxes.local", "off")];
    set.extend(more);
    Gateway::start_in(folder, store, &set, around)
        .await
        .expect("it starts")
}

#[async_trait]
impl StepExecutor for Crew {
    async fn execute(&self, job: StepJob) -> StepResult {
        let tries = {
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            *done.entry(job.step.key.clone()).or_default() += 1;
            // Each gateway of a test has a workspace of its own.
            let here = format!("{}/{}", job.run.workspace_id, job.step.key);
            let tries = done.entry(here).or_default();
            *tries += 1;
            *tries
        };
        match (self.act)(&job.step.key, tries) {
            Some(end) => end,
            None => std::future::pending().await,
        }
    }

    async fn abandon(&self, _: &run::Model, _: Vec<Effect>) {}
}
