//! A broker whose disk is full changes nothing by half, uses no secret that it cannot write to its audit log, and
//! continues by itself when there is room.

use roost_secret_broker::client::{Body, ClientError};
use roost_secret_broker::wire::{Answer, Fault, FaultCode, Forward, RecordName, Request, Secret};
use roost_tests::SmallDisk;
use roost_tests::broker::{BrokerProcess, echoing_remote, keep};

use super::branch_bench::{BRANCH, Sandbox, kept, push, receive};
use super::mirror_bench::Bench;

const MIB: u64 = 1 << 20;

fn name(connection: &str) -> RecordName {
    RecordName::new("w1", connection).expect("a name")
}

fn fault<T>(asked: Result<T, ClientError>) -> Option<Fault> {
    match asked {
        Ok(_) => None,
        Err(ClientError::Refused(fault)) => Some(fault),
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_full_disk_stops_uses_and_changes_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(folder.path(), "4m") else {
        return;
    };
    let broker = BrokerProcess::start(folder.path()).await;
    let remote = echoing_remote(|_| serde_json::Value::Null).await;
    keep(
        &broker.client,
        name("a"),
        Secret::from("rst-first-secret"),
        remote,
    )
    .await
    .unwrap();
    let asked = || Forward {
        name: name("a"),
        method: "GET".into(),
        url: format!("http://{remote}/small"),
        headers: Vec::new(),
        body: false,
        body_length: None,
        deadline_ms: None,
        on_behalf: String::new(),
    };
    let ballast = disk.fill();
    for connection in ["a", "b"] {
        let kept = keep(
            &broker.client,
            name(connection),
            Secret::from("rst-other-secret"),
            remote,
        )
        .await;
        let refused = fault(kept).expect("a full disk takes nothing");
        assert_eq!(refused.code, FaultCode::StoreFailed, "{refused}");
        assert!(refused.detail.contains("free some space"), "{refused}");
    }
    // What is left of the log's last block takes a few lines yet.
    let mut refused = None;
    for _ in 0..100 {
        refused = fault(broker.client.forward(asked(), Body::None).await);
        if refused.is_some() {
            break;
        }
    }
    let refused = refused.expect("a use that cannot be written down is not made");
    assert_eq!(refused.code, FaultCode::AuditFailed, "{refused}");

    std::fs::remove_file(ballast).unwrap();
    let mut answer = broker.client.forward(asked(), Body::None).await.unwrap();
    assert_eq!(
        (answer.status, answer.whole(100).await.unwrap().len()),
        (200, 11)
    );
    let described = broker
        .client
        .call(&Request::Describe(name("a")))
        .await
        .unwrap();
    assert!(
        matches!(described, Answer::Described(record) if record.generation == 1),
        "the first is as it was"
    );
    keep(
        &broker.client,
        name("b"),
        Secret::from("rst-other-secret"),
        remote,
    )
    .await
    .unwrap();
    let Ok(Answer::Audit(report)) = broker.client.call(&Request::VerifyAudit).await else {
        panic!("a report")
    };
    assert!(report.faults.is_empty(), "{report:?}");
    drop(broker);
    drop(disk);
}

/// Text that git makes a quarter smaller.
fn noise(mib: u64) -> String {
    use base64::Engine;
    use std::io::Read;
    let mut bytes = Vec::new();
    let random = std::fs::File::open("/dev/urandom").expect("noise");
    random
        .take(mib * MIB * 3 / 4)
        .read_to_end(&mut bytes)
        .expect("noise");
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn says_what_to_do(fault: &Fault) {
    assert_eq!(fault.code, FaultCode::StoreFailed, "{fault}");
    let words = "the disk of the secret broker is full; its operator makes room there";
    assert!(fault.detail.contains(words), "{fault}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_blamed_on_neither_the_host_nor_the_commits() {
    let bench = Bench::start().await;
    std::fs::create_dir_all(bench.mirrors()).unwrap();
    let Some(disk) = SmallDisk::mount(&bench.mirrors(), "12m") else {
        return;
    };
    let commit = async |content: &str| {
        let bytes = content.as_bytes();
        bench
            .host
            .commit("acme/tools", "main", "a.txt", bytes)
            .await
    };
    // A mirror that cannot even begin.
    commit("1\n").await;
    let ballast = disk.fill();
    says_what_to_do(&bench.fetch().await.expect_err("the disk is full"));
    std::fs::remove_file(ballast).unwrap();
    bench.fetch().await.expect("there is room");
    let before = kept(&bench).await;

    // One that does not get its pack, and one that does not get its names.
    commit(&noise(3)).await;
    for room in [MIB, 0] {
        let ballast = disk.fill_but(room);
        says_what_to_do(&bench.fetch().await.expect_err("the disk is full"));
        // What goes into a sandbox is only read.
        Sandbox::seeded(&bench).await;
        std::fs::remove_file(ballast).unwrap();
        assert_eq!(kept(&bench).await, before, "the mirror is as it was");
    }

    // Commits that do not arrive, and commits that arrive and cannot be unpacked.
    let sandbox = Sandbox::seeded(&bench).await;
    let tip = sandbox.commit("big.txt", &noise(2)).await;
    let bundle = sandbox.bundle().await;
    for room in [MIB, 2 * MIB] {
        let ballast = disk.fill_but(room);
        let received = receive(&bench, &sandbox.base, bundle.clone()).await;
        says_what_to_do(&received.expect_err("the disk is full"));
        std::fs::remove_file(ballast).unwrap();
        assert_eq!(kept(&bench).await, before, "nothing is kept by half");
    }

    bench.fetch().await.expect("there is room");
    let received = receive(&bench, &sandbox.base, bundle).await;
    assert_eq!(received.expect("there is room").commit, tip);
    push(&bench, &tip).await.expect("it is pushed");
    let there = bench
        .host
        .git("acme/tools", &["rev-parse", BRANCH], None)
        .await;
    assert_eq!(there.trim(), tip);
    drop(bench);
    drop(disk);
}
