//! The gateway stops commands of runs whose owner died, or that ended in the queue. And a journal that is too long.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use roost_execution::providers::{Call, Stop};
use roost_execution::runs::effect_key;
use roost_execution::runs::entity::run;
use roost_execution::runs::{
    Effect, Entry, NewEntry, StepExecutor, StepJob, StepResult, Turn, Used,
};
use roost_execution::topology::StepRef;
use roost_platform::ids::RunId;
use roost_tests::eventually;
use sea_orm::{ConnectionTrait, Statement};
use serde_json::json;

use super::crew::gateways;
use super::{line_of, over, started};

/// An agent that has asked for a command and waits for it for ever; what is stopped is written down.
#[derive(Clone, Default)]
struct Waits {
    stopped: Arc<Mutex<Vec<uuid::Uuid>>>,
}

#[async_trait]
impl StepExecutor for Waits {
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
            name: "m".to_owned(),
            entry: Entry::Model(Turn {
                text: String::new(),
                thought: None,
                calls: vec![shell],
                stop: Stop::Tools,
            }),
            took_ms: 1,
            used: Used::default(),
        };
        match job.journal.write(turn).await {
            Ok(()) => std::future::pending().await,
            Err(_) => StepResult::Fenced,
        }
    }

    async fn abandon(&self, _: &run::Model, effects: Vec<Effect>) {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        stopped.extend(effects.into_iter().map(|effect| effect.key));
    }
}

#[tokio::test]
async fn a_cancelled_run_whose_owner_died_leaves_no_command_behind() {
    let waits = Waits::default();
    let set = [("runs.lease_seconds", "3")];
    for (gateway, scratch) in gateways(Arc::new(waits.clone()), &set).await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["only"]).await;
        let run = started(owner, &team).await;
        let path = format!("/api/topology-runs/{run}/calls");
        eventually("it has asked for its command", async || {
            let calls = owner.get(&path).expect(200).await;
            (calls.body["items"].as_array()?.len() == 1).then_some(())
        })
        .await;
        let id: RunId = run.parse().unwrap();
        // As a gateway leaves it that died between the mark and the end.
        let db = gateway.app().db();
        let tx = db.write().await.unwrap();
        let die = "UPDATE run_state SET owner = 'dead', epoch = epoch + 1, cancel_requested_ms = 1 WHERE run_id = $1";
        let die = Statement::from_sql_and_values(db.backend().into(), die, [id.into()]);
        tx.execute_raw(die).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(over(owner, &run).await.body["status"], "cancelled");
        let step = StepRef {
            key: "only".to_owned(),
            lap: 1,
            shard: 0,
        };
        let key = effect_key(id, &step, 1);
        eventually("its command is told to stop", async || {
            let stopped = waits.stopped.lock().unwrap_or_else(PoisonError::into_inner);
            stopped.contains(&key).then_some(())
        })
        .await;
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn long_entries_of_a_too_long_journal_are_omitted() {
    for (gateway, scratch) in gateways(Arc::new(Waits::default()), &[]).await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["only"]).await;
        let run = started(owner, &team).await;
        let path = format!("/api/topology-runs/{run}/calls");
        let read = async || owner.get(&path).expect(200).await;
        eventually("it has asked for its command", async || {
            (read().await.body["items"].as_array()?.len() == 1).then_some(())
        })
        .await;
        let id: RunId = run.parse().unwrap();
        let db = gateway.app().db();
        let tx = db.write().await.unwrap();
        let write = "INSERT INTO run_calls (run_id, step_key, lap, idx, kind, name, content, failed, started_ms, ended_ms, tokens_in, \
             tokens_out, cost_microusd) VALUES ($1, 'only', 1, $2, 'model', 'm', $3, FALSE, 1, $2, 0, 0, 0)";
        for (place, bytes) in [(1, 20 << 20), (2, 20 << 20), (3, 10)] {
            let said =
                json!({ "text": "é".repeat(bytes / 2), "calls": [], "stop": "end" }).to_string();
            let values = [id.into(), place.into(), said.into()];
            let write = Statement::from_sql_and_values(db.backend().into(), write, values);
            tx.execute_raw(write).await.unwrap();
        }
        tx.commit().await.unwrap();
        let calls = read().await;
        let mut texts: Vec<&str> = (0..4)
            .map(|n| calls.str(&format!("/items/{n}/content/text")))
            .collect();
        texts.sort_unstable();
        let too_long = "[too long to be shown here]";
        assert_eq!(texts, ["", too_long, too_long, "ééééé"]);
        let cancel = owner.post(&format!("/api/topology-runs/{run}/cancel"));
        cancel.expect(200).await;
        over(owner, &run).await;
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}
