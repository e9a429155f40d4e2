//! What the owner does without a gateway: pause, status, log, leave.
use roost_protocol::control::ControlReply;
use roost_protocol::frame::ToGateway;

use crate::daemon::{Daemon, NO_ENGINE};
use crate::gateway::Gateway;

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_needs_no_gateway_stays_and_is_told() {
    let mut gateway = Gateway::start().await;
    let mut daemon = Daemon::joined(&gateway, NO_ENGINE);
    assert!(daemon.call(&["pause"]).status.success());
    assert!(daemon.file("paused").exists());
    daemon.run();
    let (mut peer, hello) = gateway.session().await;
    assert!(hello.capabilities.paused);
    assert!(daemon.call(&["resume"]).status.success());
    peer.until(|message| {
        matches!(
            message,
            ToGateway::Reply(ControlReply::Paused { on: false })
        )
        .then_some(())
    })
    .await;
    assert!(!daemon.file("paused").exists());
    assert!(daemon.call(&["pause"]).status.success());
    peer.until(|message| {
        matches!(message, ToGateway::Reply(ControlReply::Paused { on: true })).then_some(())
    })
    .await;
    let status = daemon.call(&["status"]);
    assert_eq!(status.status.code(), Some(0), "{status:?}");
    assert!(String::from_utf8_lossy(&status.stdout).contains("PAUSED"));
    daemon.kill();
    daemon.run();
    let (_, hello) = gateway.session().await;
    assert!(hello.capabilities.paused, "a pause survives a crash");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_one_daemon_works_in_a_state_folder() {
    let mut gateway = Gateway::start().await;
    let mut daemon = Daemon::joined(&gateway, NO_ENGINE);
    daemon.run();
    let _session = gateway.session().await;
    let second = daemon.call(&["run"]);
    assert!(!second.status.success());
    assert!(String::from_utf8_lossy(&second.stderr).contains("another roostd runs"));
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_without_an_engine_must_be_said_and_then_leaves_nothing() {
    let mut gateway = Gateway::start().await;
    let mut daemon = Daemon::joined(&gateway, NO_ENGINE);
    daemon.run();
    let _session = gateway.session().await;
    let refused = daemon.call(&["leave", "--yes"]);
    assert!(!refused.status.success());
    assert!(
        daemon.file("token").exists(),
        "nothing is touched when a step fails"
    );
    daemon.terminate();
    let left = daemon.call(&["leave", "--yes", "--without-engine"]);
    assert!(left.status.success(), "{left:?}");
    assert!(!daemon.state().exists());
    assert_eq!(gateway.leaves(), 1);
}
