//! Rules of all live streams: limits, lag, ends, slow readers, and forged or stale cursors.

use std::time::{Duration, Instant};

use roost_platform::clock::{Clock, SystemClock};
use roost_platform::events::{self, Event, Formation, NodeActivity, ResourceKind, TopologyUpdate};
use roost_tenancy::auth::{self, WorkspaceScope};
use roost_tests::raw_socket::RawSocket;
use roost_tests::{DbInspector, Gateway, Person, Stream, eventually};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};

const STREAMS: [&str; 3] = ["/api/events", "/api/nodes/live", "/api/ops/tree/stream"];

fn scope(person: &Person) -> WorkspaceScope {
    WorkspaceScope::of_row(person.workspace.parse().expect("an id"))
}

/// The actors of open streams that this person sees.
async fn subscribers(person: &Person) -> Vec<Value> {
    let tree = person.get("/api/ops/tree").expect(200).await.body;
    let branches = tree["root"]["children"]
        .as_array()
        .expect("branches")
        .clone();
    let live = branches.into_iter().find(|one| one["name"] == "live");
    live.map_or_else(Vec::new, |live| {
        live["children"].as_array().expect("actors").clone()
    })
}

async fn make(person: &Person) {
    let body = json!({ "name": roost_tests::unique("x") });
    person.post("/api/claws").json(&body).expect(201).await;
}

#[tokio::test]
async fn each_stream_is_an_actor_that_shows_its_lag_and_leaves_with_its_connection() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let mut open = Vec::new();
    for path in STREAMS {
        open.push(Stream::open(owner.get(path)).await);
    }
    let actors = subscribers(owner).await;
    let mut names: Vec<&str> = actors
        .iter()
        .map(|actor| actor["name"].as_str().unwrap().split(':').next().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["nodes", "subscriber", "tree"]);
    for actor in &actors {
        assert_eq!(actor["kind"], "subscriber");
        assert!(actor["lag"]["bytes"].is_u64(), "{actor}");
    }
    drop(open);
    eventually("all are gone", || async {
        subscribers(owner).await.is_empty().then_some(())
    })
    .await;
    gateway.stop().await;
}

#[tokio::test]
async fn streams_of_all_kinds_are_counted_together_for_a_user_and_for_a_workspace() {
    let gateway = Gateway::start_with(&[
        ("limits.streams_per_user", "3"),
        ("limits.streams_per_workspace", "4"),
    ])
    .await;
    let owner = gateway.owner().await;
    let mut open = Vec::new();
    for path in STREAMS {
        open.push(Stream::open(owner.get(path)).await);
    }
    for path in STREAMS {
        let refused = owner.get(path).refused(429, "too-many-streams").await;
        assert!(refused.str("/detail").contains("limits.streams_per_user"));
        assert_eq!(refused.body["limit"], 3);
        assert!(!refused.header("retry-after").is_empty());
    }
    let viewer = gateway.person("viewer").await;
    open.push(Stream::open(viewer.get("/api/events")).await);
    let refused = viewer
        .get("/api/events")
        .refused(429, "too-many-streams")
        .await;
    assert!(
        refused
            .str("/detail")
            .contains("limits.streams_per_workspace")
    );
    // Another workspace has its own.
    let stranger = gateway.stranger().await;
    open.push(Stream::open(stranger.get("/api/events")).await);
    drop(open);
    gateway.stop().await;
}

#[tokio::test]
async fn every_stream_ends_within_a_second_when_its_session_ends_or_its_role_changes() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let second = gateway.person("owner").await;
    let third = gateway.person("owner").await;
    let (mut ended, mut weaker) = (Vec::new(), Vec::new());
    for path in STREAMS {
        ended.push(Stream::open(second.get(path)).await);
        weaker.push(Stream::open(third.get(path)).await);
    }
    second.post("/api/auth/logout").expect(204).await;
    let since = Instant::now();
    for stream in &mut ended {
        while stream.next().await.is_some() {}
    }
    assert!(since.elapsed() < Duration::from_secs(1), "{since:?}");

    let path = format!("/api/workspaces/{}/members/{}", owner.workspace, third.id);
    let body = json!({ "role": "viewer" });
    owner.patch(&path).json(&body).expect(200).await;
    let since = Instant::now();
    for stream in &mut weaker {
        while stream.next().await.is_some() {}
    }
    assert!(since.elapsed() < Duration::from_secs(1), "{since:?}");
    // A reconnect is checked against the new role.
    drop(Stream::open(third.get("/api/events")).await);
    third.get("/api/ops/tree/stream").expect(403).await;
    gateway.stop().await;
}

#[tokio::test]
async fn an_operators_stream_ends_when_the_grant_is_taken_back() {
    let gateway = Gateway::start().await;
    let viewer = gateway.person("viewer").await;
    let db = gateway.app().db();
    let tx = db.write().await.unwrap();
    let now = SystemClock.now();
    auth::store::grant_operator(&tx, &viewer.email, now)
        .await
        .unwrap();
    let id = viewer.id.parse().unwrap();
    auth::store::vouch_by_deployment(&tx, id).await.unwrap();
    tx.commit().await.unwrap();
    let mut tree = Stream::open(viewer.get("/api/ops/tree/stream")).await;
    let mut events = Stream::open(viewer.get("/api/events")).await;
    assert_eq!(tree.next().await.unwrap().kind, "tree");
    let tx = db.write().await.unwrap();
    tx.execute_unprepared("DELETE FROM operator_grants")
        .await
        .unwrap();
    // As each of the product's own statements that change authority does.
    tx.changes_authority();
    tx.commit().await.unwrap();
    while tree.next().await.is_some() {}
    while events.next().await.is_some() {}
    // As a viewer this person still follows events, and the tree no more.
    drop(Stream::open(viewer.get("/api/events")).await);
    viewer.get("/api/ops/tree/stream").expect(403).await;
    gateway.stop().await;
}

#[tokio::test]
async fn a_forged_cursor_is_refused_or_reset_and_shows_nothing_of_others() {
    let gateway = Gateway::start().await;
    let (owner, stranger) = (gateway.owner().await, gateway.stranger().await);
    for _ in 0..5 {
        make(&stranger).await;
    }
    make(owner).await;
    for garbage in [
        "x",
        "1",
        "1.",
        ".1",
        "1.-5",
        "-1.5",
        "1.2.3",
        "1.9223372036854775808",
        "1. 2",
        "0x1.2",
        "1.2;drop",
    ] {
        let request = owner.get("/api/events").header("last-event-id", garbage);
        let refused = request.refused(400, "validation").await;
        assert_eq!(refused.str("/pointer"), "last_event_id", "{garbage}");
    }
    // Bytes that are no text must not be taken for "no cursor": that would be a gap without a word.
    let mut raw = RawSocket::connect(&gateway).await;
    let head = format!(
        "GET /api/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nlast-event-id: ",
        owner.token
    );
    raw.send([head.as_bytes(), b"\xff\xfe\r\n\r\n"].concat())
        .await;
    assert!(raw.read_until(|text| text.contains("last_event_id")).await);
    assert!(raw.text().starts_with("HTTP/1.1 400 "), "{}", raw.text());

    // Well formed, but not of this workspace's log: one reset, and then its own events.
    let theirs = "1.10";
    for cursor in [
        theirs,
        "1.9223372036854775807",
        "9223372036854775807.1",
        "0.0",
    ] {
        let request = owner.get("/api/events").header("last-event-id", cursor);
        let mut stream = Stream::open(request).await;
        let first = stream.next().await.unwrap();
        assert_eq!(first.kind, "reset", "{cursor}: {first:?}");
        make(owner).await;
        let next = stream.next().await.unwrap();
        assert_ne!(next.kind, "reset", "{cursor}");
        let seq = |id: &Option<String>| -> i64 {
            let id = id.as_deref().unwrap().strip_prefix("1.");
            id.unwrap().parse().unwrap()
        };
        assert_eq!(seq(&next.id), seq(&first.id) + 1, "{cursor}");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn stream_from_the_oldest_gets_every_kept_event() {
    let gateway = Gateway::start().await;
    let (owner, stranger) = (gateway.owner().await, gateway.stranger().await);
    make(&stranger).await;
    for _ in 0..3 {
        make(owner).await;
    }
    let mut all = Stream::open(owner.get("/api/events?last_event_id=1.0")).await;
    let mut oldest = Stream::open(owner.get("/api/events?from=oldest")).await;
    for place in 0..3 {
        let (one, other) = (all.next().await.unwrap(), oldest.next().await.unwrap());
        assert_eq!((&one.id, &one.data), (&other.id, &other.data), "{place}");
    }
    // A cursor in the request decides where the stream continues.
    let both = "/api/events?from=oldest&last_event_id=1.2";
    let mut later = Stream::open(owner.get(both)).await;
    assert_eq!(later.next().await.unwrap().id.as_deref(), Some("1.3"));
    let wrong = owner.get("/api/events?from=yesterday");
    wrong.refused(400, "validation").await;
    gateway.stop().await;
}

/// A gateway that keeps a thousand facts, and its database.
async fn forgetful() -> (Gateway, DbInspector) {
    let gateway = Gateway::start_with(&[
        ("operators", r#"["owner@roost.localhost"]"#),
        ("events.retention_count", "1000"),
    ])
    .await;
    let file = gateway.data_dir().join("roost.db");
    let inspector = DbInspector::open(&format!("sqlite:{}", file.display())).await;
    (gateway, inspector)
}

/// Appends facts as a command does.
async fn change(gateway: &Gateway, owner: &Person, count: usize) {
    let scope = scope(owner);
    let facts = (0..count).map(|_| Event::changed(ResourceKind::Workspace, scope.workspace(), 1));
    let mut tx = gateway.app().db().write().await.expect("a transaction");
    events::append(&mut tx, scope.workspace(), SystemClock.now(), facts)
        .await
        .expect("appended");
    tx.commit().await.expect("committed");
}

async fn show(gateway: &Gateway, owner: &Person, count: usize) {
    for n in 0..count {
        let event = NodeActivity::on_machine(None, format!("{n}"), 0.5);
        gateway.app().events().emit(scope(owner), event).await;
    }
}

async fn sweep_events(owner: &Person) {
    let worker = "/api/ops/actors/roost%2Ffoundation%2Fevent-retention/restart";
    owner.post(worker).expect(202).await;
}

#[tokio::test]
async fn a_cursor_older_than_the_retention_gets_exactly_one_reset() {
    let (gateway, inspector) = forgetful().await;
    let owner = gateway.owner().await;
    change(&gateway, owner, 1_100).await;
    sweep_events(owner).await;
    let reset = eventually("the sweeper has taken the oldest", || async {
        let mut stream = Stream::open(owner.get("/api/events?last_event_id=1.0")).await;
        let first = stream.next().await.unwrap();
        (first.kind == "reset").then_some((first, stream))
    })
    .await;
    let (first, mut stream) = reset;
    assert_eq!(first.id.as_deref(), Some("1.1100"));
    make(owner).await;
    let next = stream.take(2).await;
    let ids: Vec<_> = next
        .iter()
        .filter_map(|event| event.id.as_deref())
        .collect();
    assert_eq!(ids, ["1.1101", "1.1102"], "no second reset");
    // What is still there is replayed without one.
    let mut stream = Stream::open(owner.get("/api/events?last_event_id=1.100")).await;
    assert_eq!(stream.next().await.unwrap().id.as_deref(), Some("1.101"));
    inspector.close().await;
    gateway.stop().await;
}

#[tokio::test]
async fn facts_outlive_ephemeral_events_and_a_cursor_among_them_is_told_once_what_is_gone() {
    let (gateway, inspector) = forgetful().await;
    let owner = gateway.owner().await;
    let mut live = Stream::open(owner.get("/api/events?last_event_id=1.0")).await;
    change(&gateway, owner, 2).await;
    live.take(2).await;
    show(&gateway, owner, 5).await;
    live.take(5).await;
    change(&gateway, owner, 1).await;
    live.take(1).await;
    let old = "UPDATE events SET at = strftime('%Y-%m-%d %H:%M:%S+00:00', at, '-2 days')";
    assert_eq!(inspector.change(old).await, 8);
    show(&gateway, owner, 1).await;
    live.take(1).await;
    sweep_events(owner).await;
    let first = eventually("the sweeper has taken yesterday's activity", || async {
        let mut stream = Stream::open(owner.get("/api/events?last_event_id=1.1")).await;
        let first = stream.next().await.unwrap();
        (first.kind == "trimmed").then_some((first, stream))
    })
    .await;
    let (trimmed, mut stream) = first;
    assert_eq!(trimmed.id, None, "the client's cursor stays where it is");
    assert_eq!(trimmed.data["from"], "1.2");
    assert_eq!(trimmed.data["to"], "1.7");
    let types = trimmed.data["types"].as_array().unwrap();
    assert!(types.contains(&json!("node.activity")), "{types:?}");
    assert!(!types.contains(&json!("agent.status")), "{types:?}");
    let rest: Vec<_> = stream.take(3).await;
    let ids: Vec<_> = rest
        .iter()
        .map(|event| event.id.as_deref().unwrap())
        .collect();
    assert_eq!(
        ids,
        ["1.2", "1.8", "1.9"],
        "facts, and what is young enough"
    );
    make(owner).await;
    assert_eq!(stream.next().await.unwrap().id.as_deref(), Some("1.10"));
    // A client that wants only facts has lost nothing.
    let layout = Event::TopologyUpdate(TopologyUpdate {
        formation: Formation::Flat,
        nodes: Vec::new(),
        edges: Vec::new(),
    });
    gateway.app().events().emit(scope(owner), layout).await;
    let facts = "/api/events?last_event_id=1.1&types=topology.update";
    let mut stream = Stream::open(owner.get(facts)).await;
    assert_eq!(stream.next().await.unwrap().kind, "topology.update");
    gateway.stop().await;
    inspector.close().await;
}

/// Some megabytes in events of a kilobyte: more than sockets keep for a reader that does not read.
const MANY: usize = 10_000;

async fn emit_many(gateway: &Gateway, owner: &Person, fast: &mut Stream) {
    let label = "x".repeat(1_000);
    for group in 0..MANY / 100 {
        for _ in 0..100 {
            let event = NodeActivity::on_machine(None, label.clone(), 0.5);
            gateway.app().events().emit(scope(owner), event).await;
        }
        let seen = fast.take(100).await;
        let last = seen.last().and_then(|event| event.id.clone());
        assert_eq!(last, Some(format!("1.{}", (group + 1) * 100)));
    }
}

#[tokio::test]
async fn stalled_reader_shows_its_lag_delays_no_other_and_catches_up_without_a_gap() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let mut slow = RawSocket::connect(&gateway).await;
    slow.get("/api/events?last_event_id=1.0", &owner.token)
        .await;
    assert!(slow.read_until(|text| text.contains("retry:")).await);
    let mut fast = Stream::open(owner.get("/api/events?last_event_id=1.0")).await;
    emit_many(&gateway, owner, &mut fast).await;

    let actors = subscribers(owner).await;
    let lags: Vec<(u64, u64)> = actors
        .iter()
        .map(|actor| {
            let number = |name: &str| actor["lag"][name].as_u64().unwrap();
            (number("events"), number("bytes"))
        })
        .collect();
    let behind = lags.iter().find(|(events, _)| *events > 100);
    let (_, bytes) = behind.unwrap_or_else(|| panic!("one is behind: {lags:?}"));
    assert!(*bytes <= 256 << 10, "{lags:?}");
    assert!(lags.iter().any(|(events, _)| *events == 0), "{lags:?}");

    let last = format!("id: 1.{MANY}\n");
    assert!(slow.read_until(|text| text.contains(&last)).await);
    let expected: Vec<i64> = (1..=MANY as i64).collect();
    assert_eq!(slow.sequences(), expected);
    // Level again, it is told at once what happens.
    make(owner).await;
    assert!(
        slow.read_until(|text| text.contains("resource.changed"))
            .await
    );
    drop(slow);
    gateway.stop().await;
}

#[tokio::test]
async fn a_reader_that_never_reads_is_cut_off_and_its_slot_is_free_again() {
    let gateway = Gateway::start_with(&[
        ("limits.stalled_seconds", "1"),
        ("limits.streams_per_user", "2"),
    ])
    .await;
    let owner = gateway.owner().await;
    let mut never = RawSocket::connect(&gateway).await;
    never
        .get("/api/events?last_event_id=1.0", &owner.token)
        .await;
    let mut fast = Stream::open(owner.get("/api/events?last_event_id=1.0")).await;
    emit_many(&gateway, owner, &mut fast).await;
    eventually("the one that reads is alone", || async {
        (subscribers(owner).await.len() == 1).then_some(())
    })
    .await;
    let again = Stream::open(owner.get("/api/events")).await;
    drop(again);
    drop(never);
    gateway.stop().await;
}
