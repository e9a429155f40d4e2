//! Two gateways on one PostgreSQL fire each due time once. Runs where `ROOST_TEST_POSTGRES_URL` names a server.

use roost_tests::{Gateway, ScratchPostgres, eventually};

use super::{at_once, journal, made, of_team};
use crate::missions::template;

#[tokio::test]
async fn two_gateways_fire_each_due_time_once_and_the_one_that_remains_goes_on() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let (one, two) = (
        Gateway::start_on(&scratch).await,
        Gateway::start_on(&scratch).await,
    );
    let owner = one.owner().await;
    let readers = template(owner, "Readers").await;
    let mut ids = Vec::new();
    for n in 0..10 {
        let routine = made(
            owner,
            &format!("routine {n}"),
            at_once(1),
            of_team(&readers),
        )
        .await;
        ids.push(routine.str("/id").to_owned());
    }
    for id in &ids {
        super::line(owner, id, "done").await;
        let lines = journal(owner, id).await;
        assert_eq!(lines.len(), 1, "{lines:?}");
        let shown = owner.get(&format!("/api/routines/{id}")).expect(200).await;
        assert_eq!(shown.str("/state"), "done");
    }
    let runs = owner.get("/api/topology-runs?origin=routine&limit=200");
    let runs = runs.expect(200).await;
    assert_eq!(runs.body["items"].as_array().map(Vec::len), Some(10));
    let token = owner.token.clone();
    one.stop().await;
    // The lease of the gateway that stopped ends by itself.
    let elsewhere = two.anonymous().with_token(&token);
    let last = made(&elsewhere, "last", at_once(1), of_team(&readers)).await;
    eventually("the other gateway fires", async || {
        let lines = journal(&elsewhere, last.str("/id")).await;
        lines.into_iter().find(|line| line["state"] == "done")
    })
    .await;
    two.stop().await;
    scratch.remove().await;
}
