//! Two requests change a sandbox's row at the same moment.

use roost_tests::{Gateway, ScratchPostgres, eventually};
use sea_orm::{ConnectionTrait, Database, Statement, TransactionTrait};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_is_asked_for_while_the_row_changes_is_carried_out() {
    // On SQLite there is one writer at a time.
    let Some(scratch) = ScratchPostgres::new().await else {
        return;
    };
    let image = std::env::var("ROOST_TEST_IMAGE").unwrap_or_else(|_| "roost-agent:tiny".to_owned());
    let set = [("sandboxes.image", image)];
    let gateway = Gateway::start_like(&set, Some(&scratch)).await;
    let owner = gateway.owner().await;
    let made = owner
        .post("/api/claws")
        .json(&json!({ "name": "Ada" }))
        .expect(201)
        .await;
    let sandbox = format!("/api/claws/{}/sandbox", made.str("/id"));
    owner.post(&sandbox).json(&json!({})).expect(201).await;

    let db = Database::connect(scratch.url())
        .await
        .expect("the database");
    let tx = db.begin().await.expect("a transaction");
    let change = "UPDATE agent_containers SET version = version + 1";
    tx.execute_unprepared(change).await.expect("a change");
    let commit = async {
        let waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        eventually("the end waits for the change", async || {
            let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), waiting));
            row.await.expect("an answer").map(drop)
        })
        .await;
        tx.commit().await.expect("it is changed");
    };
    let (ended, ()) = tokio::join!(owner.delete(&sandbox).send(), commit);
    assert_eq!(ended.status, 204, "{}", ended.text);
    owner.get(&sandbox).refused(404, "not-found").await;
    db.close().await.expect("closes");
    gateway.stop().await;
    scratch.remove().await;
}
