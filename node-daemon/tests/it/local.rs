//! The owner's verbs without a gateway: pause, status, log, leave.
use roost_protocol::control::ControlReply;
use roost_protocol::frame::ToGateway;

use crate::daemon::{Daemon, NO_ENGINE, mode};
use crate::gateway::Gateway;

#[tokio::test(flavor = "multi_thread")]
async fn pause_works_without_gateway_persists_and_is_reported() {
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
async fn readable_state_folder_is_made_private_at_next_start() {
    use std::os::unix::fs::PermissionsExt;
    let mut gateway = Gateway::start().await;
    let mut daemon = Daemon::joined(&gateway, NO_ENGINE);
    daemon.run();
    let (_peer, _) = gateway.session().await;
    daemon.kill();
    std::fs::write(daemon.file("notes"), "the owner's own").expect("written");
    let paths = [
        "token",
        "node.json",
        "executor",
        "executor/ledger",
        "executor/spool",
    ];
    for path in paths.iter().chain(&["notes"]) {
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(daemon.file(path), open).expect("a mode");
    }
    daemon.run();
    let _session = gateway.session().await;
    for path in paths {
        assert_eq!(mode(&daemon.file(path)) & 0o077, 0, "{path}");
    }
    assert_eq!(mode(&daemon.file("notes")), 0o755, "it is not roostd's");
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
async fn leaving_without_an_engine_needs_a_flag_and_removes_everything() {
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
