//! Streams whose socket the gateway took from its HTTP server: the answer's head, requests around it, clients that
//! leave, read slowly, send too much or reconnect all the time.

use std::time::{Duration, Instant};

use roost_platform::events::NodeActivity;
use roost_tenancy::auth::WorkspaceScope;
use roost_tests::raw_socket::RawSocket;
use roost_tests::{Gateway, Person, Stream, eventually};
use serde_json::json;
use tokio::sync::Mutex;

/// The number of open streams that this person sees.
async fn streams(person: &Person) -> usize {
    let tree = person.get("/api/ops/tree").expect(200).await.body;
    let branches = tree["root"]["children"].as_array().expect("branches");
    let live = branches.iter().find(|one| one["name"] == "live");
    live.map_or(0, |live| live["children"].as_array().expect("actors").len())
}

async fn none_is_open(person: &Person) {
    eventually("no stream is open", || async {
        (streams(person).await == 0).then_some(())
    })
    .await;
}

fn request(method: &str, version: &str, token: &str) -> String {
    format!(
        "{method} /api/events HTTP/{version}\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n"
    )
}

async fn make(person: &Person) {
    let body = json!({ "name": roost_tests::unique("x") });
    person.post("/api/claws").json(&body).expect(201).await;
}

#[tokio::test]
async fn answer_has_the_head_of_the_http_server_and_whole_chunks() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let mut raw = RawSocket::connect(&gateway).await;
    raw.send(request("GET", "1.1", &owner.token)).await;
    assert!(raw.read_until(|text| text.contains("retry: 2000")).await);
    make(owner).await;
    assert!(
        raw.read_until(|text| text.contains("resource.changed"))
            .await
    );
    let text = raw.text();
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let mut lines = head.lines();
    assert_eq!(lines.next(), Some("HTTP/1.1 200 OK"));
    let names: Vec<&str> = lines
        .clone()
        .filter_map(|line| line.split(':').next())
        .collect();
    for name in [
        "date",
        "x-request-id",
        "roost-build",
        "x-content-type-options",
    ] {
        assert_eq!(
            names.iter().filter(|one| **one == name).count(),
            1,
            "{head}"
        );
    }
    for line in [
        "content-type: text/event-stream",
        "cache-control: no-store",
        "x-accel-buffering: no",
        "transfer-encoding: chunked",
        "connection: close",
    ] {
        assert_eq!(
            lines.clone().filter(|one| *one == line).count(),
            1,
            "{head}"
        );
    }
    // The first chunk: its size in hexadecimal digits, its bytes, the end of its line.
    assert!(body.starts_with("d\r\nretry: 2000\n\n\r\n"), "{body}");
    // The gateway stops: the answer ends as HTTP says.
    gateway.stop().await;
    assert!(raw.read_to_end().await.ends_with("\r\n0\r\n\r\n"));
}

#[tokio::test]
async fn requests_before_a_stream_are_answered_and_requests_behind_it_are_not() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let health = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    // One after the other on the same connection.
    let mut raw = RawSocket::connect(&gateway).await;
    raw.send(health).await;
    assert!(raw.read_until(|text| text.contains("HTTP/1.1 200 ")).await);
    raw.send(request("GET", "1.1", &owner.token)).await;
    assert!(raw.read_until(|text| text.contains("retry: 2000")).await);
    drop(raw);
    none_is_open(owner).await;
    // All at once.
    let mut raw = RawSocket::connect(&gateway).await;
    let stream = request("GET", "1.1", &owner.token);
    raw.send([health, health, stream.as_str(), health].concat())
        .await;
    assert!(raw.read_until(|text| text.contains("retry: 2000")).await);
    raw.send(health).await;
    make(owner).await;
    assert!(
        raw.read_until(|text| text.contains("resource.changed"))
            .await
    );
    assert_eq!(raw.text().matches("HTTP/1.1 ").count(), 3);
    gateway.stop().await;
    let text = raw.read_to_end().await;
    assert_eq!(text.matches("HTTP/1.1 ").count(), 3, "{text}");
}

#[tokio::test]
async fn head_request_opens_nothing_and_leaves_its_connection_usable() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let mut raw = RawSocket::connect(&gateway).await;
    raw.send(request("HEAD", "1.1", &owner.token)).await;
    assert!(raw.read_until(|text| text.contains("\r\n\r\n")).await);
    assert!(raw.text().contains("content-type: text/event-stream\r\n"));
    none_is_open(owner).await;
    raw.send("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await;
    let two = |text: &str| text.matches("HTTP/1.1 200 ").count() == 2;
    assert!(raw.read_until(two).await);
    assert!(!raw.text().contains("retry:"), "no body");
    gateway.stop().await;
}

#[tokio::test]
async fn client_of_http_1_0_gets_the_stream_without_chunks() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let mut raw = RawSocket::connect(&gateway).await;
    raw.send(request("GET", "1.0", &owner.token)).await;
    assert!(raw.read_until(|text| text.contains("retry: 2000")).await);
    make(owner).await;
    assert!(
        raw.read_until(|text| text.contains("resource.changed"))
            .await
    );
    assert!(raw.text().contains("\r\n\r\nretry: 2000\n\n"));
    gateway.stop().await;
}

#[tokio::test]
async fn client_that_leaves_is_noticed_before_the_next_beat() {
    let gateway = Gateway::start_with(&[("limits.streams_per_user", "50")]).await;
    let owner = gateway.owner().await;
    let mut all = Vec::new();
    for _ in 0..50 {
        let mut raw = RawSocket::connect(&gateway).await;
        raw.send(request("GET", "1.1", &owner.token)).await;
        assert!(raw.read_until(|text| text.contains("retry: 2000")).await);
        all.push(raw);
    }
    assert_eq!(streams(owner).await, 50);
    let since = Instant::now();
    drop(all);
    none_is_open(owner).await;
    assert!(since.elapsed() < Duration::from_secs(5), "{since:?}");
    gateway.stop().await;
}

#[tokio::test]
async fn client_that_sends_without_end_is_closed() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let mut raw = RawSocket::connect(&gateway).await;
    raw.send(request("GET", "1.1", &owner.token)).await;
    assert!(raw.read_until(|text| text.contains("retry: 2000")).await);
    for _ in 0..100 {
        raw.send([b'x'; 1_024]).await;
    }
    raw.read_to_end().await;
    none_is_open(owner).await;
    gateway.stop().await;
}

#[tokio::test]
async fn reconnects_without_pause_leave_nothing_behind() {
    let gateway = Gateway::start_with(&[("limits.streams_per_user", "8")]).await;
    let owner = gateway.owner().await;
    let storm = (0..20).map(|_| async {
        for n in 0..25 {
            let mut raw = RawSocket::connect(&gateway).await;
            raw.send(request("GET", "1.1", &owner.token)).await;
            // Some leave before the answer, some after it. Some are refused, because too many are open.
            if n % 2 == 0 {
                assert!(raw.read_until(|text| text.contains("HTTP/1.1 ")).await);
            }
        }
    });
    futures::future::join_all(storm).await;
    none_is_open(owner).await;
    // All eight slots are free.
    let mut open = Vec::new();
    for _ in 0..8 {
        open.push(Stream::open(owner.get("/api/events")).await);
    }
    drop(open);
    gateway.stop().await;
}

#[tokio::test]
async fn reader_of_single_bytes_is_cut_off_when_its_time_is_over() {
    let gateway = Gateway::start_with(&[("limits.stalled_seconds", "1")]).await;
    let owner = gateway.owner().await;
    let scope = WorkspaceScope::of_row(owner.workspace.parse().expect("an id"));
    let mut slow = RawSocket::connect(&gateway).await;
    slow.send(request("GET", "1.1", &owner.token)).await;
    assert!(slow.read_until(|text| text.contains("retry: 2000")).await);
    let slow = Mutex::new(slow);
    let fast = Mutex::new(Stream::open(owner.get("/api/events")).await);
    let label = "x".repeat(1_000);
    // It reads a byte for every hundred events. The kernel's buffers fill, and a byte does not make room for a packet.
    eventually("the slow one is cut off", || async {
        for _ in 0..100 {
            let event = NodeActivity::on_machine(None, label.clone(), 0.5);
            gateway.app().events().emit(scope, event).await;
        }
        fast.lock().await.take(100).await;
        slow.lock().await.read_byte();
        (streams(owner).await == 1).then_some(())
    })
    .await;
    // The other one has missed nothing.
    drop((slow, fast));
    gateway.stop().await;
}

#[tokio::test]
async fn ended_session_closes_a_stream_that_nobody_reads() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let second = gateway.person("owner").await;
    let scope = WorkspaceScope::of_row(owner.workspace.parse().expect("an id"));
    let mut never = RawSocket::connect(&gateway).await;
    never.send(request("GET", "1.1", &second.token)).await;
    assert!(never.read_until(|text| text.contains("retry: 2000")).await);
    let mut fast = Stream::open(owner.get("/api/events")).await;
    let label = "x".repeat(1_000);
    for _ in 0..50 {
        for _ in 0..100 {
            let event = NodeActivity::on_machine(None, label.clone(), 0.5);
            gateway.app().events().emit(scope, event).await;
        }
        fast.take(100).await;
    }
    second.post("/api/auth/logout").expect(204).await;
    let since = Instant::now();
    eventually("only the other one is open", || async {
        (streams(owner).await == 1).then_some(())
    })
    .await;
    assert!(since.elapsed() < Duration::from_secs(2), "{since:?}");
    drop(never);
    gateway.stop().await;
}

#[tokio::test]
async fn clients_continue_without_a_gap_when_the_sender_restarts() {
    let gateway = Gateway::start_with(&[("operators", r#"["owner@roost.localhost"]"#)]).await;
    let owner = gateway.owner().await;
    let mut stream = Stream::open(owner.get("/api/events?last_event_id=1.0")).await;
    make(owner).await;
    let first = stream.next().await.expect("it goes on");
    assert_eq!(first.id.as_deref(), Some("1.1"));
    let sender = "/api/ops/actors/roost%2Ffoundation%2Fstream-sender/restart";
    owner.post(sender).expect(202).await;
    // Its sockets close. What the client has not read before comes again, after its cursor.
    while stream.next().await.is_some() {}
    none_is_open(owner).await;
    make(owner).await;
    let mut again = Stream::open(owner.get("/api/events?last_event_id=1.1")).await;
    let next = again.take(3).await;
    let ids: Vec<_> = next
        .iter()
        .filter_map(|event| event.id.as_deref())
        .collect();
    assert_eq!(ids, ["1.2", "1.3", "1.4"]);
    gateway.stop().await;
}
