//! The broker is killed at every disk step of a write, a rekey and a restore. Each time it starts again, every record
//! opens, and the request can be repeated.

use std::path::Path;

use roost_secret_broker::client::Client;
use roost_secret_broker::wire::{Answer, RecordName, Request, Secret};
use roost_tests::broker::{BrokerProcess, keep};

const RECORDS: usize = 3;
/// More steps than any of these takes; reaching it fails the test, because then nothing was killed to the end.
const MOST: u32 = 80;

fn name(number: usize) -> RecordName {
    RecordName::new("w1", format!("kept-{number}")).expect("it is kept")
}

async fn fill(client: &Client) {
    for number in 0..RECORDS {
        let secret = Secret::from(format!("secret-number-{number}").as_str());
        keep(
            client,
            name(number),
            secret,
            "127.0.0.1:9".parse().expect("it is kept"),
        )
        .await
        .expect("it is kept");
    }
}

/// Every record opens, and nothing waits for an older key.
async fn whole(folder: &Path, what: &str) {
    let broker = BrokerProcess::start(folder).await;
    roost_tests::eventually("the rekey that was cut off is ended", || async {
        let Ok(Answer::Status(status)) = broker.client.call(&Request::Status).await else {
            return None;
        };
        assert_eq!(status.records, RECORDS as u64, "{what}\n{}", broker.log());
        (status.to_rekey == 0).then_some(())
    })
    .await;
    for number in 0..RECORDS {
        let answer = broker.client.call(&Request::Describe(name(number))).await;
        assert!(
            matches!(answer, Ok(Answer::Described(_))),
            "{what}: {answer:?}\n{}",
            broker.log()
        );
    }
    let Ok(Answer::Audit(report)) = broker.client.call(&Request::VerifyAudit).await else {
        panic!("{what}: the audit log is verified")
    };
    assert!(report.faults.is_empty(), "{what}: {report:?}");
}

/// Kills at step 1, 2, 3 … of `work` until it is done without a death; how many there were.
async fn kill_everywhere<F: Future<Output = bool>>(
    folder: &Path,
    what: &str,
    work: impl Fn(Client) -> F,
) -> u32 {
    for step in 1..MOST {
        let mut broker = BrokerProcess::launch(folder, Some(step));
        let mut done = work(broker.client.clone()).await;
        // One that is slow to start has not heard the request. A request can be repeated.
        while !done && broker.ended().is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            done = work(broker.client.clone()).await;
        }
        if done && broker.ended().is_none() {
            return step - 1;
        }
        roost_tests::eventually("it dies", || {
            let ended = broker.ended().map(|_| ());
            async move { ended }
        })
        .await;
        drop(broker);
        whole(folder, &format!("{what}, killed at step {step}")).await;
    }
    panic!("{what} has more steps than are tried")
}

#[tokio::test]
async fn a_broker_killed_at_any_step_has_every_record_whole_when_it_starts_again() {
    let folder = tempfile::tempdir().unwrap();
    let broker = BrokerProcess::start(folder.path()).await;
    fill(&broker.client).await;
    drop(broker);

    let writing = kill_everywhere(folder.path(), "a write", |client| async move {
        let secret = Secret::from("secret-number-0");
        keep(&client, name(0), secret, "127.0.0.1:9".parse().unwrap())
            .await
            .is_ok()
    })
    .await;
    assert!(writing >= 3, "made, renamed and synced: {writing}");

    let rekeying = kill_everywhere(folder.path(), "a rekey", |client| async move {
        client.call(&Request::Rekey).await.is_ok()
    })
    .await;
    assert!(
        rekeying >= 3 * RECORDS as u32 + 4,
        "each record and the key file twice: {rekeying}"
    );

    let broker = BrokerProcess::start(folder.path()).await;
    let mut backup = Vec::new();
    let saved = broker.client.backup(|piece| {
        backup.extend_from_slice(piece);
        Ok(())
    });
    assert_eq!(saved.await.unwrap().records, RECORDS as u64);
    drop(broker);
    let restoring = kill_everywhere(folder.path(), "a restore", |client| {
        let backup = backup.clone();
        async move { client.restore(backup.as_slice()).await.is_ok() }
    })
    .await;
    assert!(
        restoring >= RECORDS as u32 + 2,
        "each file and the exchange: {restoring}"
    );
}
