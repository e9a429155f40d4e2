//! Live events: replay, splice, filters, reset, revocation.

use std::collections::BTreeSet;

use roost_gateway::app::Surroundings;
use roost_platform::events::NodeActivity;
use roost_platform::supervision::KillPoints;
use roost_platform::supervision::killpoints::find;
use roost_tenancy::auth::WorkspaceScope;
use roost_tests::{Gateway, Store, Stream};
use serde_json::json;

fn seq(id: &str) -> i64 {
    id.strip_prefix("1.")
        .expect("epoch 1")
        .parse()
        .expect("a number")
}

#[tokio::test]
async fn events_that_are_made_while_subscribers_come_and_go_are_seen_once_and_in_order() {
    for (gateway, scratch) in Gateway::start_on_each().await {
        let owner = gateway.owner().await;
        let scope = WorkspaceScope::of_row(owner.workspace.parse().unwrap());
        let log = gateway.app().events().clone();
        let facts = async {
            for n in 0..40 {
                let body = json!({ "name": format!("agent {n}") });
                owner.post("/api/claws").json(&body).expect(201).await;
            }
        };
        let ephemeral = async {
            for n in 0..200 {
                log.emit(
                    scope,
                    NodeActivity::on_machine(None, format!("beat {n}"), 0.5),
                )
                .await;
                tokio::task::yield_now().await;
            }
        };
        let reader = async {
            let mut seen: Vec<i64> = Vec::new();
            // 40 agents make two events each; with the ephemeral ones that is 280.
            while seen.len() < 280 {
                let cursor = format!("1.{}", seen.last().copied().unwrap_or(0));
                let request = owner.get("/api/events").header("last-event-id", &cursor);
                let mut stream = Stream::open(request).await;
                let some = stream.take(10.min(280 - seen.len())).await;
                seen.extend(some.iter().map(|event| seq(event.id.as_deref().unwrap())));
            }
            seen
        };
        let (seen, (), ()) = tokio::join!(reader, facts, ephemeral);
        assert_eq!(
            seen,
            (1..=280).collect::<Vec<i64>>(),
            "no gap, no duplicate"
        );
        gateway.stop().await;
        if let Some(scratch) = scratch {
            scratch.remove().await;
        }
    }
}

#[tokio::test]
async fn a_writer_that_dies_around_its_commit_loses_at_most_its_group_and_tells_nothing_twice() {
    for point in ["events.writer.before_commit", "events.writer.after_commit"] {
        let kill_points = KillPoints::allowed();
        let around = Surroundings {
            kill_points: Some(kill_points.clone()),
            ..Surroundings::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let started = Gateway::start_in(folder, &Store::Sqlite, &[], around).await;
        let gateway = started.unwrap();
        let owner = gateway.owner().await;
        let scope = WorkspaceScope::of_row(owner.workspace.parse().unwrap());
        kill_points
            .arm(format!("{point}=panic").parse().unwrap())
            .unwrap();
        let mut stream = Stream::open(owner.get("/api/events?last_event_id=1.0")).await;
        let beats = async {
            // Ephemeral ones may be lost with their writer, but only those: it comes back and goes on.
            for n in 0.. {
                let event = NodeActivity::on_machine(None, format!("beat {n}"), 0.5);
                gateway.app().events().emit(scope, event).await;
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
        };
        let events = tokio::select! {
            () = beats => unreachable!("it beats on"),
            events = stream.take(40) => events,
        };
        let ids: Vec<i64> = events
            .iter()
            .map(|e| seq(e.id.as_deref().unwrap()))
            .collect();
        assert_eq!(ids, (1..=40).collect::<Vec<_>>(), "{point}");
        let labels: BTreeSet<&str> = events
            .iter()
            .filter_map(|event| event.data["label"].as_str())
            .collect();
        assert_eq!(labels.len(), 40, "{point}: one was told twice");
        let passes = kill_points.passes(find(point).unwrap());
        assert!(passes > 1, "{point}: it did not go on after its death");
        drop(stream);
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_filter_shows_only_what_it_names_and_an_unknown_type_is_refused() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let make = || {
        owner
            .post("/api/claws")
            .json(&json!({ "name": roost_tests::unique("x") }))
            .expect(201)
    };
    make().await;
    let second = make().await;
    let id = second.str("/id").to_owned();
    let path = format!("/api/events?agent_id={id}&types=resource.changed&last_event_id=1.0");
    let mut stream = Stream::open(owner.get(&path)).await;
    let event = stream.next().await.unwrap();
    assert_eq!(
        event.data,
        json!({ "kind": "claw", "id": id, "version": 1 })
    );
    let refused = owner
        .get("/api/events?types=nonsense")
        .refused(400, "validation")
        .await;
    assert_eq!(refused.str("/pointer"), "types");
    owner
        .get("/api/events?last_event_id=x")
        .refused(400, "validation")
        .await;
    drop(stream);
    gateway.stop().await;
}

#[tokio::test]
async fn a_cursor_that_cannot_be_served_gets_one_reset_and_then_live_events() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let make = || {
        owner
            .post("/api/claws")
            .json(&json!({ "name": roost_tests::unique("x") }))
            .expect(201)
    };
    make().await;
    for cursor in ["1.99", "7.1"] {
        let request = owner.get("/api/events").header("last-event-id", cursor);
        let mut stream = Stream::open(request).await;
        let reset = stream.next().await.unwrap();
        assert_eq!(reset.kind, "reset", "{cursor}");
        let from = seq(reset.id.as_deref().unwrap());
        make().await;
        let next = stream.next().await.unwrap();
        assert_eq!(seq(next.id.as_deref().unwrap()), from + 1);
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_stream_ends_when_its_session_is_ended() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let body = json!({ "label": "page" });
    let session = owner
        .post("/api/auth/sessions")
        .json(&body)
        .expect(201)
        .await;
    let page = gateway.anonymous().with_token(session.str("/token"));
    let mut stream = Stream::open(page.get("/api/events")).await;
    let path = format!("/api/auth/sessions/{}", session.str("/id"));
    owner.delete(&path).expect(204).await;
    assert_eq!(stream.next().await, None);
    gateway.stop().await;
}

#[tokio::test]
async fn a_user_may_hold_so_many_streams_and_no_more() {
    let gateway = Gateway::start_with(&[("limits.streams_per_user", "2")]).await;
    let owner = gateway.owner().await;
    let first = Stream::open(owner.get("/api/events")).await;
    let second = Stream::open(owner.get("/api/events")).await;
    owner
        .get("/api/events")
        .refused(429, "too-many-streams")
        .await;
    drop(first);
    roost_tests::eventually("the slot is free again", || async {
        let response = owner.get("/api/events").open().await;
        (response.status().as_u16() == 200).then_some(())
    })
    .await;
    drop(second);
    gateway.stop().await;
}

#[tokio::test]
async fn events_of_another_workspace_are_not_visible() {
    let gateway = Gateway::start().await;
    let (owner, stranger) = (gateway.owner().await, gateway.stranger().await);
    let mut stream = Stream::open(stranger.get("/api/events")).await;
    owner
        .post("/api/claws")
        .json(&json!({ "name": "secret" }))
        .expect(201)
        .await;
    let own = stranger
        .post("/api/claws")
        .json(&json!({ "name": "own" }))
        .expect(201)
        .await;
    let seen: BTreeSet<String> = stream
        .take(2)
        .await
        .iter()
        .map(|event| event.data["id"].as_str().unwrap().to_owned())
        .collect();
    let expected = [own.str("/id").to_owned(), stranger.workspace.clone()];
    assert_eq!(seen, expected.into());
    drop(stream);
    gateway.stop().await;
}
