//! Rekeys: during reads and writes, two at once, and after an interruption.

use futures::future::join_all;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rekey_under_load_loses_nothing_and_leaves_one_key() {
    let bench = Bench::new();
    let store = bench.open().await;
    for number in 0..20 {
        put(
            &store,
            &format!("kept-{number}"),
            &format!("secret number {number}"),
        )
        .await;
    }
    let before = store.root().active();
    let writers = (0..4).map(|writer| {
        let store = store.clone();
        async move {
            for round in 0..20 {
                let connection = format!("written-{writer}-{}", round % 5);
                put(&store, &connection, &format!("secret {writer} {round}")).await;
                let kept = format!("kept-{}", (writer * 5 + round) % 20);
                assert!(
                    secret_of(&store, &kept)
                        .await
                        .unwrap()
                        .starts_with("secret number")
                );
            }
        }
    });
    let (rekeyed, _) = tokio::join!(store.rekey(), join_all(writers));
    assert_ne!(rekeyed.unwrap().root_key, before);
    let (records, _, older) = store.counts();
    assert_eq!((records, older), (40, 0));
    assert!(!store.root().has_older());
    drop(store);
    let store = bench.open().await;
    for number in 0..20 {
        let secret = secret_of(&store, &format!("kept-{number}")).await.unwrap();
        assert_eq!(secret, format!("secret number {number}"));
    }
    for writer in 0..4 {
        let secret = secret_of(&store, &format!("written-{writer}-4"))
            .await
            .unwrap();
        assert_eq!(secret, format!("secret {writer} 19"));
    }
}

#[tokio::test]
async fn interrupted_rekey_continues_with_the_same_new_key() {
    let bench = Bench::new();
    let store = bench.open().await;
    put(&store, "a", "first secret").await;
    store.root().renew().await.unwrap();
    let new = store.root().active();
    put(&store, "b", "other secret").await;
    drop(store);

    let store = bench.open().await;
    assert_eq!(store.root().active(), new);
    assert_eq!(store.counts().2, 1, "one record waits");
    assert_eq!(secret_of(&store, "a").await.unwrap(), "first secret");
    store.continue_rekey().await.unwrap();
    assert_eq!((store.root().active(), store.counts().2), (new, 0));
    assert_eq!(secret_of(&store, "a").await.unwrap(), "first secret");
    let keys = std::fs::read_to_string(bench.key_file()).unwrap();
    assert_eq!(
        keys.lines().filter(|line| !line.starts_with('#')).count(),
        1
    );
}

#[tokio::test]
async fn unreadable_record_keeps_the_older_key_and_is_named() {
    let bench = Bench::new();
    let store = bench.open().await;
    put(&store, "a", "first secret").await;
    put(&store, "b", "other secret").await;
    drop(store);
    let path = files::path_of(&bench.data(), &name("a"));
    let mut bytes = std::fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, bytes).unwrap();

    let store = bench.open().await;
    let error = store.rekey().await.unwrap_err();
    assert!(
        matches!(&error, StoreError::Stuck { count: 1, first } if first == &name("a")),
        "{error}"
    );
    assert!(store.root().has_older());
    assert_eq!(secret_of(&store, "b").await.unwrap(), "other secret");
    let held = store.hold(&name("a")).await;
    store.delete(&held).await.unwrap();
    drop(held);
    store.rekey().await.unwrap();
    assert!(!store.root().has_older());
}

#[tokio::test]
async fn systemd_credential_is_never_written_and_its_second_key_is_the_older_one() {
    let bench = Bench::new();
    let store = bench.open().await;
    put(&store, "a", "first secret").await;
    drop(store);
    let old = std::fs::read_to_string(bench.key_file()).unwrap();
    let open = || async {
        let root = Keyring::open(KeySource::Credential(bench.key_file()), false).unwrap();
        let lock = FolderLock::take(&bench.data()).unwrap();
        Store::open(bench.data(), lock, Root::Keyring(root), Clock::of(|| 1))
            .await
            .unwrap()
    };
    let store = open().await;
    let alone = store.rekey().await.unwrap_err();
    assert!(
        crate::egress::chain(&alone).contains("above the old one"),
        "{alone}"
    );
    drop(store);

    let both = format!("{}\n{old}", "ab".repeat(32));
    std::fs::write(bench.key_file(), &both).unwrap();
    let store = open().await;
    let saved = store.rekey().await.unwrap();
    assert_eq!(saved.records, 1);
    assert!(saved.note.unwrap().contains("remove them from"));
    assert_eq!(std::fs::read_to_string(bench.key_file()).unwrap(), both);
    assert_eq!(secret_of(&store, "a").await.unwrap(), "first secret");
}
