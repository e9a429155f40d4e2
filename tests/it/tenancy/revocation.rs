//! A revocation holds for the next request on the gateway that made it, and within half a second on another gateway,
//! although each gateway keeps the identity of recent callers.

use std::time::{Duration, Instant};

use roost_tenancy::auth::AUTHORITY_KEPT;
use roost_tests::{Answer, Client, Gateway, Person, ScratchPostgres};
use serde_json::json;

const ANY: &str = "/api/claws";

/// Requests until the gateway knows the caller without a look-up.
async fn known(client: &Client) {
    for _ in 0..3 {
        client.get(ANY).expect(200).await;
    }
}

fn member(owner: &Person, person: &Person) -> String {
    format!("/api/workspaces/{}/members/{}", owner.workspace, person.id)
}

#[tokio::test]
async fn each_revocation_holds_for_the_next_request_on_its_own_gateway() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;

        let removed = gateway.person("member").await;
        known(&removed).await;
        owner.delete(&member(owner, &removed)).expect(204).await;
        removed.get(ANY).refused(401, "unauthenticated").await;

        let weaker = gateway.person("member").await;
        known(&weaker).await;
        let viewer = json!({ "role": "viewer" });
        let change = owner.patch(&member(owner, &weaker)).json(&viewer);
        change.expect(200).await;
        let refused = weaker.post(ANY).json(&json!({ "name": "x" }));
        refused.refused(403, "forbidden").await;

        let left = gateway.person("member").await;
        known(&left).await;
        left.post("/api/auth/logout").expect(204).await;
        left.get(ANY).refused(401, "unauthenticated").await;

        // A new password ends the other sign-ins of the person.
        let person = gateway.stranger().await;
        let password = json!({ "new": "a long enough one" });
        let set = person.post("/api/auth/password").json(&password);
        set.expect(204).await;
        let login = json!({ "email": person.email, "password": "a long enough one" });
        let login = gateway.anonymous().post("/api/auth/login").json(&login);
        let elsewhere = gateway
            .anonymous()
            .with_token(login.expect(200).await.str("/token"));
        known(&elsewhere).await;
        let password = json!({ "current": "a long enough one", "new": "another long one" });
        let set = person.post("/api/auth/password").json(&password);
        set.expect(204).await;
        elsewhere.get(ANY).refused(401, "unauthenticated").await;

        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn name_of_a_workspace_and_a_new_role_are_seen_by_the_next_request() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let person = gateway.person("viewer").await;
    known(&person).await;
    let change = owner.patch(&member(owner, &person));
    change.json(&json!({ "role": "member" })).expect(200).await;
    let name = json!({ "name": "Renamed" });
    let path = format!("/api/workspaces/{}", owner.workspace);
    owner.patch(&path).json(&name).expect(200).await;
    let me = person.get("/api/auth/me").expect(200).await;
    assert_eq!(
        (me.str("/role"), me.str("/workspace/name")),
        ("member", "Renamed")
    );
    gateway.stop().await;
}

/// Requests without a pause until one has this status; returns how long after `since` the last other answer was requested.
async fn until(client: &Client, status: u16, since: Instant) -> Duration {
    let mut last = Duration::ZERO;
    loop {
        let begun = since.elapsed();
        let Answer { status: got, .. } = client.get(ANY).send().await;
        if got == status {
            return last;
        }
        assert!(begun < Duration::from_secs(10), "still {got}");
        last = begun;
    }
}

#[tokio::test]
async fn revocation_by_another_gateway_holds_within_half_a_second() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let (one, two) = (
        Gateway::start_on(&scratch).await,
        Gateway::start_on(&scratch).await,
    );
    let owner = one.owner().await;
    let removed = one.person("member").await;
    let left = one.person("member").await;
    let there = |person: &Person| two.anonymous().with_token(&person.token);

    known(&there(&removed)).await;
    owner.delete(&member(owner, &removed)).expect(204).await;
    let late = until(&there(&removed), 401, Instant::now()).await;
    assert!(late < AUTHORITY_KEPT, "still served after {late:?}");

    known(&there(&left)).await;
    left.post("/api/auth/logout").expect(204).await;
    let late = until(&there(&left), 401, Instant::now()).await;
    assert!(late < AUTHORITY_KEPT, "still served after {late:?}");

    one.stop().await;
    two.stop().await;
    scratch.remove().await;
}
