//! A credential's deletion is queued before the broker has it, and cancelled by the transaction that uses it.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use roost_platform::broker::outbox::CredentialSweeper;
use roost_platform::broker::{BrokerHandle, Credential, CredentialError, Credentials};
use roost_platform::clock::TestClock;
use roost_platform::db::Db;
use roost_platform::supervision::Nudge;
use roost_secret_broker::wire::{RecordName, Store};
use roost_test_database::Scratch;
use sea_orm::{ConnectionTrait, Statement};

/// Later than the time of every test.
const LATER: TimeDelta = TimeDelta::minutes(5);

fn credentials(scratch: &Scratch) -> Credentials {
    Credentials {
        db: scratch.db.clone(),
        clock: Arc::new(TestClock::default()),
        broker: BrokerHandle::new(scratch.folder.path().join("no-broker.sock")),
        sweeper: Nudge::default(),
    }
}

fn name() -> RecordName {
    RecordName::new("tenant", "models/1/api_key").expect("a valid name")
}

/// When each queued deletion is due.
async fn queued(db: &Db) -> Vec<DateTime<Utc>> {
    let sql = "SELECT due_at FROM credential_deletions";
    let statement = Statement::from_string(db.backend().into(), sql);
    let rows = db
        .read()
        .query_all_raw(statement)
        .await
        .expect("the queue can be read");
    rows.iter()
        .map(|row| row.try_get("", "due_at").expect("a time"))
        .collect()
}

#[tokio::test]
async fn a_kept_credential_is_not_deleted_and_a_forgotten_one_wakes_the_sweeper() {
    for scratch in Scratch::all().await {
        let vault = credentials(&scratch);
        let now = vault.clock.now();
        let tx = vault.db.write().await.unwrap();
        let until = now + LATER;
        let placed = Credential::expected(&tx, name(), until).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(queued(&vault.db).await[0], until);

        let tx = vault.db.write().await.unwrap();
        assert_eq!(placed.keep(&tx).await.unwrap(), name());
        tx.commit().await.unwrap();
        assert!(queued(&vault.db).await.is_empty());

        let mut tx = vault.db.write().await.unwrap();
        vault.forget(&mut tx, &name()).await.unwrap();
        assert!(!vault.sweeper.take(), "not before the commit");
        tx.commit().await.unwrap();
        assert!(vault.sweeper.take());
        assert_eq!(queued(&vault.db).await[0], now);
        scratch.remove().await;
    }
}

#[tokio::test]
async fn a_transaction_that_is_rolled_back_keeps_the_deletion() {
    for scratch in Scratch::all().await {
        let vault = credentials(&scratch);
        let tx = vault.db.write().await.unwrap();
        let until = vault.clock.now() + LATER;
        let placed = Credential::expected(&tx, name(), until).await.unwrap();
        tx.commit().await.unwrap();
        let tx = vault.db.write().await.unwrap();
        placed.keep(&tx).await.unwrap();
        drop(tx);
        assert_eq!(queued(&vault.db).await.len(), 1);
        scratch.remove().await;
    }
}

#[tokio::test]
async fn a_credential_that_is_being_deleted_cannot_be_kept() {
    for scratch in Scratch::all().await {
        let vault = credentials(&scratch);
        let tx = vault.db.write().await.unwrap();
        let until = vault.clock.now();
        let placed = Credential::expected(&tx, name(), until).await.unwrap();
        tx.commit().await.unwrap();
        let sweeper = CredentialSweeper {
            db: vault.db.clone(),
            clock: vault.clock.clone(),
            broker: vault.broker.clone(),
        };
        sweeper.sweep().await.unwrap();
        let tx = vault.db.write().await.unwrap();
        let kept = placed.keep(&tx).await;
        assert!(matches!(kept, Err(CredentialError::TooSlow)));
        drop(tx);
        scratch.remove().await;
    }
}

#[tokio::test]
async fn a_broker_that_does_not_answer_leaves_the_deletion_behind() {
    let scratch = Scratch::sqlite().await;
    let vault = credentials(&scratch);
    let store = Store {
        name: name(),
        secret: roost_secret_broker::wire::Secret::from("s"),
        inject: roost_secret_broker::wire::Inject::Bearer,
        allow: Vec::new(),
    };
    let placed = vault.place(store).await.map(|placed| placed.name().clone());
    assert!(matches!(placed, Err(CredentialError::Broker(_))));
    assert_eq!(queued(&vault.db).await.len(), 1);
    scratch.remove().await;
}
