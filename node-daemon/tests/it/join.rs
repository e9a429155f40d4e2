//! Joining: the token is never sent, a crash wastes no code, mistakes are explained.
use std::io::Write;
use std::process::Stdio;

use crate::daemon::{Daemon, NO_ENGINE, mode};
use crate::gateway::Gateway;

#[tokio::test(flavor = "multi_thread")]
async fn join_sends_a_hash_and_stores_the_token_in_a_private_file() {
    let gateway = Gateway::start().await;
    let daemon = Daemon::joined(&gateway, NO_ENGINE);
    let token = std::fs::read_to_string(daemon.file("token")).expect("a token");
    let joins = gateway.joins();
    assert_eq!(joins.len(), 1);
    assert_eq!(joins[0]["code"], "code-1");
    let bytes = hex::decode(&token).expect("hex");
    assert_eq!(bytes.len(), 32);
    let hash = {
        use sha2::Digest;
        hex::encode(sha2::Sha256::digest(&bytes))
    };
    assert_eq!(joins[0]["token_sha256"], hash);
    assert!(!joins[0].to_string().contains(&token));
    assert_eq!(mode(&daemon.file("token")), 0o600);
    assert_eq!(mode(&daemon.state()), 0o700);
    assert!(
        std::fs::read_to_string(daemon.file("owner.toml"))
            .expect("a policy")
            .contains("shell = false")
    );
    let node = std::fs::read_to_string(daemon.file("node.json")).expect("a node");
    assert!(
        !node.contains('\u{1b}') && !node.contains("\\u001b"),
        "{node}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn crashed_join_is_repeated_with_the_same_code_and_token() {
    let gateway = Gateway::start().await;
    let daemon = Daemon::joined(&gateway, NO_ENGINE);
    // The daemon was killed after the gateway answered and before the node was stored.
    std::fs::remove_file(daemon.file("node.json")).expect("removed");
    let mut child = daemon
        .command(&["join", "--url", &gateway.url, "--code-stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(b"code-1\n")
        .expect("written");
    let output = tokio::task::block_in_place(|| child.wait_with_output()).expect("ends");
    assert!(output.status.success(), "{output:?}");
    let joins = gateway.joins();
    assert_eq!(joins[0]["token_sha256"], joins[1]["token_sha256"]);
    assert_eq!(joins[0]["install_id"], joins[1]["install_id"]);
    // It has joined, so a repetition does not redeem the code again.
    assert!(
        daemon
            .call(&["join", "--url", &gateway.url, "--code", "other"])
            .status
            .success()
    );
    assert_eq!(gateway.joins().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_explained() {
    let gateway = Gateway::start().await;
    let daemon = Daemon::new(NO_ENGINE);
    let said = |arguments: &[&str]| {
        let output = daemon.call(arguments);
        assert!(!output.status.success(), "{arguments:?} worked");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(
        said(&["join", "--url", "http://10.0.0.1", "--code", "a"]).contains("--insecure-plain")
    );
    assert!(said(&["join", "--url", &gateway.url]).contains("--code-file"));
    assert!(
        said(&["join", "--url", &gateway.url, "--code", "two words"]).contains("invalid join code")
    );
    assert!(
        said(&["join", "--url", "http://127.0.0.1:1", "--code", "a"])
            .contains("cannot reach the gateway")
    );
    assert!(said(&["run"]).contains("roostd join"));
    gateway.refuse(Some((404, "join-code-unknown")));
    assert!(said(&["join", "--url", &gateway.url, "--code", "a"]).contains("ten minutes"));
    gateway.refuse(Some((409, "join-code-used")));
    assert!(said(&["join", "--url", &gateway.url, "--code", "a"]).contains("another machine"));
    let ca = daemon.file("bad.pem");
    std::fs::write(&ca, "nonsense").expect("written");
    let ca = ca.display().to_string();
    assert!(
        said(&[
            "join",
            "--url",
            "https://127.0.0.1:1",
            "--code",
            "a",
            "--ca-file",
            &ca
        ])
        .contains("holds no certificate")
    );
}
