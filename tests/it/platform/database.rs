//! PostgreSQL is restarted under a running gateway.

use futures::future::join_all;
use roost_tests::{DbInspector, PostgresServer, Process, Store};
use serde_json::json;

/// The connections that a gateway may have open to PostgreSQL. Each can break once.
const CONNECTIONS: usize = 20;
/// Requests at the same time: more than connections for reading.
const TOGETHER: usize = 16;

#[tokio::test]
async fn each_broken_connection_is_replaced_after_the_server_was_restarted() {
    let Some(postgres) = PostgresServer::start() else {
        return;
    };
    let admin = DbInspector::open(&postgres.url("postgres")).await;
    admin.change("CREATE DATABASE restarted").await;
    admin.close().await;
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::Postgres(postgres.url("restarted"));
    let process = Process::start(folder.path(), &store).await;
    let owner = process.owner().await;
    let read = || join_all((0..TOGETHER).map(|_| owner.get("/api/claws").send()));
    let write = || {
        let agents = (0..TOGETHER).map(|_| {
            let body = json!({ "name": roost_tests::unique("x") });
            owner.post("/api/claws").json(&body).send()
        });
        join_all(agents)
    };
    // Opens the connections of both pools.
    for answer in read().await.into_iter().chain(write().await) {
        assert!(answer.status < 300, "{}", answer.text);
    }

    postgres.crash();
    postgres.again();
    let (mut broken, mut good) = (0, 0);
    while good < 4 * TOGETHER {
        for answer in read().await.into_iter().chain(write().await) {
            if answer.status < 300 {
                good += 1;
            } else {
                broken += 1;
                good = 0;
            }
        }
        // A broken connection that returns to its pool fails for ever.
        assert!(broken <= CONNECTIONS, "{broken} requests failed");
    }
}
