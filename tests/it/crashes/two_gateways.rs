//! Two gateways on one PostgreSQL: each leased thing has one owner, no effect happens twice, and events reach the
//! subscribers of both. Runs where `ROOST_TEST_POSTGRES_URL` names a server.

pub mod handover;
mod killed;
mod zombies;

use roost_platform::events::NodeActivity;
use roost_tenancy::auth::WorkspaceScope;
use roost_tests::{Gateway, ScratchPostgres, Stream, eventually};
use serde_json::json;

#[tokio::test]
async fn events_of_one_gateway_reach_the_subscribers_of_the_other_in_one_sequence() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let (one, two) = (
        Gateway::start_on(&scratch).await,
        Gateway::start_on(&scratch).await,
    );
    let owner = one.owner().await;
    let there = two.anonymous().with_token(&owner.token);
    let mut stream = Stream::open(there.get("/api/events?last_event_id=1.0")).await;
    let scope = WorkspaceScope::of_row(owner.workspace.parse().unwrap());
    let writing = async {
        for n in 0..20 {
            let event = |which| NodeActivity::on_machine(None, format!("{which} {n}"), 0.1);
            one.app().events().emit(scope, event("one")).await;
            two.app().events().emit(scope, event("two")).await;
            owner
                .post("/api/claws")
                .json(&json!({ "name": roost_tests::unique("x") }))
                .expect(201)
                .await;
        }
    };
    let ((), events) = tokio::join!(writing, stream.take(80));
    let ids: Vec<String> = events.into_iter().filter_map(|event| event.id).collect();
    let expected: Vec<String> = (1..=80).map(|seq| format!("1.{seq}")).collect();
    assert_eq!(ids, expected);
    drop(stream);
    one.stop().await;
    two.stop().await;
    scratch.remove().await;
}

#[tokio::test]
async fn purge_is_finished_by_the_remaining_gateway() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let (one, two) = (
        Gateway::start_on(&scratch).await,
        Gateway::start_on(&scratch).await,
    );
    let token = one.owner().await.token.clone();
    let owner = two.anonymous().with_token(&token);
    for round in 0..5 {
        let body = json!({ "name": format!("agent {round}") });
        let made = owner.post("/api/claws").json(&body).expect(201).await;
        let path = format!("/api/claws/{}?purge=true", made.str("/id"));
        let client = if round % 2 == 0 { &one } else { &two };
        let client = client.anonymous().with_token(&token);
        client.delete(&path).expect(202).await;
    }
    one.stop().await;
    eventually("all agents are gone", || async {
        let list = owner
            .get("/api/claws?include_deleted=true")
            .expect(200)
            .await;
        list.body["items"]
            .as_array()
            .unwrap()
            .is_empty()
            .then_some(())
    })
    .await;
    two.stop().await;
    scratch.remove().await;
}
