//! A gateway starts its broker, restarts it when it is killed, and stops it when it stops itself.

use std::path::Path;
use std::process::Output;

use roost_secret_broker::client::Client;
use roost_secret_broker::wire::{Answer, RecordName, Request, Secret, Status};
use roost_tests::broker::keep;
use roost_tests::{Process, Store, bin_dir, eventually};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

fn broker_of(folder: &Path) -> Client {
    Client::new(folder.join("data/broker/run/broker.sock"), "roost-tests")
}

async fn status(client: &Client) -> Status {
    eventually("the broker answers", || async {
        match client.call(&Request::Status).await {
            Ok(Answer::Status(status)) => Some(status),
            _ => None,
        }
    })
    .await
}

fn pid(process: u32) -> Pid {
    Pid::from_raw(i32::try_from(process).expect("the program runs")).expect("the program runs")
}

async fn command(folder: &Path, arguments: &[&str]) -> Output {
    tokio::process::Command::new(bin_dir().join("roost"))
        .arg("broker")
        .args(arguments)
        .arg("--set")
        .arg(format!("data_dir={}", folder.join("data").display()))
        .current_dir(folder)
        .output()
        .await
        .expect("the program runs")
}

async fn told(folder: &Path, arguments: &[&str]) -> String {
    let output = command(folder, arguments).await;
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {text}");
    text
}

#[tokio::test]
async fn the_broker_comes_back_when_it_is_killed_and_goes_when_its_gateway_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Process::start(folder.path(), &Store::Sqlite).await;
    let client = broker_of(folder.path());
    let first = status(&client).await;
    assert!(
        first
            .warnings
            .iter()
            .any(|warning| warning.contains("separate user")),
        "{first:?}"
    );
    let name = RecordName::new("w1", "a").unwrap();
    let nowhere = "127.0.0.1:9".parse().unwrap();
    keep(
        &client,
        name.clone(),
        Secret::from("rst-canary-secret"),
        nowhere,
    )
    .await
    .unwrap();

    kill_process(pid(first.process), Signal::KILL).unwrap();
    let second = eventually("another process answers", || async {
        let again = status(&client).await;
        (again.process != first.process).then_some(again)
    })
    .await;
    assert!(client.call(&Request::Describe(name)).await.is_ok());

    gateway.kill();
    eventually("the broker is gone with its gateway", || async {
        test_kill_process(pid(second.process))
            .is_err()
            .then_some(())
    })
    .await;
    gateway.again().await;
    assert_eq!(status(&client).await.records, 1);
    gateway.terminate().await;
    assert!(!client.socket().exists(), "it stopped in order");
}

#[tokio::test]
async fn the_operator_asks_rekeys_saves_and_restores_by_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut gateway = Process::start(folder.path(), &Store::Sqlite).await;
    let client = broker_of(folder.path());
    let before = status(&client).await;
    let name = RecordName::new("w1", "a").unwrap();
    let nowhere = "127.0.0.1:9".parse().unwrap();
    keep(
        &client,
        name.clone(),
        Secret::from("rst-canary-secret"),
        nowhere,
    )
    .await
    .unwrap();

    let said = told(folder.path(), &["status"]).await;
    assert!(
        said.contains("1 records") && said.contains(&before.root_key),
        "{said}"
    );
    let said = told(folder.path(), &["rekey"]).await;
    assert!(
        said.contains("1 records are sealed anew") && !said.contains(&before.root_key),
        "{said}"
    );
    told(folder.path(), &["backup", "saved"]).await;
    let saved = std::fs::read(folder.path().join("saved")).unwrap();
    assert!(!saved.windows(6).any(|part| part == b"canary"));
    let again = command(folder.path(), &["backup", "saved"]).await;
    assert!(
        String::from_utf8_lossy(&again.stderr).contains("not there yet"),
        "nothing is overwritten"
    );
    client.call(&Request::Delete(name.clone())).await.unwrap();
    let said = told(folder.path(), &["restore", "saved"]).await;
    assert!(said.contains("1 records are restored"), "{said}");
    assert!(client.call(&Request::Describe(name)).await.is_ok());
    let said = told(folder.path(), &["verify"]).await;
    assert!(said.contains("intact"), "{said}");

    gateway.terminate().await;
    let down = command(folder.path(), &["status"]).await;
    let said = String::from_utf8_lossy(&down.stderr).into_owned();
    assert!(
        !down.status.success()
            && said.contains("does not answer")
            && said.contains("check that it runs"),
        "{said}"
    );
}

#[tokio::test]
async fn a_gateway_without_the_program_serves_and_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let set = [("broker.program", "/nowhere/roost-broker")];
    let mut gateway = Process::start_with(folder.path(), &Store::Sqlite, &set).await;
    eventually("it is said", || async {
        gateway
            .log()
            .contains("install roost-broker beside roost")
            .then_some(())
    })
    .await;
    gateway.terminate().await;
}
