//! A run that is in flight while the gateway gets a newer version continues: its steps, calls and children keep their
//! identity.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use roost_execution::runs::entity::run;
use roost_execution::runs::{
    Effect, Entry, StepExecutor, StepJob, StepResult, effect_key, model, store,
};
use roost_execution::topology::StepRef;
use roost_gateway::app::Surroundings;
use roost_migrations::{Migrator, MigratorTrait};
use roost_platform::ids::RunId;
use roost_tests::{Gateway, ScratchPostgres, Store, eventually};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement, Value};
use uuid::Uuid;

/// The first migration of the version to which the gateway is upgraded.
const UPGRADE: &str = "m0801_run_origin";

/// An agent that answers with the number of calls that its journal contains, and keeps their keys.
#[derive(Clone, Default)]
struct Continues {
    keys: Arc<Mutex<Vec<Uuid>>>,
}

#[async_trait]
impl StepExecutor for Continues {
    async fn execute(&self, job: StepJob) -> StepResult {
        let mut found = Vec::new();
        let read = job.journal.replay(|index, entry| {
            if let Entry::Model(turn) = entry {
                for call in 1..=u32::try_from(turn.calls.len()).expect("few") {
                    found.push(effect_key(job.run.id, &job.journal.step, index + call));
                }
            }
        });
        match read.await {
            Ok(()) => {
                let text = format!("{} call", found.len());
                self.keys
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend(found);
                StepResult::Done(text)
            }
            Err(error) => StepResult::terminal(error.to_string()),
        }
    }

    async fn abandon(&self, _: &run::Model, _: Vec<Effect>) {}
}

fn only() -> StepRef {
    StepRef {
        key: "only".to_owned(),
        lap: 1,
        shard: 0,
    }
}

async fn write(db: &DatabaseConnection, sql: &str, values: impl IntoIterator<Item = Value>) {
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    db.execute_raw(statement).await.expect(sql);
}

/// A run as the earlier version wrote it, released at the stop of its gateway.
async fn old_run(
    db: &DatabaseConnection,
    workspace: Uuid,
    id: RunId,
    node: &str,
    parent: Option<RunId>,
) {
    let graph = format!(
        r#"{{"kind":"single","nodes":[{{"id":"only","kind":"{node}","label":"Only","attributes":{{"{node}":"{workspace}"}}}}],"edges":[]}}"#
    );
    let (status, result, ended) = match parent {
        None => ("queued", None, None),
        Some(_) => (
            "completed",
            Some(r#"{"text":"from the child"}"#),
            Some(9_i64),
        ),
    };
    let sql = "INSERT INTO topology_runs (id, workspace_id, status, kind, tier, title, graph, graph_sha256, input, result, \
                 created_by, created_ms, updated_ms, ended_ms, parent_run_id, parent_step, root_run_id, depth, epoch, claims, \
                 steps_done, steps_most, tokens_in, tokens_out, cost_microusd, version) \
               VALUES ($1, $2, $3, 'team', 'team', 'old', $4, '', 'Do it.', $5, $2, 1, 1, $6, $7, $8, $9, $10, 3, 1, 0, 1, 0, 0, \
                 7, 4)";
    write(
        db,
        sql,
        [
            id.0.into(),
            workspace.into(),
            status.into(),
            graph.into(),
            result.into(),
            ended.into(),
            parent.map(|parent| parent.0).into(),
            parent.map(|_| "only#1").into(),
            parent.unwrap_or(id).0.into(),
            i32::from(parent.is_some()).into(),
        ],
    )
    .await;
}

async fn old_database(url: &str, workspace: Uuid, [alone, parent]: [RunId; 2], child: RunId) {
    let db = Database::connect(url).await.expect("it opens");
    let all = Migrator::migrations();
    let before = all.iter().position(|one| one.name() == UPGRADE);
    let before = u32::try_from(before.expect("it exists")).expect("few");
    Migrator::up(&db, Some(before))
        .await
        .expect("the old schema");
    let at = "2026-01-01 00:00:00+00:00";
    let now = match db.get_database_backend() {
        sea_orm::DbBackend::Postgres => format!("TIMESTAMPTZ '{at}'"),
        _ => format!("'{at}'"),
    };
    let sql = format!(
        "INSERT INTO workspaces (id, name, plan, created_at) VALUES ($1, 'old', 'scale', {now})"
    );
    write(&db, &sql, [workspace.into()]).await;
    let log = "INSERT INTO event_heads (workspace_id, epoch, seq) VALUES ($1, 1, 0)";
    write(&db, log, [workspace.into()]).await;
    old_run(&db, workspace, alone, "agent", None).await;
    old_run(&db, workspace, parent, "team", None).await;
    old_run(&db, workspace, child, "agent", Some(parent)).await;
    let step = "INSERT INTO run_steps (run_id, step_key, lap, position, node, purpose, child_run_id, status, attempt, started_ms, \
                  tokens_in, tokens_out, cost_microusd) \
                VALUES ($1, 'only', 1, 0, 'only', 'work', $2, 'running', 1, 1, 0, 0, 0)";
    write(&db, step, [alone.0.into(), None::<Uuid>.into()]).await;
    write(&db, step, [parent.0.into(), Some(child.0).into()]).await;
    let turn =
        r#"{"text":"I begin.","calls":[{"id":"c","name":"shell","arguments":{}}],"stop":"tools"}"#;
    let call = "INSERT INTO run_calls (run_id, step_key, lap, idx, kind, name, content, failed, started_ms, ended_ms, tokens_in, \
                  tokens_out, cost_microusd) VALUES ($1, 'only', 1, 0, 'model', 'm', $2, FALSE, 1, 2, 0, 0, 0)";
    write(&db, call, [alone.0.into(), turn.into()]).await;
    db.close().await.expect("it closes");
}

#[tokio::test]
async fn run_in_flight_continues_after_an_upgrade_with_the_same_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("roost.db");
    let mut all = vec![(
        folder,
        Store::Sqlite,
        format!("sqlite:{}?mode=rwc", file.display()),
        None,
    )];
    if let Some(scratch) = ScratchPostgres::empty().await {
        let (store, url) = (
            Store::Postgres(scratch.url().to_owned()),
            scratch.url().to_owned(),
        );
        let folder = tempfile::tempdir().expect("a folder");
        all.push((folder, store, url, Some(scratch)));
    }
    for (folder, store, url, scratch) in all {
        let ids = [11, 12].map(|n| RunId(Uuid::from_u128(n)));
        let [alone, parent] = ids;
        let child = model::child_id(parent, &only(), 0);
        old_database(&url, Uuid::from_u128(10), ids, child).await;
        let continues = Continues::default();
        let around = Surroundings {
            step_executor: Some(Arc::new(continues.clone())),
            ..Surroundings::default()
        };
        let set = [("sandboxes.local", "off")];
        let gateway = Gateway::start_in(folder, &store, &set, around).await;
        let gateway = gateway.expect("it starts on the old database");
        let db = gateway.app().db().read();
        let ended = async |id| {
            eventually("the run is over", async || {
                let row = store::by_id(db, id).await.unwrap().expect("the run");
                (row.status != "queued" && row.status != "running").then_some(row)
            })
            .await
        };
        let row = ended(alone).await;
        assert_eq!(row.status, "completed", "{row:?}");
        assert_eq!(row.result.as_deref(), Some(r#"{"text":"1 call"}"#));
        let keys = continues
            .keys
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        assert_eq!(keys, [effect_key(alone, &only(), 1)]);
        // The child is found by its id, and its cost is added once.
        let row = ended(parent).await;
        assert_eq!(row.status, "completed", "{row:?}");
        assert_eq!(row.result.as_deref(), Some(r#"{"text":"from the child"}"#));
        assert_eq!(row.cost_microusd, 7 + 7);
        let links = store::children(db, parent).await.unwrap();
        assert_eq!(links.len(), 1);
        assert_eq!(links[0].child_run_id, child);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}
