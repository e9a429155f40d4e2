//! Starting and stopping, and obstacles to them: each refusal says what to do.

use std::net::TcpListener;

use roost_gateway::app::Surroundings;
use roost_tests::{Gateway, SmallDisk, Store, Stream};
use serde_json::json;

#[tokio::test]
async fn a_taken_port_is_named_with_the_key_that_changes_it() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for key in ["listen", "operator_listen"] {
        let folder = tempfile::tempdir().unwrap();
        let set = [(key, address.as_str())];
        let started =
            Gateway::start_in(folder, &Store::Sqlite, &set, Surroundings::default()).await;
        let error = started.err().expect("the port is taken").to_string();
        assert!(
            error.contains(&address) && error.contains(&format!("`{key}`")),
            "{error}"
        );
    }
}

#[tokio::test]
async fn two_gateways_on_one_sqlite_file_are_refused() {
    let gateway = Gateway::start().await;
    let file = format!("sqlite:{}", gateway.data_dir().join("roost.db").display());
    let folder = tempfile::tempdir().unwrap();
    let set = [("database.url", file.as_str())];
    let second = Gateway::start_in(folder, &Store::Sqlite, &set, Surroundings::default()).await;
    let error = second.err().expect("two gateways on one file").to_string();
    assert!(
        error.contains("another gateway") && error.contains("PostgreSQL"),
        "{error}"
    );
    gateway.stop().await;
}

#[tokio::test]
async fn data_and_sessions_survive_a_restart() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    owner
        .post("/api/claws")
        .json(&json!({ "name": "Kept" }))
        .expect(201)
        .await;
    let token = owner.token.clone();
    let folder = gateway.stop_and_keep().await;
    let again = Gateway::start_in(folder, &Store::Sqlite, &[], Surroundings::default())
        .await
        .unwrap();
    let owner = again.anonymous().with_token(&token);
    let list = owner.get("/api/claws").expect(200).await;
    assert_eq!(list.body["items"][0]["name"], "Kept");
    again.stop().await;
}

#[tokio::test]
async fn open_streams_do_not_hold_up_a_stop() {
    let gateway = Gateway::start().await;
    let owner = gateway.owner().await;
    let mut events = Stream::open(owner.get("/api/events")).await;
    let mut nodes = Stream::open(owner.get("/api/nodes/live")).await;
    let mut tree = Stream::open(owner.get("/api/ops/tree/stream")).await;
    let ended = async {
        for stream in [&mut events, &mut nodes, &mut tree] {
            while stream.next().await.is_some() {}
        }
    };
    tokio::join!(ended, gateway.stop());
}

#[tokio::test]
async fn a_full_disk_under_the_database_is_said_changes_nothing_and_passes() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(folder.path(), "12m") else {
        return;
    };
    let set = [("sandboxes.local", "off")];
    let started = Gateway::start_in(folder, &Store::Sqlite, &set, Surroundings::default()).await;
    let gateway = started.unwrap();
    let owner = gateway.owner().await;
    let ballast = disk.fill();
    let mut made = 0;
    let refused = loop {
        let body = json!({ "name": format!("agent {made}"), "system_prompt": "x".repeat(8_000) });
        let answer = owner.post("/api/claws").json(&body).send().await;
        match answer.status {
            201 => made += 1,
            _ => break answer,
        }
    };
    assert_eq!(
        (refused.status, refused.str("/code")),
        (503, "unavailable"),
        "{}",
        refused.text
    );
    assert!(
        refused.str("/detail").contains("free some space"),
        "{}",
        refused.text
    );
    // Reading goes on, and what was refused left nothing behind.
    let quota = owner.get("/api/quota").expect(200).await;
    assert_eq!(quota.body["agents"]["used"], made);
    std::fs::remove_file(ballast).unwrap();
    let body = json!({ "name": "room again" });
    owner.post("/api/claws").json(&body).expect(201).await;
    let head = usize::try_from(made + 1).unwrap() * 2;
    let mut stream = Stream::open(owner.get("/api/events?last_event_id=1.0")).await;
    let ids = stream
        .take(head)
        .await
        .into_iter()
        .filter_map(|event| event.id);
    let expected = (1..=head).map(|seq| format!("1.{seq}"));
    assert_eq!(ids.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    drop(stream);
    gateway.stop().await;
    drop(disk);
}
