//! One sync of a connection at a time, on any gateway; and each requested sync happens.

use std::time::Duration;

use futures::FutureExt;
use roost_gateway::app::Surroundings;
use roost_platform::clock::{SystemClock, TestClock};
use roost_tests::code_host::{CodeHost, Reply, entry};
use roost_tests::{ScratchPostgres, Store, eventually};
use serde_json::json;
use tokio::sync::watch;

use super::{Place, beside, connected, names, new, settled};

/// A host that answers a list when the gate is opened.
fn behind(host: &CodeHost, gate: &watch::Receiver<bool>) {
    let gate = gate.clone();
    host.answers_later(move |_| {
        let mut gate = gate.clone();
        async move {
            // The sender lives as long as the test.
            let _ = gate.wait_for(|open| *open).await;
            Reply::json(&json!([entry(1, 1), entry(2, 2)]))
        }
        .boxed()
    });
}

#[tokio::test]
async fn two_gateways_asked_again_and_again_sync_one_at_a_time() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let store = Store::Postgres(scratch.url().to_owned());
    let place = Place::on(store.clone(), Some(scratch)).await;
    let other = beside(&place.broker, &store, Surroundings::default()).await;
    let owner = place.gateway.owner().await;
    let there = other.anonymous().with_token(&owner.token);
    let host = CodeHost::start(|_| Reply::json(&json!([entry(1, 1)]))).await;
    let connection = connected(owner, &new("forgejo", &host, None)).await;
    let id = connection["id"].as_str().expect("an id").to_owned();
    host.asked();
    let (open, gate) = watch::channel(false);
    behind(&host, &gate);
    let again = format!("/api/repos/connections/{id}/sync");
    let asking = (0..20).flat_map(|_| {
        [
            owner.post(&again).expect(202),
            there.post(&again).expect(202),
        ]
    });
    futures::future::join_all(asking).await;
    eventually("it is read", || async {
        let listed = there.get("/api/repos/connections").expect(200).await;
        (listed.str("/items/0/sync") == "running").then_some(())
    })
    .await;
    for _ in 0..10 {
        owner.post(&again).expect(202).await;
        there.post(&again).expect(202).await;
    }
    open.send(true).expect("a host waits");
    settled(owner, &id).await;
    assert_eq!((host.asked().len(), host.most_at_once()), (1, 1));
    other.stop().await;
    place.stop().await;
}

#[tokio::test]
async fn a_sync_whose_gateway_died_is_carried_on_by_another_and_what_the_first_still_writes_is_discarded()
 {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let store = Store::Postgres(scratch.url().to_owned());
    let place = Place::on(store.clone(), Some(scratch)).await;
    let owner = place.gateway.owner().await;
    let host = CodeHost::start(|_| Reply::json(&json!([entry(1, 1)]))).await;
    let connection = connected(owner, &new("forgejo", &host, None)).await;
    let id = connection["id"].as_str().expect("an id").to_owned();
    let (open, gate) = watch::channel(false);
    behind(&host, &gate);
    host.asked();
    let again = format!("/api/repos/connections/{id}/sync");
    owner.post(&again).expect(202).await;
    eventually("the first reads", || async {
        (!host.asked().is_empty()).then_some(())
    })
    .await;
    // Two minutes later by the other's clock the first has been silent for too long.
    host.answers(|_| Reply::json(&json!([entry(7, 7)])));
    let later = TestClock::at(SystemClock::shared().now() + Duration::from_secs(120));
    let around = Surroundings {
        clock: std::sync::Arc::new(later),
        ..Surroundings::default()
    };
    let other = beside(&place.broker, &store, around).await;
    let there = other.anonymous().with_token(&owner.token);
    eventually("the other has read it", || async {
        let list = there.get("/api/repos").expect(200).await;
        (names(&list) == ["r7"]).then_some(())
    })
    .await;
    let version = settled(owner, &id).await["version"].clone();
    open.send(true).expect("the first waits");
    // The first has been answered when its job is gone.
    eventually("the first has given up", || async {
        let tree = serde_json::to_string(&place.gateway.app().tree().view().snapshot());
        (!tree.expect("a tree").contains(&format!("sync-{id}"))).then_some(())
    })
    .await;
    assert_eq!(names(&there.get("/api/repos").expect(200).await), ["r7"]);
    assert_eq!(settled(owner, &id).await["version"], version);
    other.stop().await;
    place.stop().await;
}

#[tokio::test]
async fn a_connection_that_is_removed_while_it_is_read_leaves_nothing() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let host = CodeHost::start(|_| Reply::json(&json!([]))).await;
        let (open, gate) = watch::channel(false);
        behind(&host, &gate);
        let made = owner
            .post("/api/repos/connections")
            .json(&new("forgejo", &host, None));
        let made = made.expect(201).await;
        let id = made.str("/id");
        eventually("it is read", || async {
            (!host.asked().is_empty()).then_some(())
        })
        .await;
        let path = format!("/api/repos/connections/{id}");
        owner.delete(&path).expect(204).await;
        open.send(true).expect("a host waits");
        eventually("the job is over", || async {
            let tree = serde_json::to_string(&place.gateway.app().tree().view().snapshot());
            (!tree.expect("a tree").contains(&format!("sync-{id}"))).then_some(())
        })
        .await;
        assert!(names(&owner.get("/api/repos").expect(200).await).is_empty());
        place.stop().await;
    }
}
