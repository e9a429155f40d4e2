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
/// It has no lease.
const DEAD: &str = "a dead gateway";

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

/// A run that [`OWNER`] works on.
async fn running(
    tx: &WriteTx,
    workspace: WorkspaceId,
    (cancelled, claims): (bool, i32),
    owner: &str,
) -> RunId {
    let id = RunId(Uuid::from_u128(rand::random()));
    let now = tx.backend().now_ms();
    let record = "INSERT INTO topology_runs (id, workspace_id, kind, tier, title, graph, graph_sha256, input, created_by, \
           created_ms, root_run_id, steps_most) \
         VALUES ($1, $2, 'single', 'small', 'a run', '', '', '', $1, 0, $1, 1)";
    let values: [Value; 2] = [id.into(), workspace.into()];
    let insert = Statement::from_sql_and_values(tx.backend().into(), record, values);
    tx.execute_raw(insert).await.unwrap();
    let state = format!(
        "INSERT INTO run_state (run_id, workspace_id, status, owner, epoch, claims, cancel_requested_ms, queued_ms, \
           updated_ms, depth, steps_done, tokens_in, tokens_out, cost_microusd, rolled_up, version) \
         VALUES ($1, $2, 'running', $3, 7, $4, $5, 0, {now}, 0, 0, 0, 0, 0, FALSE, 1)"
    );
    let values: [Value; 5] = [
        id.into(),
        workspace.into(),
        owner.into(),
        claims.into(),
        cancelled.then_some(1_i64).into(),
    ];
    let insert = Statement::from_sql_and_values(tx.backend().into(), state, values);
    tx.execute_raw(insert).await.unwrap();
    id
}

#[tokio::test]
async fn the_sweep_does_with_each_silent_run_what_the_rule_says() {
    for scratch in Scratch::all().await {
        let workspace = workspace_of(&scratch).await;
        let tx = scratch.db.write().await.unwrap();
        let mut expected = Vec::new();
        let mut some = Vec::new();
        for cancelled in [false, true] {
            for claims in [0, 1, MOST_CLAIMS - 1, MOST_CLAIMS, MOST_CLAIMS + 1] {
                let id = running(&tx, workspace, (cancelled, claims), DEAD).await;
                some.push(id);
                expected.push((id, after_silence(cancelled, claims)));
            }
        }
        renew(&tx, OWNER, LEASE).await.unwrap();
        let renewed = running(&tx, workspace, (true, MOST_CLAIMS), OWNER).await;
        let swept = sweep(&tx, Silent::Expired).await.unwrap().runs;
        assert_eq!(swept.len(), expected.len());
        for (id, status) in expected {
            let moved = swept.iter().find(|run| run.id == id).expect("it is swept");
            assert_eq!(moved.status, status.as_str());
            assert_eq!((moved.epoch, moved.version), (8, 2));
            let row = store::by_id(&*tx, id).await.unwrap();
            let row = row.expect("the run");
            assert_eq!((row.status.as_str(), row.owner), (status.as_str(), None));
            let failed = status == Status::Failed;
            assert_eq!(row.error_code.as_deref(), failed.then_some("gave-up"));
            assert_eq!(row.error.is_some(), failed);
            assert_eq!(row.ended_ms.is_some(), status.is_final());
        }
        assert_eq!(sweep(&tx, Silent::Expired).await.unwrap().runs, []);
        assert_eq!(sweep(&tx, Silent::NotOf(OWNER)).await.unwrap().runs, []);
        let orphans = sweep(&tx, Silent::Orphans(OWNER, &some)).await.unwrap();
        assert_eq!(orphans.runs, [], "these runs are not this owner's");
        let swept = sweep(&tx, Silent::NotOf("another gateway")).await.unwrap();
        let swept: Vec<RunId> = swept.runs.into_iter().map(|run| run.id).collect();
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
        running(&tx, workspace, (false, 1), DEAD).await;
        tx.commit().await.unwrap();
        let sweeps = (0..2).map(|_| async {
            let tx = scratch.db.write().await.unwrap();
            let swept = sweep(&tx, Silent::Expired).await.unwrap();
            tx.commit().await.unwrap();
            swept.runs.len()
        });
        let found = futures::future::join_all(sweeps).await;
        assert_eq!(found.iter().sum::<usize>(), 1, "{found:?}");
        scratch.remove().await;
    }
}
