//! Write transactions take the lock at once; reads cannot write; one gateway per file.

use std::time::Duration;

use sea_orm::{ConnectionTrait, TransactionTrait};

use roost_platform::db::{Access, Backend, Db, DbError};
use roost_platform::events::Hub;
use roost_test_database::Scratch;

const INSERT: &str = "INSERT INTO leases (name, owner, epoch, expires_ms) VALUES ('a', 'b', 1, 0)";

async fn leases(db: &Db) -> usize {
    let statement = sea_orm::Statement::from_string(db.backend().into(), "SELECT name FROM leases");
    db.read()
        .query_all_raw(statement)
        .await
        .expect("the leases can be read")
        .len()
}

#[tokio::test]
async fn a_transaction_that_is_dropped_leaves_nothing_and_a_committed_one_stays() {
    for scratch in Scratch::all().await {
        let tx = scratch.db.write().await.unwrap();
        tx.execute_unprepared(INSERT).await.unwrap();
        drop(tx);
        assert_eq!(leases(&scratch.db).await, 0);
        let tx = scratch.db.write().await.unwrap();
        tx.execute_unprepared(INSERT).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(leases(&scratch.db).await, 1);
        scratch.remove().await;
    }
}

/// Takes connections for reading until none is free. Returns the transactions that keep them.
#[expect(
    clippy::disallowed_methods,
    reason = "a transaction that never writes keeps a connection"
)]
async fn all_readers(db: &Db) -> Vec<sea_orm::DatabaseTransaction> {
    let mut kept = Vec::new();
    while let Ok(tx) = tokio::time::timeout(Duration::from_secs(1), db.read().begin()).await {
        kept.push(tx.expect("a transaction"));
    }
    kept
}

#[tokio::test]
async fn person_reads_while_agents_keep_all_of_their_readers_and_the_other_way_round() {
    for scratch in Scratch::all().await {
        let work = scratch.db.for_work();
        let kept = all_readers(&work).await;
        assert!(!kept.is_empty());
        assert_eq!(leases(&scratch.db).await, 0);
        drop(kept);
        let kept = all_readers(&scratch.db).await;
        assert_eq!(leases(&work).await, 0);
        drop(kept);
        scratch.remove().await;
    }
}

#[tokio::test]
async fn on_sqlite_a_write_transaction_excludes_another_process_before_its_first_statement() {
    let scratch = Scratch::sqlite().await;
    let other = scratch.again().await;
    let tx = scratch.db.write().await.unwrap();
    // A deferred BEGIN would admit the other process here.
    let second = tokio::time::timeout(Duration::from_millis(300), other.write()).await;
    assert!(second.is_err(), "two write transactions at once");
    drop(tx);
    other.write().await.unwrap().commit().await.unwrap();
    other.close().await;
    scratch.remove().await;
}

#[tokio::test]
async fn on_sqlite_concurrent_read_modify_write_transactions_lose_nothing_and_never_say_busy() {
    let scratch = Scratch::sqlite().await;
    let other = scratch.again().await;
    let tx = scratch.db.write().await.unwrap();
    tx.execute_unprepared(INSERT).await.unwrap();
    tx.commit().await.unwrap();
    let bump = |db: Db| async move {
        for _ in 0..25 {
            let tx = db.write().await.unwrap();
            let row = tx
                .query_one_raw(sea_orm::Statement::from_string(
                    sea_orm::DbBackend::Sqlite,
                    "SELECT epoch FROM leases",
                ))
                .await
                .unwrap()
                .unwrap();
            let epoch: i64 = row.try_get("", "epoch").unwrap();
            tx.execute_unprepared(&format!("UPDATE leases SET epoch = {}", epoch + 1))
                .await
                .unwrap();
            tx.commit().await.unwrap();
        }
    };
    let (a, b) = (scratch.db.clone(), other.clone());
    tokio::join!(bump(a.clone()), bump(a), bump(b.clone()), bump(b));
    let row = scratch
        .db
        .read()
        .query_one_raw(sea_orm::Statement::from_string(
            sea_orm::DbBackend::Sqlite,
            "SELECT epoch FROM leases",
        ))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(row.try_get::<i64>("", "epoch").unwrap(), 101);
    other.close().await;
    scratch.remove().await;
}

#[tokio::test]
async fn on_sqlite_the_connections_for_reading_refuse_to_write() {
    let scratch = Scratch::sqlite().await;
    let refused = scratch.db.read().execute_unprepared(INSERT).await;
    assert!(refused.is_err());
    scratch.remove().await;
}

#[tokio::test]
async fn second_gateway_on_a_sqlite_file_is_refused_until_the_first_ends() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("roost.db").display());
    let open = || Db::open(&url, Access::Serve, Hub::default());
    let first = open().await.unwrap();
    let refused = open().await.err().expect("two gateways on one file");
    assert!(matches!(refused, DbError::Locked { .. }), "{refused}");
    let text = refused.to_string();
    assert!(text.contains(&std::process::id().to_string()), "{text}");
    first.close().await;
    drop(first);
    open().await.unwrap().close().await;
}

#[tokio::test]
async fn an_unknown_kind_of_database_is_named() {
    let error = Db::open("mysql://x", Access::Serve, Hub::default())
        .await
        .err()
        .expect("mysql is not supported");
    assert!(error.to_string().contains("`mysql`"), "{error}");
}

#[tokio::test]
async fn the_audit_log_refuses_updates_and_deletes() {
    for scratch in Scratch::all().await {
        let tx = scratch.db.write().await.unwrap();
        let uuid = match scratch.db.backend() {
            Backend::Sqlite => "x'00000000000000000000000000000001'",
            Backend::Postgres => "'00000000-0000-0000-0000-000000000001'",
        };
        tx.execute_unprepared(&format!(
            "INSERT INTO audit_entries VALUES ({uuid}, {uuid}, {uuid}, 'a', 'b', 'c', '{{}}', '2026-01-01T00:00:00+00:00')"
        ))
        .await
        .unwrap();
        tx.commit().await.unwrap();
        for forbidden in [
            "DELETE FROM audit_entries",
            "UPDATE audit_entries SET action = 'x'",
        ] {
            let tx = scratch.db.write().await.unwrap();
            let error = tx.execute_unprepared(forbidden).await.unwrap_err();
            assert!(error.to_string().contains("append-only"), "{error}");
        }
        scratch.remove().await;
    }
}

/// SQLite rolls back by itself when the disk is full, and the driver does not notice.
#[tokio::test]
async fn a_transaction_that_sqlite_rolled_back_by_itself_swallows_no_later_one() {
    let scratch = Scratch::sqlite().await;
    let db = &scratch.db;
    let tx = db.write().await.unwrap();
    tx.execute_unprepared("CREATE TABLE t (n INTEGER)")
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let tx = db.write().await.unwrap();
    tx.execute_unprepared("ROLLBACK").await.unwrap();
    drop(tx);
    let tx = db.write().await.unwrap();
    tx.execute_unprepared("INSERT INTO t VALUES (1)")
        .await
        .unwrap();
    drop(tx);
    let tx = db.write().await.unwrap();
    tx.execute_unprepared("INSERT INTO t VALUES (2)")
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let seen = db
        .read()
        .query_all_raw(sea_orm::Statement::from_string(
            db.backend().into(),
            "SELECT n FROM t",
        ))
        .await
        .unwrap();
    let seen: Vec<i64> = seen
        .iter()
        .map(|row| row.try_get("", "n").unwrap())
        .collect();
    assert_eq!(seen, [2]);
}
