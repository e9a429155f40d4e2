//! The store: written records are there after a restart, under load, and during a rekey.

mod faults;
mod rekeying;

use std::sync::atomic::{AtomicI64, Ordering};

use roost_secret_broker::wire::{Inject, Secret};

use super::*;
use crate::root::{KeySource, Keyring};

/// A store in its own folder, with its own clock.
pub(super) struct Bench {
    pub folder: tempfile::TempDir,
    pub now: Arc<AtomicI64>,
}

impl Bench {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            now: Arc::new(AtomicI64::new(1_000)),
        }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn key_file(&self) -> PathBuf {
        self.folder.path().join("root-key")
    }

    pub async fn open(&self) -> Store {
        self.try_open().await.unwrap()
    }

    pub async fn try_open(&self) -> Result<Store, StoreError> {
        let lock = FolderLock::take(&self.data())?;
        let empty = Store::is_empty(&self.data()).unwrap();
        let root = Root::Keyring(Keyring::open(KeySource::File(self.key_file()), empty)?);
        let now = self.now.clone();
        let clock = Clock::of(move || now.load(Ordering::SeqCst));
        Store::open(self.data(), lock, root, clock).await
    }
}

pub(super) fn name(connection: &str) -> RecordName {
    RecordName::new("w1", connection).unwrap()
}

pub(super) fn record(secret: &str) -> Record {
    Record {
        kind: RecordKind::Static,
        state: RecordState::Ready,
        secret: Secret::from(secret),
        inject: Inject::Bearer,
        allow: Vec::new(),
        created_ms: 1,
        updated_ms: 1,
        grant: None,
        sign_in: None,
    }
}

pub(super) async fn put(store: &Store, connection: &str, secret: &str) -> Description {
    let held = store.hold(&name(connection)).await;
    store.put(&held, &record(secret)).await.unwrap()
}

pub(super) async fn secret_of(store: &Store, connection: &str) -> Result<String, StoreError> {
    let opened = store.read(&name(connection)).await?;
    Ok(String::from_utf8(opened.record.secret.reveal().to_vec()).unwrap())
}

#[tokio::test]
async fn stored_records_survive_a_restart_and_deleted_ones_do_not() {
    let bench = Bench::new();
    let store = bench.open().await;
    assert_eq!(put(&store, "a", "first secret").await.generation, 1);
    assert_eq!(put(&store, "a", "second secret").await.generation, 2);
    put(&store, "b", "other secret").await;
    let held = store.hold(&name("b")).await;
    assert!(store.delete(&held).await.unwrap());
    assert!(!store.delete(&held).await.unwrap());
    drop((held, store));
    let store = bench.open().await;
    assert_eq!(secret_of(&store, "a").await.unwrap(), "second secret");
    assert!(matches!(
        secret_of(&store, "b").await,
        Err(StoreError::Unknown(_))
    ));
}

#[tokio::test]
async fn no_file_below_the_folder_holds_a_secret_or_can_be_read_by_others() {
    use std::os::unix::fs::MetadataExt;
    let bench = Bench::new();
    let store = bench.open().await;
    put(&store, "a", "rst-canary-0123456789").await;
    let mut seen = 0;
    let mut folders = vec![bench.data()];
    while let Some(folder) = folders.pop() {
        assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            seen += 1;
            let bytes = std::fs::read(&path).unwrap();
            assert!(
                !bytes.windows(10).any(|window| window == b"rst-canary"),
                "{}",
                path.display()
            );
            assert_eq!(
                std::fs::metadata(&path).unwrap().mode() & 0o777,
                0o600,
                "{}",
                path.display()
            );
        }
    }
    assert!(seen >= 2, "the lock and the record");
}

#[tokio::test]
async fn second_broker_on_the_same_folder_is_refused() {
    let bench = Bench::new();
    let _first = bench.open().await;
    let second = bench.try_open().await.err().unwrap();
    assert!(matches!(second, StoreError::InUse(_)), "{second}");
}

#[tokio::test]
async fn backup_restores_all_records_and_damaged_backup_changes_nothing() {
    let bench = Bench::new();
    let store = bench.open().await;
    put(&store, "a", "first secret").await;
    put(&store, "b", "other secret").await;
    let backup: Vec<u8> = store.snapshot().flatten().collect();
    assert!(!backup.windows(6).any(|window| window == b"secret"));
    put(&store, "a", "later secret").await;
    put(&store, "c", "later still").await;

    for place in [0, 9, backup.len() / 2, backup.len() - 1] {
        let mut damaged = backup.clone();
        damaged[place] ^= 1;
        assert!(
            matches!(store.restore(&damaged).await, Err(StoreError::Backup(_))),
            "{place}"
        );
    }
    assert!(store.restore(&backup[..backup.len() - 40]).await.is_err());
    assert_eq!(secret_of(&store, "a").await.unwrap(), "later secret");

    assert_eq!(store.restore(&backup).await.unwrap().records, 2);
    check(&store).await;
    drop(store);
    check(&bench.open().await).await;

    async fn check(store: &Store) {
        assert_eq!(secret_of(store, "a").await.unwrap(), "first secret");
        assert_eq!(secret_of(store, "b").await.unwrap(), "other secret");
        assert!(secret_of(store, "c").await.is_err());
    }
}

#[tokio::test]
async fn backup_under_another_root_key_is_refused() {
    let (one, other) = (Bench::new(), Bench::new());
    let store = one.open().await;
    put(&store, "a", "first secret").await;
    let backup: Vec<u8> = store.snapshot().flatten().collect();
    let target = other.open().await;
    put(&target, "b", "other secret").await;
    let error = target.restore(&backup).await.unwrap_err();
    assert!(crate::egress::chain(&error).contains("root key"), "{error}");
    assert_eq!(secret_of(&target, "b").await.unwrap(), "other secret");
}
