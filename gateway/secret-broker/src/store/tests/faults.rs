//! Faults: wrong keys, moved and damaged files, a disk that refuses writes.

use super::*;

#[tokio::test]
async fn wrong_root_key_is_refused_at_start_and_error_names_both_keys() {
    let bench = Bench::new();
    let store = bench.open().await;
    put(&store, "a", "first secret").await;
    let right = store.root().active();
    drop(store);
    std::fs::write(bench.key_file(), "ab".repeat(32)).unwrap();
    let error = crate::egress::chain(&bench.try_open().await.err().unwrap());
    assert!(
        error.contains(&right) && error.contains("give the broker the former key"),
        "{error}"
    );
    std::fs::remove_file(bench.key_file()).unwrap();
    let error = crate::egress::chain(&bench.try_open().await.err().unwrap());
    assert!(error.contains("missing"), "{error}");
}

#[tokio::test]
async fn file_moved_to_another_record_is_not_served_and_is_reported() {
    let bench = Bench::new();
    let store = bench.open().await;
    put(&store, "a", "first secret").await;
    put(&store, "b", "other secret").await;
    drop(store);
    let place = |connection| files::path_of(&bench.data(), &name(connection));
    std::fs::copy(place("a"), place("b")).unwrap();
    std::fs::write(bench.data().join("records/junk.sealed"), b"junk").unwrap();
    let store = bench.open().await;
    assert_eq!(store.damaged().len(), 2, "{:?}", store.damaged());
    assert!(
        store
            .damaged()
            .iter()
            .any(|message| message.contains("moved"))
    );
    assert_eq!(secret_of(&store, "a").await.unwrap(), "first secret");
    assert!(matches!(
        secret_of(&store, "b").await,
        Err(StoreError::Unknown(_))
    ));
}

#[tokio::test]
async fn failed_write_keeps_the_former_secret_in_use() {
    let bench = Bench::new();
    let store = bench.open().await;
    put(&store, "a", "first secret").await;
    // A folder with the new file's name: the file cannot be made, for any user.
    let fresh = files::path_of(&bench.data(), &name("a")).with_extension("new");
    std::fs::create_dir(&fresh).unwrap();
    let held = store.hold(&name("a")).await;
    let error = store
        .put(&held, &record("second secret"))
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Write(_)), "{error}");
    assert_eq!(secret_of(&store, "a").await.unwrap(), "first secret");
    std::fs::remove_dir(&fresh).unwrap();
    store.put(&held, &record("second secret")).await.unwrap();
    assert_eq!(secret_of(&store, "a").await.unwrap(), "second secret");
}

#[tokio::test]
async fn inspecting_does_not_disturb_a_running_broker_and_next_start_cleans_up() {
    let bench = Bench::new();
    let store = bench.open().await;
    put(&store, "a", "first secret").await;
    // The state that a write leaves between two effects.
    let fresh = files::path_of(&bench.data(), &name("b")).with_extension("new");
    std::fs::write(&fresh, b"half").unwrap();
    let (records, damaged) = Store::inspect(&bench.data(), store.root()).unwrap();
    assert_eq!((records, damaged.len()), (1, 0));
    assert!(fresh.exists());
    drop(store);
    bench.open().await;
    assert!(!fresh.exists());
}
