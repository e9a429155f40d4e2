//! The sweep on both databases: which runs it takes, and which status they get.

use std::time::Duration;

use sea_orm::{ConnectionTrait, EntityTrait, Statement, Value};
use uuid::Uuid;

use super::*;
use roost_platform::clock::SystemClock;
use roost_platform::ids::UuidV7;
use roost_tenancy::auth::first_owner;
use roost_tenancy::workspaces::entity::workspace;
use roost_test_database::Scratch;

const LEASE: Duration = Duration::from_secs(30);
const OWNER: &str = "a gateway";

async fn workspace_of(scratch: &Scratch) -> WorkspaceId {
    let clock = SystemClock::shared();
    let ids = UuidV7::shared(clock.clone());
    first_owner(&scratch.db, &clock, &ids, "scale", 15)
        .await
        .unwrap()
        .unwrap();
    let row = workspace::Entity::find().one(scratch.db.read()).await;
    row.unwrap().unwrap().id
}

/// A run that [`OWNER`] works on and last renewed `silent_ms` ago.
async fn running(
    tx: &WriteTx,
    workspace: WorkspaceId,
    (cancelled, claims): (bool, i32),
    silent_ms: i64,
) -> RunId {
    let id = RunId(Uuid::from_u128(rand::random()));
    let now = tx.backend().now_ms();
    let sql = format!(
        "INSERT INTO topology_runs (id, workspace_id, status, kind, tier, title, graph, graph_sha256, input, created_by, \
           created_ms, updated_ms, root_run_id, depth, owner, epoch, claims, cancel_requested_ms, steps_done, steps_most, \
           tokens_in, tokens_out, cost_microusd, version) \
         VALUES ($1, $2, 'running', 'single', 'small', 'a run', '', '', '', $1, 0, {now} - $3, $1, 0, $4, 7, $5, $6, \
           0, 1, 0, 0, 0, 1)"
    );
    let values: [Value; 6] = [
        id.into(),
        workspace.into(),
        silent_ms.into(),
        OWNER.into(),
        claims.into(),
        cancelled.then_some(1_i64).into(),
    ];
    let insert = Statement::from_sql_and_values(tx.backend().into(), sql, values);
    tx.execute_raw(insert).await.unwrap();
    id
}

#[tokio::test]
async fn the_sweep_does_with_each_silent_run_what_the_rule_says() {
    for scratch in Scratch::all().await {
        let workspace = workspace_of(&scratch).await;
        let tx = scratch.db.write().await.unwrap();
        let mut expected = Vec::new();
        for cancelled in [false, true] {
            for claims in [0, 1, MOST_CLAIMS - 1, MOST_CLAIMS, MOST_CLAIMS + 1] {
                let id = running(&tx, workspace, (cancelled, claims), 60_000).await;
                expected.push((id, after_silence(cancelled, claims)));
            }
        }
        let renewed = running(&tx, workspace, (true, MOST_CLAIMS), 1_000).await;
        let swept = sweep(&tx, Silent::For(LEASE)).await.unwrap();
        assert_eq!(swept.len(), expected.len());
        for (id, status) in expected {
            let moved = swept.iter().find(|run| run.id == id).expect("it is swept");
            assert_eq!(moved.status, status.as_str());
            assert_eq!((moved.epoch, moved.version), (8, 2));
            let row = run::Entity::find_by_id(id).one(&*tx).await.unwrap();
            let row = row.expect("the run");
            assert_eq!((row.status.as_str(), row.owner), (status.as_str(), None));
            let failed = status == Status::Failed;
            assert_eq!(row.error_code.as_deref(), failed.then_some("gave-up"));
            assert_eq!(row.error.is_some(), failed);
            assert_eq!(row.ended_ms.is_some(), status.is_final());
        }
        assert_eq!(sweep(&tx, Silent::For(LEASE)).await.unwrap(), []);
        assert_eq!(sweep(&tx, Silent::NotOf(OWNER)).await.unwrap(), []);
        let swept = sweep(&tx, Silent::NotOf("another gateway")).await.unwrap();
        let swept: Vec<RunId> = swept.into_iter().map(|run| run.id).collect();
        assert_eq!(swept, [renewed]);
        drop(tx);
        scratch.remove().await;
    }
}

#[tokio::test]
async fn of_two_sweeps_at_once_one_finds_a_silent_run() {
    for scratch in Scratch::all().await {
        let workspace = workspace_of(&scratch).await;
        let tx = scratch.db.write().await.unwrap();
        running(&tx, workspace, (false, 1), 60_000).await;
        tx.commit().await.unwrap();
        let sweeps = (0..2).map(|_| async {
            let tx = scratch.db.write().await.unwrap();
            let swept = sweep(&tx, Silent::For(LEASE)).await.unwrap();
            tx.commit().await.unwrap();
            swept.len()
        });
        let found = futures::future::join_all(sweeps).await;
        assert_eq!(found.iter().sum::<usize>(), 1, "{found:?}");
        scratch.remove().await;
    }
}
