//! Only the user who runs a program can read its files, for every umask and folder.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use roost_gateway::app::Surroundings;
use roost_tests::broker::BrokerProcess;
use roost_tests::modes::{open_all, open_to_others, usual_umask};
use roost_tests::{Gateway, Store};
use serde_json::json;

async fn start(folder: tempfile::TempDir) -> Gateway {
    Gateway::start_in(folder, &Store::Sqlite, &[], Surroundings::default())
        .await
        .expect("the gateway starts")
}

/// Something is written, so that the database has a log.
async fn use_it(gateway: &Gateway) {
    let owner = gateway.owner().await;
    let claw = json!({ "name": "Ada" });
    owner.post("/api/claws").json(&claw).expect(201).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_in_a_folder_that_others_may_enter_leaves_nothing_for_them_to_read() {
    usual_umask();
    let folder = tempfile::tempdir().expect("a folder");
    let foreign = folder.path().join("somebody-elses");
    std::fs::write(&foreign, "").expect("a file");
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("a mode");
    let gateway = start(folder).await;
    use_it(&gateway).await;
    let open = open_to_others(gateway.data_dir());
    // The folder holds something of somebody else, so neither that nor the folder itself is changed.
    assert_eq!(open, [gateway.data_dir(), foreign.as_path()]);
    for made in ["roost.db", "roost.db-wal", "first-login", "local-engine"] {
        assert!(gateway.data_dir().join(made).exists(), "{made}");
    }
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readable_files_of_an_older_gateway_are_made_private_at_the_next_start() {
    usual_umask();
    let gateway = Gateway::start().await;
    use_it(&gateway).await;
    let folder = gateway.stop_and_keep().await;
    open_all(folder.path());
    assert!(open_to_others(folder.path()).len() > 5);
    let gateway = start(folder).await;
    assert_eq!(
        open_to_others(gateway.data_dir()),
        [] as [&std::path::Path; 0]
    );
    gateway.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readable_files_of_an_older_broker_are_made_private_at_the_next_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut broker = BrokerProcess::start(folder.path()).await;
    broker.kill();
    let data = folder.path().join("data");
    open_all(&data);
    assert!(open_to_others(&data).len() > 2);
    let broker = BrokerProcess::start(folder.path()).await;
    assert_eq!(open_to_others(&data), [] as [&std::path::Path; 0]);
    let said = "other users of this machine could read these files or folders";
    assert_eq!(broker.log().matches(said).count(), 1, "{}", broker.log());
}
