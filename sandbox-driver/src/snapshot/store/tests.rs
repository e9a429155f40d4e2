//! The shelf of snapshots: what making room drops, and what a sweep then removes.

use super::*;
use roost_snapshot::build::{Builder, Known, close_tree};
use roost_snapshot::{Entry, Node, Tenant};

/// More than the store keeps of one agent.
const SNAPSHOTS: u8 = 60;
const FILE: usize = 10_000;

fn id<T: From<uuid::Uuid>>(n: u128) -> T {
    uuid::Uuid::from_u128(n).into()
}

/// Bytes that do not compress and differ for each seed.
fn noise(seed: u8) -> Vec<u8> {
    let mut state = u64::from(seed) + 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    (0..FILE).map(|_| next()).collect()
}

/// Records a snapshot with one file, and returns its digest.
async fn take(store: &SnapshotStore, tenant: &Tenant, seed: u8) -> Address {
    let stored = packed(store, tenant, seed).await;
    let stored = store.record(stored).await.unwrap();
    stored.digest.parse().unwrap()
}

/// A snapshot with one file whose pack is on the disk, without its record.
async fn packed(store: &SnapshotStore, tenant: &Tenant, seed: u8) -> Stored {
    let (mut pack, known) = (store.begin().await.unwrap(), Known::new());
    let mut builder = Builder::new(tenant, &mut pack, &known);
    let added = builder.file(noise(seed).as_slice()).unwrap();
    let files = builder.close().unwrap();
    let content = files.content(added);
    let entry = Entry {
        path: b"file".to_vec(),
        mode: 0o644,
        mtime_ns: 1,
        node: Node::File {
            size: content.size,
            content: content.extents.clone(),
        },
    };
    let (digest, _) = close_tree(tenant, &mut pack, &[entry], Vec::new()).unwrap();
    pack.finish().unwrap();
    Stored {
        sandbox: id(1),
        workspace: id(1),
        agent: id(1),
        digest: digest.to_string(),
        files: 1,
        bytes: FILE as u64,
        taken_at_s: 0,
        left_out: Vec::new(),
    }
}

#[tokio::test]
async fn snapshot_whose_record_cannot_be_written_is_not_the_latest_one() {
    let folder = tempfile::tempdir().unwrap();
    let archives = ArchiveStore::open(folder.path().join("archives"), u64::MAX).await;
    let place = folder.path().join("snapshots");
    let store = SnapshotStore::open(&place, archives.unwrap(), u64::MAX, None);
    let store = store.await.unwrap();
    let tenant = tenant(id(1));
    let first = take(&store, &tenant, 1).await.to_string();
    let latest = || store.latest(id(1)).unwrap().digest;
    let agents = place.join("agents");
    std::fs::rename(&agents, place.join("away")).unwrap();
    let second = packed(&store, &tenant, 2).await;
    store.record(second.clone()).await.unwrap_err();
    assert_eq!(latest(), first);
    std::fs::rename(place.join("away"), &agents).unwrap();
    store.record(second.clone()).await.unwrap();
    assert_eq!(latest(), second.digest);
    // The file says the same.
    let archives = ArchiveStore::open(folder.path().join("archives"), u64::MAX).await;
    let again = SnapshotStore::open(&place, archives.unwrap(), u64::MAX, None);
    let again = again.await.unwrap();
    assert_eq!(again.latest(id(1)).unwrap().digest, second.digest);
}

#[tokio::test]
async fn chunks_of_an_agents_dropped_snapshots_are_removed_although_no_other_snapshot_goes() {
    let folder = tempfile::tempdir().unwrap();
    let archives = ArchiveStore::open(folder.path().join("archives"), u64::MAX).await;
    let most = u64::from(SNAPSHOTS) * FILE as u64 * 5 / 4;
    let place = folder.path().join("snapshots");
    let store = SnapshotStore::open(&place, archives.unwrap(), most, None);
    let store = store.await.unwrap();
    // A store that was just opened sweeps once; after it only a drop leads to a sweep.
    store.sweep().await.unwrap();
    let tenant = tenant(id(1));
    let mut digests = Vec::new();
    for seed in 0..SNAPSHOTS {
        digests.push(take(&store, &tenant, seed).await);
    }
    let before = store.taken();
    assert!(before >= most / 4 * 3, "{before} of {most}");
    let (first, last) = (digests[0].to_string(), digests[59].to_string());
    // The gateway has sent no list, so nothing is removed to make room.
    store.make_room().await.unwrap();
    assert!(!store.has(&first) && store.has(&last));
    assert!(store.taken() <= before - 10 * FILE as u64);
}
