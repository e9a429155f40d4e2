//! Secrets of a recognisable form pass through store, exchange, renewal and forward. Then the test searches everything
//! except the broker's own memory for them.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use roost_secret_broker::client::Client;
use roost_secret_broker::wire::{Answer, Request};
use roost_tests::broker::echoing_remote;
use roost_tests::{Process, Store, bin_dir, eventually, in_memory};
use serde_json::json;

const STATIC: &str = "rstcanary-static-7f3a9c51";
const ACCESS: &str = "rstcanary-access-b2d86e04";
const REFRESH: &str = "rstcanary-refresh-1e97c5d8";

/// What is looked for: the part that tells each apart, so that half of one is found as well.
const NEEDLES: [&str; 3] = ["static-7f3a9c51", "access-b2d86e04", "refresh-1e97c5d8"];

fn found(bytes: &[u8]) -> Option<&'static str> {
    NEEDLES.into_iter().find(|needle| {
        bytes
            .windows(needle.len())
            .any(|window| window == needle.as_bytes())
    })
}

fn search_files(folder: &Path, seen: &mut usize) {
    for entry in std::fs::read_dir(folder).expect("a process of this test can be read") {
        let path = entry.expect("a process of this test can be read").path();
        if path.is_dir() {
            search_files(&path, seen);
        } else if path.is_file() {
            *seen += 1;
            let bytes = std::fs::read(&path).expect("a process of this test can be read");
            assert_eq!(found(&bytes), None, "in {}", path.display());
        }
    }
}

#[tokio::test]
async fn planted_secrets_are_nowhere_but_in_the_broker() {
    let folder = tempfile::tempdir().unwrap();
    // The first token ends at once, so its use renews it.
    let remote = echoing_remote(|number| {
        json!({
            "access_token": format!("{ACCESS}-{number}"),
            "refresh_token": format!("{REFRESH}-{number}"),
            "expires_in": if number == 0 { 1 } else { 3600 },
            "token_type": "bearer",
        })
    })
    .await;
    let set = [
        ("outbound.allow_private", "[\"127.0.0.1\"]"),
        ("log.filter", "trace"),
    ];
    let mut gateway = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    let socket = folder.path().join("data/broker/run/broker.sock");
    let client = Client::new(&socket, "roost-tests");
    let status = eventually("the broker answers", || async {
        match client.call(&Request::Status).await {
            Ok(Answer::Status(status)) => Some(status),
            _ => None,
        }
    })
    .await;

    let marker = "a-marker-that-is-found";
    let mut user = Command::new(bin_dir().join("broker_user"))
        .arg(&socket)
        .arg(remote.to_string())
        .env("ROOST_TEST_MARKER", marker)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`cargo build --bins` made broker_user");
    let mut input = user.stdin.take().unwrap();
    let mut output = BufReader::new(user.stdout.take().unwrap());
    let said = tokio::task::spawn_blocking(move || {
        writeln!(input, "{STATIC}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        (line, input)
    });
    let (line, input) = said.await.unwrap();
    assert_eq!(line, "done\n", "it used every verb");

    assert!(
        in_memory(user.id(), &[marker.as_bytes()])[0] > 0,
        "the search finds what is there"
    );
    let needles = NEEDLES.map(str::as_bytes);
    for (place, process) in [
        ("who used the broker", user.id()),
        ("the gateway", gateway.id()),
    ] {
        assert_eq!(
            in_memory(process, &needles),
            [0, 0, 0],
            "{NEEDLES:?} in {place}"
        );
    }
    drop(input);
    assert!(user.wait().unwrap().success());

    let Ok(Answer::Status(after)) = client.call(&Request::Status).await else {
        panic!("a status")
    };
    assert_eq!(
        (after.refreshes, after.forwards, after.forwards_failed),
        (1, 3, 0),
        "{after:?}"
    );
    for connection in ["static", "oauth"] {
        let name = roost_secret_broker::wire::RecordName::new("w1", connection).unwrap();
        let answer = client.call(&Request::Describe(name)).await.unwrap();
        assert_eq!(found(format!("{answer:?}").as_bytes()), None);
    }

    // No core file can be made, and nobody but root may look into it.
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", status.process)).unwrap();
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"))
        .unwrap();
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
    assert_eq!(core.split_whitespace().nth(5), Some("0"), "{core}");
    if !rustix::process::geteuid().is_root() {
        // Root's files look alike either way.
        use std::os::unix::fs::MetadataExt;
        let memory = std::fs::metadata(format!("/proc/{}/mem", status.process)).unwrap();
        assert_eq!(memory.uid(), 0, "what cannot be dumped belongs to root");
    }

    gateway.terminate().await;
    // The gateway's database and log, the broker's records, audit log and key.
    let mut seen = 0;
    search_files(folder.path(), &mut seen);
    assert!(
        seen >= 6,
        "database, log, records, audit, key: {seen} files"
    );
}
