//! One session: normal messages, and what a faulty or hostile gateway cannot cause.
use roost_protocol::control::{Control, ControlReply};
use roost_protocol::frame::{Envelope, ToGateway, ToNode};
use roost_protocol::hello::{Refused, RefusedReason, Welcome};
use roost_protocol::ids::{ConnectionEpoch, OperationId};
use roost_protocol::limits::MAX_FRAME_BYTES;
use roost_protocol::operation::{List, Operation, OperationRequest};
use roost_protocol::report::{ErrorKind, Outcome, Report, Terminal};
use roost_protocol::version::Version;
use uuid::Uuid;

use crate::daemon::{Daemon, NO_ENGINE};
use crate::gateway::Gateway;

fn list() -> Operation {
    Operation::SbList(List {})
}

#[tokio::test(flavor = "multi_thread")]
async fn hello_heartbeats_and_tools_are_sent_unasked() {
    let mut gateway = Gateway::start().await;
    let mut daemon = Daemon::joined(&gateway, NO_ENGINE);
    daemon.run();
    let mut peer = gateway.connection().await;
    let token = std::fs::read_to_string(daemon.file("token")).expect("a token");
    assert_eq!(peer.authorization, format!("Bearer {token}"));
    let hello = peer.hello().await;
    let install = std::fs::read_to_string(daemon.file("install-id")).expect("an id");
    assert_eq!(hello.install_id.to_string(), install);
    assert!(!hello.boot_id.is_empty() && !hello.hostname.is_empty());
    assert!(hello.inventory.engine_silent && hello.capabilities.engine.is_none());
    peer.welcome(1).await;
    let (mut beats, mut tools) = (0, 0);
    while beats < 2 || tools < 1 {
        match peer.frame().await.message {
            ToGateway::Heartbeat(beat) => {
                assert_eq!(beat.hostname, hello.hostname);
                assert!(beat.memory_total_bytes.is_some_and(|bytes| bytes > 0));
                assert_eq!(
                    beat.containers, None,
                    "without an engine the number is unknown, not zero"
                );
                beats += 1;
            }
            ToGateway::NodeTools(_) => tools += 1,
            _ => {}
        }
    }
    peer.control(Control::Ping { nonce: 7 }).await;
    let pong = |message: &ToGateway| {
        matches!(message, ToGateway::Reply(ControlReply::Pong { nonce: 7 })).then_some(())
    };
    peer.until(pong).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_frames_end_the_connection_and_the_daemon_reconnects() {
    let mut gateway = Gateway::start().await;
    let mut daemon = Daemon::joined(&gateway, NO_ENGINE);
    // Real waits between attempts are not tested here.
    daemon.run_with(&["--second-ms", "20"], &[]);
    let mut long = vec![0xc1; MAX_FRAME_BYTES + 1];
    long[0] = 0x81;
    for bytes in [b"garbage".to_vec(), vec![0xc1], Vec::new(), long] {
        let (mut peer, _) = gateway.session().await;
        peer.send_bytes(bytes).await;
        peer.closed().await;
    }
    // A missing sequence number.
    let (mut peer, _) = gateway.session().await;
    let mut frame = peer
        .outgoing
        .wrap(ToNode::Control(Control::Ping { nonce: 1 }));
    frame.seq += 1;
    peer.send_frame(&frame).await;
    peer.closed().await;
    // The epoch of another connection.
    let (mut peer, _) = gateway.session().await;
    let mut frame = peer
        .outgoing
        .wrap(ToNode::Control(Control::Ping { nonce: 1 }));
    frame.epoch = ConnectionEpoch(frame.epoch.0 - 1);
    peer.send_frame(&frame).await;
    peer.closed().await;
    // A welcome with an epoch that this daemon has already seen.
    let mut peer = gateway.connection().await;
    let hello = peer.hello().await;
    let epoch = ConnectionEpoch(1);
    let welcome = Welcome {
        version: hello.versions.highest,
        node_id: gateway.node,
        epoch,
        heartbeat_s: 10,
        lease_s: 60,
        draining: false,
        image: None,
        images: Vec::new(),
    };
    peer.send_frame(&Envelope {
        epoch,
        seq: 0,
        message: ToNode::Welcome(welcome),
    })
    .await;
    peer.closed().await;
    // A version that the daemon did not offer.
    let mut peer = gateway.connection().await;
    peer.hello().await;
    let frame = peer.outgoing.wrap(ToNode::Welcome(Welcome {
        version: Version { major: 9, minor: 0 },
        node_id: gateway.node,
        epoch: ConnectionEpoch(9000),
        heartbeat_s: 10,
        lease_s: 60,
        draining: false,
        image: None,
        images: Vec::new(),
    }));
    peer.send_frame(&frame).await;
    peer.closed().await;
    assert!(daemon.terminate().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_frame_and_a_repeated_operation_do_nothing_twice() {
    let mut gateway = Gateway::start().await;
    let mut daemon = Daemon::joined(&gateway, NO_ENGINE);
    daemon.run();
    let (mut peer, _) = gateway.session().await;
    let request = OperationRequest {
        purpose: None,
        id: OperationId(Uuid::now_v7()),
        on_behalf: None,
        operation: list(),
    };
    let frame = peer.outgoing.wrap(ToNode::Operation(request.clone()));
    peer.send_frame(&frame).await;
    peer.send_frame(&frame).await;
    let first = peer.end_of(request.id).await;
    let Outcome::Error { error } = &first.outcome else {
        panic!("{first:?}")
    };
    assert_eq!(error.kind, ErrorKind::EngineUnavailable);
    assert!(
        error.detail.contains("install and start Docker"),
        "{}",
        error.detail
    );
    // The same id in another frame is answered with the known state, even after a crash.
    peer.send(ToNode::Operation(request.clone())).await;
    assert_eq!(peer.end_of(request.id).await, first);
    daemon.kill();
    daemon.run();
    let (mut peer, hello) = gateway.session().await;
    assert!(
        hello
            .inventory
            .operations
            .iter()
            .any(|entry| entry.operation == request.id && entry.ended.as_ref() == Some(&first))
    );
    assert_eq!(
        peer.end_of(request.id).await,
        first,
        "an unacknowledged end is reported again"
    );
    peer.send(ToNode::Operation(request.clone())).await;
    assert_eq!(peer.end_of(request.id).await, first);
    let log = std::fs::read_to_string(daemon.file("executor/operations.jsonl")).expect("a log");
    assert_eq!(log.matches("\"event\":\"began\"").count(), 1, "{log}");
    // After the acknowledgement it is not reported again.
    peer.control(Control::Ack {
        operation: request.id,
    })
    .await;
    peer.control(Control::Ping { nonce: 1 }).await;
    peer.until(|message| {
        matches!(message, ToGateway::Reply(ControlReply::Pong { .. })).then_some(())
    })
    .await;
    peer.cut();
    let (_, hello) = gateway.session().await;
    assert!(hello.inventory.operations.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_operation_is_unsupported_and_unseen_id_is_reported() {
    let mut gateway = Gateway::start().await;
    let mut daemon = Daemon::joined(&gateway, NO_ENGINE);
    daemon.run();
    let (mut peer, _) = gateway.session().await;
    let id = peer.operation(Operation::Unsupported).await;
    let ended = peer.end_of(id).await;
    assert_eq!(ended.state, Terminal::Failed);
    assert!(
        matches!(ended.outcome, Outcome::Error { error } if error.kind == ErrorKind::Unsupported)
    );
    let unknown = OperationId(Uuid::now_v7());
    peer.control(Control::Reconcile {
        waiting: vec![unknown],
        sandboxes: Vec::new(),
        grace_s: 60,
        kept: None,
    })
    .await;
    peer.until(|message| match message {
        ToGateway::Report(report) if report.operation == unknown => {
            assert_eq!(report.report, Report::NeverSeen);
            Some(())
        }
        _ => None,
    })
    .await;
    peer.until(|message| {
        matches!(message, ToGateway::Inventory(inventory) if inventory.engine_silent).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_shown_to_the_owner() {
    let mut gateway = Gateway::start().await;
    let mut daemon = Daemon::joined(&gateway, NO_ENGINE);
    daemon.run();
    let mut peer = gateway.connection().await;
    peer.hello().await;
    let refused = Refused {
        reason: RefusedReason::Cloned,
        detail: "a copy of this disk is connected\u{1b}[31m".into(),
    };
    peer.send(ToNode::Refused(refused)).await;
    peer.closed().await;
    gateway.refuse(Some((401, "unauthenticated")));
    let shown = shown(&daemon, "does not know this machine's token").await;
    assert!(!shown.contains('\u{1b}'));
    let status = daemon.call(&["status"]);
    assert_eq!(status.status.code(), Some(3));
}

/// Polls the status until it contains this text.
async fn shown(daemon: &Daemon, wanted: &str) -> String {
    let deadline = std::time::Instant::now() + crate::gateway::PATIENCE;
    loop {
        let text = String::from_utf8_lossy(&daemon.call(&["status", "--json"]).stdout).into_owned();
        if text.contains(wanted) {
            return text;
        }
        assert!(
            std::time::Instant::now() < deadline,
            "never shown: {wanted} in {text}"
        );
        tokio::task::yield_now().await;
    }
}
