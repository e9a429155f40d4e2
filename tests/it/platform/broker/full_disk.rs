//! A broker whose disk is full changes nothing by half, uses no secret that it cannot write to its audit log, and
//! continues by itself when there is room.

use roost_secret_broker::client::{Body, ClientError};
use roost_secret_broker::wire::{Answer, Fault, FaultCode, Forward, RecordName, Request, Secret};
use roost_tests::SmallDisk;
use roost_tests::broker::{BrokerProcess, echoing_remote, keep};

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
