//! Mirrors: requested on the page, fetched by a real broker from a real git host, and deleted when no longer wanted.

use std::path::PathBuf;
use std::time::Duration;

use roost_gateway::app::Surroundings;
use roost_platform::clock::{SystemClock, TestClock};
use roost_tests::git_host::{GitHost, text_answer};
use roost_tests::{Client, ScratchPostgres, Store, eventually};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{Place, TOKEN, beside, connected};

/// A host with one repository, and its connection.
async fn hosted(owner: &Client) -> (GitHost, Value) {
    let host = GitHost::start(TOKEN).await;
    host.create("acme/tools").await;
    let body = json!({ "provider": "forgejo", "base_url": host.url(), "token": TOKEN });
    let connection = connected(owner, &body).await;
    (host, connection)
}

/// The path of the one repository.
async fn repository(client: &Client) -> String {
    let list = client.get("/api/repos").expect(200).await;
    format!("/api/repos/{}", list.str("/0/id"))
}

/// The repository when its mirror is in this state.
async fn mirrored(client: &Client, path: &str, state: &str) -> Value {
    let what = format!("the mirror is {state}");
    eventually(&what, || async {
        let repo = client.get(path).expect(200).await.body;
        (repo["mirror"]["state"] == state).then_some(repo)
    })
    .await
}

/// All mirrors on the broker's disk.
fn on_disk(place: &Place) -> Vec<PathBuf> {
    let shelves = std::fs::read_dir(place.folder().join("data/mirrors"));
    let shelves = shelves.into_iter().flatten().flatten();
    let mirrors = shelves.flat_map(|shelf| std::fs::read_dir(shelf.path()).into_iter().flatten());
    mirrors.flatten().map(|entry| entry.path()).collect()
}

/// The host answers packs when the gate is opened.
fn behind(host: &GitHost, gate: &watch::Receiver<bool>) {
    let gate = gate.clone();
    host.instead(move |visit| {
        let (mut gate, pack) = (gate.clone(), visit.method == "POST");
        Box::pin(async move {
            if pack {
                // The sender lives as long as the test.
                let _ = gate.wait_for(|open| *open).await;
            }
            None
        })
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mirror_is_made_renewed_and_removed() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let (host, connection) = hosted(owner).await;
        let path = repository(owner).await;
        let mirror = format!("{path}/mirror");
        owner.delete(&mirror).expect(404).await;
        assert_eq!(
            owner.get(&path).expect(200).await.body["mirror"],
            Value::Null
        );
        let first = host.commit("acme/tools", "main", "a.txt", b"one").await;
        let wanted = owner.put(&mirror).expect(202).await;
        assert!(["waiting", "fetching"].contains(&wanted.str("/mirror/state")));
        let repo = mirrored(owner, &path, "ready").await;
        assert_eq!(repo["mirror"]["head_commit"], first.as_str());
        assert_eq!(repo["mirror"]["head_branch"], "main");
        assert_eq!(
            (&repo["mirror"]["branches"], &repo["mirror"]["error"]),
            (&json!(1), &Value::Null)
        );
        assert!(
            repo["mirror"]["bytes"]
                .as_u64()
                .is_some_and(|bytes| bytes > 0)
        );
        let second = host.commit("acme/tools", "main", "a.txt", b"two").await;
        owner.put(&mirror).expect(202).await;
        let renewed = || async {
            let repo = owner.get(&path).expect(200).await.body;
            (repo["mirror"]["head_commit"] == second.as_str()).then_some(())
        };
        eventually("it is renewed", renewed).await;
        // A host that fails changes nothing of what there is, and the list shows why.
        host.instead(|visit| {
            let asked = visit.address.contains(".git/");
            Box::pin(async move { asked.then(|| text_answer(404, "nothing here")) })
        });
        owner.put(&mirror).expect(202).await;
        let failed = mirrored(owner, &path, "failed").await;
        assert_eq!(failed["mirror"]["head_commit"], second.as_str());
        let error = failed["mirror"]["error"].as_str().expect("an error");
        assert!(
            error.starts_with("Forgejo or Gitea: the host has no such repository"),
            "{error}"
        );
        let list = owner.get("/api/repos").expect(200).await;
        assert_eq!(list.str("/0/mirror/state"), "failed");
        assert_eq!(on_disk(&place).len(), 1);
        owner.delete(&mirror).expect(202).await;
        let gone = || async {
            let repo = owner.get(&path).expect(200).await.body;
            repo["mirror"].is_null().then_some(())
        };
        eventually("it is removed", gone).await;
        assert!(on_disk(&place).is_empty());
        let audit = owner
            .get("/api/audit?limit=100")
            .expect(200)
            .await
            .body
            .to_string();
        assert!(audit.contains("repos.mirror_requested") && audit.contains("repos.mirror_dropped"));
        // With its connection everything goes by itself.
        host.as_before();
        owner.put(&mirror).expect(202).await;
        mirrored(owner, &path, "ready").await;
        let id = connection["id"].as_str().expect("an id");
        owner
            .delete(&format!("/api/repos/connections/{id}"))
            .expect(204)
            .await;
        owner.get(&path).expect(404).await;
        eventually("the broker has forgotten it", || async {
            on_disk(&place).is_empty().then_some(())
        })
        .await;
        let log = place.broker.log();
        assert!(!log.contains(TOKEN));
        place.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn branches_are_read_from_the_host_for_those_who_may_ask_it() {
    let place = Place::start().await;
    let owner = place.gateway.owner().await;
    let (host, _) = hosted(owner).await;
    let path = format!("{}/branches", repository(owner).await);
    for branch in ["main", "fix/login"] {
        host.commit("acme/tools", branch, "a.txt", b"a").await;
    }
    let all = owner.get(&path).expect(200).await.body;
    assert_eq!(
        all,
        json!({ "names": ["fix/login", "main"], "more": false })
    );
    let some = owner
        .get(&format!("{path}?q=%20LOGIN%20"))
        .expect(200)
        .await;
    assert_eq!(some.body["names"], json!(["fix/login"]));
    let long = format!("{path}?q={}", "x".repeat(201));
    owner.get(&long).refused(400, "validation").await;
    let viewer = place.gateway.person("viewer").await;
    viewer.get(&path).refused(403, "forbidden").await;
    let stranger = place.gateway.stranger().await;
    stranger.get(&path).refused(404, "not-found").await;
    host.instead(|_| Box::pin(async { Some(text_answer(404, "nothing here")) }));
    let refused = owner.get(&path).refused(503, "remote-unavailable").await;
    let detail = refused.str("/detail").to_owned();
    assert!(
        detail.starts_with("Forgejo or Gitea: the host has no such repository"),
        "{detail}"
    );
    assert!(on_disk(&place).is_empty(), "no mirror was made");
    place.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mirror_that_is_removed_while_it_is_fetched_leaves_nothing_and_others_have_none_of_it() {
    for place in Place::start_on_each().await {
        let owner = place.gateway.owner().await;
        let (host, _) = hosted(owner).await;
        host.commit("acme/tools", "main", "a.txt", b"one").await;
        let path = repository(owner).await;
        let mirror = format!("{path}/mirror");
        let stranger = place.gateway.stranger().await;
        stranger.put(&mirror).expect(404).await;
        stranger.delete(&mirror).expect(404).await;
        let (_open, gate) = watch::channel(false);
        behind(&host, &gate);
        host.visits();
        owner.put(&mirror).expect(202).await;
        eventually("it is fetched", || async {
            host.visits()
                .iter()
                .any(|visit| visit.method == "POST")
                .then_some(())
        })
        .await;
        assert_eq!(
            mirrored(owner, &path, "fetching").await["mirror"]["head_commit"],
            Value::Null
        );
        owner.delete(&mirror).expect(202).await;
        eventually("it is gone", || async {
            let repo = owner.get(&path).expect(200).await.body;
            (repo["mirror"].is_null() && on_disk(&place).is_empty()).then_some(())
        })
        .await;
        place.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fetch_whose_gateway_died_is_carried_on_by_another() {
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let store = Store::Postgres(scratch.url().to_owned());
    let place = Place::on(store.clone(), Some(scratch)).await;
    let owner = place.gateway.owner().await;
    let (host, _) = hosted(owner).await;
    let commit = host.commit("acme/tools", "main", "a.txt", b"one").await;
    let path = repository(owner).await;
    let (_open, gate) = watch::channel(false);
    behind(&host, &gate);
    owner.put(&format!("{path}/mirror")).expect(202).await;
    mirrored(owner, &path, "fetching").await;
    // Two minutes later by the other's clock the first has been silent for too long.
    let later = TestClock::at(SystemClock::shared().now() + Duration::from_secs(120));
    let around = Surroundings {
        clock: std::sync::Arc::new(later),
        ..Surroundings::default()
    };
    host.as_before();
    let other = beside(&place.broker, &store, around).await;
    let there = other.anonymous().with_token(&owner.token);
    let repo = mirrored(&there, &path, "ready").await;
    assert_eq!(repo["mirror"]["head_commit"], commit.as_str());
    other.stop().await;
    place.stop().await;
}
