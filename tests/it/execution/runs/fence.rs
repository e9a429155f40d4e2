//! The fence: a gateway that lost a run writes nothing to it any more.

use std::time::Duration;

use roost_execution::runs::queue::{self, Silent};
use roost_execution::runs::{Fence, FenceError, StepResult, Used};
use roost_platform::ids::RunId;
use roost_tests::eventually;
use sea_orm::ConnectionTrait;

use super::crew::Crew;
use super::{line_of, over, started, steps};

/// The lease of the owners that claim in these tests.
const LEASE: Duration = Duration::from_secs(30);

#[tokio::test]
async fn zombie_owner_writes_nothing_and_its_run_continues_on_another_gateway() {
    let crew = Crew::that(|_, tries| (tries > 1).then(|| StepResult::Done("done".to_owned())));
    for (gateway, scratch) in crew.on_each().await {
        let owner = gateway.owner().await;
        let team = line_of(owner, &["only"]).await;
        let run = started(owner, &team).await;
        let (db, id) = (gateway.app().db(), run.parse::<RunId>().unwrap());
        let held = eventually("the step is at work", async || {
            let row = roost_execution::runs::store::by_id(db.read(), id)
                .await
                .unwrap()?;
            let steps = roost_execution::runs::store::steps(db.read(), id)
                .await
                .unwrap();
            (row.owner.is_some() && steps.len() == 1).then_some(row)
        })
        .await;
        let zombie = Fence::of(&held).expect("a valid origin");
        // Its lease runs out while it sleeps, and the sweeper puts the run back.
        let tx = db.write().await.unwrap();
        tx.execute_unprepared("UPDATE run_owners SET alive_until_ms = 0")
            .await
            .unwrap();
        let swept = queue::sweep(&tx, Silent::Expired).await.unwrap().runs;
        assert_eq!((swept.len(), &*swept[0].status), (1, "queued"));
        tx.commit().await.unwrap();
        let tx = db.write().await.unwrap();
        let refused = zombie.pass(&tx, Used::default(), 1).await;
        assert!(matches!(refused, Err(FenceError::Lost)), "{refused:?}");
        drop(tx);
        let ended = over(owner, &run).await;
        assert_eq!(ended.body["status"], "completed", "{ended:?}");
        assert_eq!(ended.body["steps_done"], 1);
        let tx = db.write().await.unwrap();
        let refused = zombie.pass(&tx, Used::default(), 1).await;
        assert!(matches!(refused, Err(FenceError::Lost)), "{refused:?}");
        drop(tx);
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn concurrent_claims_give_each_run_one_owner_and_workspaces_take_turns() {
    // Nobody but the test claims: the gateway may work on one run at once, and that one never ends.
    let crew = Crew::that(|_, _| None);
    for (gateway, scratch) in crew.with(&[("runs.at_once", "1")]).await {
        let owner = gateway.owner().await;
        let stranger = gateway.stranger().await;
        let first = line_of(owner, &["only"]).await;
        let blocked = started(owner, &first).await;
        let path = format!("/api/topology-runs/{blocked}");
        eventually("the gateway has its one run", async || {
            let run = owner.get(&path).expect(200).await;
            (run.body["status"] == "running").then_some(())
        })
        .await;
        for _ in 0..6 {
            started(owner, &first).await;
        }
        let second = line_of(&stranger, &["only"]).await;
        let theirs = [
            started(&stranger, &second).await,
            started(&stranger, &second).await,
        ];
        let db = gateway.app().db();
        let claims = (0..4).map(|n| {
            let name = format!("claimer {n}");
            async move { queue::claim(db, (&name, LEASE), 1).await.unwrap() }
        });
        let claimed: Vec<_> = futures::future::join_all(claims)
            .await
            .into_iter()
            .flatten()
            .collect();
        let mut ids: Vec<_> = claimed.iter().map(|run| run.id.to_string()).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), claimed.len(), "no run has two owners");
        // The other workspace has nothing at work, so its runs are among the first although they came last.
        let rest = queue::claim(db, ("the last", LEASE), 2).await.unwrap();
        let all: Vec<String> = claimed
            .iter()
            .chain(&rest)
            .map(|run| run.id.to_string())
            .collect();
        assert!(theirs.iter().all(|run| all.contains(run)), "{all:?}");
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn run_is_taken_up_with_a_new_epoch_when_nobody_knows_whether_its_batch_was_committed() {
    for point in ["committer.before_commit", "committer.after_commit"] {
        let crew = Crew::that(|key, _| Some(StepResult::Done(format!("{key} done"))));
        // The begin of the first step passes. The next batch ends it, and its answer never comes.
        let dies = format!("{point}=panic@1");
        let set = [("chaos.allow", "true"), ("chaos.arm", &*dies)];
        for (gateway, scratch) in crew.with(&set).await {
            let owner = gateway.owner().await;
            let team = line_of(owner, &["first", "second"]).await;
            let run = over(owner, &started(owner, &team).await).await;
            assert_eq!(run.body["status"], "completed", "{point}: {run:?}");
            assert_eq!(steps(&run), ["first done", "second done"], "{point}");
            let id = run.str("/id").parse::<RunId>().unwrap();
            let row = roost_execution::runs::store::by_id(gateway.app().db().read(), id).await;
            let row = row.unwrap().unwrap();
            assert_eq!(row.claims, 1, "{point}: the same gateway continues");
            assert!(
                row.epoch > 1,
                "{point}: its actor continued with the old epoch"
            );
            gateway.stop().await;
            if let Some(scratch) = scratch {
                scratch.remove().await;
            }
        }
    }
}
