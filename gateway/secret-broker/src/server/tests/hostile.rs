//! Peers that nobody wants: each is cut off, none holds up another.

use roost_secret_broker::wire::{
    FaultCode, Frame, FrameReader, FrameWriter, Greeting, Hello, MAX_MESSAGE, decode,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::*;

/// Short, so that a test sees them pass; what is polled has no time limit of its own.
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

/// Reads until the broker closes; how many bytes it said before.
async fn closed(mut stream: UnixStream) -> usize {
    let mut rest = Vec::new();
    // A reset is a close, too: there was something left that the broker did not want to read.
    let _ = stream.read_to_end(&mut rest).await;
    rest.len()
}

#[tokio::test]
async fn a_user_that_is_not_listed_is_turned_away_by_the_kernels_word() {
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
async fn the_socket_and_its_folder_are_this_users_alone() {
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
async fn versions_without_anything_in_common_are_told_apart() {
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
async fn senseless_oversized_and_cut_off_frames_end_their_connection_and_no_other() {
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
        // It may be cut off before it has said all.
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
async fn peers_that_stall_are_cut_off_and_hold_nobody_up() {
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
async fn beyond_the_bound_connections_are_told_so_and_room_comes_back() {
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
async fn a_broker_that_stops_closes_idle_connections_and_takes_its_socket_away() {
    let mut bench = Bench::new().await;
    let idle = greeted(&bench).await;
    bench.stop().await;
    assert_eq!(closed(idle).await, 0);
    assert!(!bench.socket().exists());
    let down = bench.client.call(&Request::Status).await.unwrap_err();
    assert!(matches!(down, ClientError::Down { .. }), "{down:?}");
    assert!(down.to_string().contains("see that it runs"), "{down}");
}
