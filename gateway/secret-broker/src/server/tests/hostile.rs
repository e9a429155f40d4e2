//! Hostile peers: the broker disconnects each, and none delays another.

use roost_secret_broker::wire::{
    FaultCode, Frame, FrameReader, FrameWriter, Greeting, Hello, MAX_MESSAGE, decode,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::*;

/// Short time limits, so that a test can see them expire. Polled conditions have no limit here.
fn hurried() -> Setting {
    let soon = |idle, frame| Patience {
        idle: Some(Duration::from_millis(idle)),
        frame: Duration::from_millis(frame),
    };
    Setting {
        limits: Limits {
            greeting: soon(200, 200),
            exchange: Patience {
                idle: Some(Duration::from_secs(60)),
                frame: Duration::from_millis(200),
            },
            body: soon(200, 200),
            ..Limits::default()
        },
        ..Setting::default()
    }
}

const PATIENT: Patience = Patience {
    idle: None,
    frame: Duration::from_secs(60),
};

async fn greeted(bench: &Bench) -> UnixStream {
    let mut stream = UnixStream::connect(bench.socket()).await.unwrap();
    let hello = Hello {
        oldest: 1,
        newest: 9,
        program: "raw".into(),
    };
    FrameWriter::new(&mut stream)
        .message(&hello, PATIENT)
        .await
        .unwrap();
    assert!(
        matches!(greeting(&mut stream).await, Greeting::Welcome(welcome) if welcome.version == 1)
    );
    stream
}

async fn greeting(stream: &mut UnixStream) -> Greeting {
    let Some(Frame::Message(message)) = FrameReader::new(stream).next(PATIENT).await.unwrap()
    else {
        panic!("a greeting is a message")
    };
    decode(&message).unwrap()
}

/// Reads until the broker closes; returns how many bytes it sent before.
async fn closed(mut stream: UnixStream) -> usize {
    let mut rest = Vec::new();
    // A reset counts as a close: the broker left some input unread.
    let _ = stream.read_to_end(&mut rest).await;
    rest.len()
}

#[tokio::test]
async fn unlisted_user_is_refused_by_peer_credentials() {
    let bench = Bench::with(Setting {
        users: vec![geteuid().as_raw() + 1],
        administrators: vec![geteuid().as_raw() + 2],
        ..Setting::default()
    })
    .await;
    let fault = bench.ask(Request::Status).await.unwrap_err();
    assert_eq!(fault.code, FaultCode::Forbidden);
    assert!(fault.detail.contains("--allow"), "{fault}");
}

#[tokio::test]
async fn socket_and_its_folder_are_private() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let bench = Bench::new().await;
    let socket = bench.socket();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(
        (mode(&socket), mode(socket.parent().unwrap())),
        (0o600, 0o700)
    );
    let open = bench.folder.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o755)).unwrap();
    let refused = Listener::bind(&open.join("broker.sock"), SocketAccess::Owner)
        .err()
        .unwrap();
    assert!(refused.to_string().contains("chmod 700"), "{refused}");
    let file = bench.folder.path().join("data/run/file");
    std::fs::write(&file, "mine").unwrap();
    assert!(Listener::bind(&file, SocketAccess::Owner).is_err());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}

#[tokio::test]
async fn disjoint_versions_are_refused_with_a_fault() {
    let bench = Bench::new().await;
    let mut stream = UnixStream::connect(bench.socket()).await.unwrap();
    let hello = Hello {
        oldest: 7,
        newest: 9,
        program: "of tomorrow".into(),
    };
    FrameWriter::new(&mut stream)
        .message(&hello, PATIENT)
        .await
        .unwrap();
    let Greeting::Refused(fault) = greeting(&mut stream).await else {
        panic!("it is refused")
    };
    assert_eq!(fault.code, FaultCode::VersionUnknown);
    assert_eq!(closed(stream).await, 0);
}

#[tokio::test]
async fn invalid_oversized_and_truncated_frames_end_only_their_connection() {
    let bench = Bench::with(hurried()).await;
    let claimed = u32::try_from(MAX_MESSAGE + 1).unwrap().to_be_bytes();
    let senseless: [Vec<u8>; 6] = [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        vec![0, 0, 0, 1, 77, 0],
        [&claimed[..], &[1]].concat(),
        vec![0, 0, 0, 3, 1, 0xc1, 0xc1, 0xc1],
        vec![0, 0, 0, 0, 3],
        vec![0, 0, 1, 0, 1, 0x91],
    ];
    for bytes in senseless {
        let mut fresh = UnixStream::connect(bench.socket()).await.unwrap();
        // The broker may close the connection before everything is written.
        let _ = fresh.write_all(&bytes).await;
        assert_eq!(
            closed(fresh).await,
            0,
            "before the greeting nothing is answered: {bytes:?}"
        );
        let mut late = greeted(&bench).await;
        let _ = late.write_all(&bytes).await;
        closed(late).await;
        assert!(bench.ask(Request::Status).await.is_ok());
    }
}

#[tokio::test]
async fn stalled_peers_are_disconnected_and_delay_no_other() {
    let bench = Bench::with(hurried()).await;
    let silent = UnixStream::connect(bench.socket()).await.unwrap();
    let mut half = greeted(&bench).await;
    half.write_all(&[0, 0, 0, 200, 1, 0x81]).await.unwrap();
    let (name, remote) = (name("a"), "127.0.0.1:9".parse().unwrap());
    let mut bodiless = greeted(&bench).await;
    let forward = roost_secret_broker::wire::Forward {
        body: true,
        ..forwards::get(name, remote, "/")
    };
    FrameWriter::new(&mut bodiless)
        .message(&Request::Forward(forward), PATIENT)
        .await
        .unwrap();
    for _ in 0..50 {
        assert!(
            bench.ask(Request::Status).await.is_ok(),
            "others are served meanwhile"
        );
    }
    assert_eq!(closed(silent).await, 0);
    closed(half).await;
    closed(bodiless).await;
}

#[tokio::test]
async fn connections_over_the_limit_are_refused_until_others_close() {
    let mut setting = hurried();
    setting.limits.connections = 2;
    let bench = Bench::with(setting).await;
    let (one, two) = (greeted(&bench).await, greeted(&bench).await);
    let fault = bench.ask(Request::Status).await.unwrap_err();
    assert_eq!(fault.code, FaultCode::Busy);
    drop((one, two));
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    while bench.ask(Request::Status).await.is_err() {
        assert!(tokio::time::Instant::now() < deadline, "room comes back");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn stopping_broker_closes_idle_connections_and_removes_its_socket() {
    let mut bench = Bench::new().await;
    let idle = greeted(&bench).await;
    bench.stop().await;
    assert_eq!(closed(idle).await, 0);
    assert!(!bench.socket().exists());
    let down = bench.client.call(&Request::Status).await.unwrap_err();
    assert!(matches!(down, ClientError::Down { .. }), "{down:?}");
    assert!(down.to_string().contains("check that it runs"), "{down}");
}
