//! Forwards: the secret is added, never comes back, and goes nowhere else.

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures::StreamExt;
use roost_secret_broker::client::{Body, Forwarded};
use roost_secret_broker::wire::{FaultCode, Forward};

use super::remote::{Remote, chunked, whole};
use super::*;
use crate::egress::HostRule;

const SECRET: &str = "rst_C4nary-Tok.en/9+";

pub(super) fn get(name: RecordName, remote: SocketAddr, path: &str) -> Forward {
    Forward {
        name,
        method: "GET".into(),
        url: format!("http://{remote}{path}"),
        headers: Vec::new(),
        body: false,
        body_length: None,
        deadline_ms: None,
        on_behalf: "agent-1".into(),
    }
}

async fn fault(forwarded: Result<Forwarded, ClientError>) -> Fault {
    match forwarded.map(|forwarded| (forwarded.status, forwarded.headers)) {
        Err(ClientError::Refused(fault)) => fault,
        other => panic!("a fault is expected: {other:?}"),
    }
}

#[tokio::test]
async fn request_carries_the_secret_and_answer_does_not() {
    let remote = Remote::start(|received| {
        let seen = received
            .header("authorization")
            .unwrap_or_default()
            .to_owned();
        whole(
            201,
            &format!("X-Echo: {seen}\r\nSet-Cookie: a=b\r\n"),
            format!("you sent {seen}").as_bytes(),
        )
    })
    .await;
    let bench = Bench::new().await;
    bench.keep("a", SECRET, remote.address).await;
    let asked = Forward {
        method: "POST".into(),
        headers: vec![
            ("Authorization".into(), "Bearer of-the-caller".into()),
            ("X-Kept".into(), "yes".into()),
        ],
        ..get(name("a"), remote.address, "/repos?page=2")
    };
    let mut answer = bench
        .client
        .forward(asked, Body::Whole(Bytes::from_static(b"{}")))
        .await
        .unwrap();
    let stars = "*".repeat(SECRET.len());
    assert_eq!(answer.status, 201);
    assert!(
        answer
            .headers
            .contains(&("x-echo".into(), format!("Bearer {stars}"))),
        "{:?}",
        answer.headers
    );
    assert!(!answer.headers.iter().any(|(name, _)| name == "set-cookie"));
    assert_eq!(
        answer.whole(1_000).await.unwrap(),
        format!("you sent Bearer {stars}").as_bytes()
    );
    let received = &remote.received()[0];
    assert!(
        received.head.starts_with("POST /repos?page=2 HTTP/1.1"),
        "{}",
        received.head
    );
    assert_eq!(
        received.header("authorization"),
        Some(format!("Bearer {SECRET}").as_str())
    );
    assert_eq!(
        (received.header("x-kept"), received.header("content-length")),
        (Some("yes"), Some("2"))
    );
    assert_eq!(received.text(), "{}");
    let log = bench.audited().await;
    assert!(
        log.contains(r#""verb":"forward""#)
            && log.contains(r#""path":"/repos""#)
            && log.contains("agent-1")
    );
    assert!(!log.contains("page=2") && !log.contains("C4nary"), "{log}");
}

#[tokio::test]
async fn echoed_secret_is_removed_in_any_form_and_pieces() {
    let forms = [
        SECRET.to_owned(),
        STANDARD.encode(SECRET),
        STANDARD.encode(format!("x:{SECRET}")),
        SECRET.replace('/', "%2F").replace('+', "%2B"),
        SECRET.replace('/', "\\/"),
        hex::encode(SECRET),
    ];
    let bodies = forms.clone();
    let remote = Remote::start(move |received| {
        let index: usize = received.head.split(' ').nth(1).unwrap()[1..]
            .parse()
            .unwrap();
        let pieces: Vec<&[u8]> = bodies[index].as_bytes().chunks(3).collect();
        chunked(&pieces)
    })
    .await;
    let bench = Bench::new().await;
    bench.keep("a", SECRET, remote.address).await;
    for (index, form) in forms.iter().enumerate() {
        let asked = get(name("a"), remote.address, &format!("/{index}"));
        let mut answer = bench.client.forward(asked, Body::None).await.unwrap();
        let body = answer.whole(1_000).await.unwrap();
        assert_eq!(body.len(), form.len(), "{form}");
        let kept = form
            .as_bytes()
            .windows(6)
            .any(|part| body.windows(6).any(|window| window == part));
        assert!(!kept, "{form}: {}", String::from_utf8_lossy(&body));
    }
}

#[tokio::test]
async fn large_bodies_stream_both_ways() {
    let sum = |bytes: &[u8]| bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>();
    let remote = Remote::start(move |received| {
        let big = vec![7_u8; 3 << 20];
        let answer = format!("{} {}", received.body.len(), sum(&received.body));
        let mut pieces: Vec<&[u8]> = big.chunks(100_000).collect();
        pieces.push(answer.as_bytes());
        chunked(&pieces)
    })
    .await;
    let bench = Bench::new().await;
    bench.keep("a", SECRET, remote.address).await;
    let asked = Forward {
        method: "POST".into(),
        ..get(name("a"), remote.address, "/")
    };
    let stream =
        futures::stream::iter((0..40).map(|_| Ok(Bytes::from(vec![3_u8; 50_000])))).boxed();
    let mut answer = bench
        .client
        .forward(asked, Body::Stream(stream))
        .await
        .unwrap();
    let body = answer.whole(4 << 20).await.unwrap();
    assert_eq!(&body[3 << 20..], b"2000000 6000000");
}

#[tokio::test]
async fn redirects_are_not_followed_and_encodings_are_refused() {
    let elsewhere = Remote::start(|_| whole(200, "", b"never")).await;
    let to = format!("Location: http://{}/?t={SECRET}\r\n", elsewhere.address);
    let remote = Remote::start(move |received| {
        if received.head.starts_with("GET /moved") {
            whole(302, &to, b"")
        } else {
            whole(200, "Content-Encoding: gzip\r\n", b"who knows")
        }
    })
    .await;
    let bench = Bench::new().await;
    bench.keep("a", SECRET, remote.address).await;
    let moved = bench
        .client
        .forward(get(name("a"), remote.address, "/moved"), Body::None)
        .await
        .unwrap();
    assert_eq!(moved.status, 302);
    assert!(!format!("{:?}", moved.headers).contains("C4nary"));
    drop(moved);
    let packed = bench
        .client
        .forward(get(name("a"), remote.address, "/packed"), Body::None)
        .await;
    assert_eq!(fault(packed).await.code, FaultCode::RemoteRefused);
    assert!(elsewhere.received().is_empty());
}

#[tokio::test]
async fn requests_outside_the_list_never_reach_the_remote() {
    let remote = Remote::start(|_| whole(200, "", b"")).await;
    let bench = Bench::new().await;
    bench.keep("a", SECRET, remote.address).await;
    for asked in [
        Forward {
            method: "DELETE".into(),
            ..get(name("a"), remote.address, "/")
        },
        Forward {
            url: "https://example.com/".into(),
            ..get(name("a"), remote.address, "/")
        },
        get(RecordName::new("w2", "a").unwrap(), remote.address, "/"),
        get(name("b"), remote.address, "/"),
    ] {
        let refused = fault(
            bench
                .client
                .forward(asked, Body::Whole(Bytes::from_static(b"x")))
                .await,
        )
        .await;
        assert!(
            matches!(
                refused.code,
                FaultCode::NotAllowed | FaultCode::UnknownRecord
            ),
            "{refused}"
        );
    }
    assert!(remote.received().is_empty());
    assert!(bench.audited().await.contains("not-allowed"));
}

#[tokio::test]
async fn name_that_resolves_to_this_machine_is_refused_even_after_rebinding() {
    let turn = Arc::new(AtomicU32::new(0));
    let turns = turn.clone();
    let egress = EgressSettings {
        policy: AddressPolicy::new(vec![HostRule::Name("intern.example".into())]),
        lookup: Some(Arc::new(move |host| {
            let turn = turns.fetch_add(1, Ordering::SeqCst);
            let address: IpAddr = match (host.as_str(), turn) {
                ("intern.example", _) => "169.254.169.254".parse().unwrap(),
                (_, 0) => "127.0.0.1".parse().unwrap(),
                _ => "10.0.0.1".parse().unwrap(),
            };
            Box::pin(async move { Ok(vec![address]) })
        })),
        ..EgressSettings::default()
    };
    let setting = Setting {
        egress,
        ..Setting::default()
    };
    let bench = Bench::with(setting).await;
    for (host, scheme) in [
        ("evil.example", "https"),
        ("evil.example", "https"),
        ("intern.example", "http"),
    ] {
        let stored = StoreVerb {
            allow: vec![Allow {
                origin: format!("{scheme}://{host}"),
                methods: vec!["GET".into()],
                path_prefix: "/".into(),
            }],
            ..bearer("a", SECRET, "127.0.0.1:9".parse().unwrap())
        };
        bench.ask(Request::Store(stored)).await.unwrap();
        let asked = Forward {
            url: format!("{scheme}://{host}/latest/meta-data"),
            ..get(name("a"), "127.0.0.1:9".parse().unwrap(), "/")
        };
        let refused = fault(bench.client.forward(asked, Body::None).await).await;
        assert_eq!(refused.code, FaultCode::AddressRefused, "{refused}");
        assert!(refused.detail.contains("allow_private") && !refused.detail.contains("C4nary"));
    }
    assert_eq!(
        turn.load(Ordering::SeqCst),
        3,
        "the name is resolved once a request"
    );
}

#[tokio::test]
async fn slow_broken_and_oversized_answers_have_different_faults() {
    let remote = Remote::start(|received| match received.head.split(' ').nth(1).unwrap() {
        "/silent" => vec![b"HTTP/1.1 200 X\r\n".to_vec()],
        "/cut" => vec![
            b"HTTP/1.1 200 X\r\nContent-Length: 99\r\n\r\nbegin".to_vec(),
            Vec::new(),
        ],
        "/endless" => chunked(&[&[0; 5_000], &[0; 5_000]]),
        _ => vec![Vec::new()],
    })
    .await;
    let mut setting = Setting::default();
    setting.egress.most_answer = 8_000;
    setting.egress.most_request = 8_000;
    let bench = Bench::with(setting).await;
    bench.keep("a", SECRET, remote.address).await;
    let asked = |path: &str| Forward {
        deadline_ms: Some(300),
        ..get(name("a"), remote.address, path)
    };
    let slow = fault(bench.client.forward(asked("/silent"), Body::None).await).await;
    assert_eq!(slow.code, FaultCode::RemoteTimeout);
    let patient = |path: &str| Forward {
        deadline_ms: None,
        ..asked(path)
    };
    for (path, code) in [
        ("/cut", FaultCode::RemoteUnreachable),
        ("/endless", FaultCode::TooLarge),
    ] {
        let mut answer = bench
            .client
            .forward(patient(path), Body::None)
            .await
            .unwrap();
        let ended = answer.whole(1 << 20).await.unwrap_err();
        assert!(
            matches!(&ended, ClientError::Refused(fault) if fault.code == code),
            "{path}: {ended:?}"
        );
    }
    let gone = fault(bench.client.forward(patient("/gone"), Body::None).await).await;
    assert_eq!(gone.code, FaultCode::RemoteUnreachable);
    // Nothing listens there, so nothing is sent.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    bench.keep("b", SECRET, address).await;
    let nobody = get(name("b"), address, "/");
    let nobody = fault(bench.client.forward(nobody, Body::None).await).await;
    assert_eq!(nobody.code, FaultCode::NotReached);
    let much = Forward {
        method: "POST".into(),
        ..patient("/endless")
    };
    let much = fault(
        bench
            .client
            .forward(much, Body::Whole(Bytes::from(vec![0; 9_000])))
            .await,
    )
    .await;
    assert_eq!(much.code, FaultCode::TooLarge);
    assert!(bench.ask(Request::Status).await.is_ok());
}

#[tokio::test]
async fn request_ends_at_the_remote_when_the_client_disconnects() {
    let remote = Remote::start(|_| {
        let endless: Vec<&[u8]> = vec![&[1; 60_000]; 2_000];
        chunked(&endless)
    })
    .await;
    let bench = Bench::new().await;
    bench.keep("a", SECRET, remote.address).await;
    let mut answer = bench
        .client
        .forward(get(name("a"), remote.address, "/"), Body::None)
        .await
        .unwrap();
    assert!(answer.piece().await.unwrap().is_some());
    drop(answer);
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    while !bench.audited().await.contains("abandoned") {
        assert!(
            tokio::time::Instant::now() < deadline,
            "the end is written down"
        );
        tokio::task::yield_now().await;
    }
}
