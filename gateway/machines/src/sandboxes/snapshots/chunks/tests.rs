//! The store of chunks in a folder.

use uuid::Uuid;

use super::*;

fn store() -> (tempfile::TempDir, ChunkStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = ChunkStore::in_folder(&folder.path().join("chunks")).unwrap();
    (folder, store)
}

fn workspace(n: u128) -> WorkspaceId {
    WorkspaceId(Uuid::from_u128(n))
}

fn chunk(workspace: WorkspaceId, content: &[u8]) -> (Address, Bytes) {
    let address = Tenant::of(workspace.0).address(content);
    (address, chunk::encode(content).into())
}

#[tokio::test]
async fn chunk_reads_back_in_its_own_workspace_only() {
    let (_folder, store) = store();
    let (one, other) = (workspace(1), workspace(2));
    let (address, stored) = chunk(one, b"text");
    store
        .put(one, address, stored.clone())
        .await
        .unwrap()
        .unwrap();
    let (read, content) = store.read(one, address).await.unwrap().unwrap();
    assert_eq!((read, content.as_slice()), (stored, b"text".as_slice()));
    assert!(!store.has(other, address).await.unwrap());
    let (absent, _) = chunk(one, b"absent");
    let asked = [absent, address];
    assert_eq!(store.missing(one, asked).await.unwrap(), [absent]);
    assert_eq!(store.workspaces().await.unwrap(), [one]);
    let listed = store.list(one).await.unwrap();
    assert_eq!(
        listed.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        [address]
    );
    store.delete(one, [address]).await.unwrap();
    store.delete(one, [address]).await.unwrap();
    // Its folders are gone with the last chunk.
    assert!(store.workspaces().await.unwrap().is_empty());
}

#[tokio::test]
async fn chunk_with_other_content_is_not_kept() {
    let (_folder, store) = store();
    let (one, other) = (workspace(1), workspace(2));
    let (address, stored) = chunk(one, b"text");
    let (_, lie) = chunk(one, b"lie");
    for (place, wrong) in [
        (one, lie),
        // The address has another tenant's key.
        (other, stored.clone()),
        (one, stored.slice(..stored.len() - 1)),
        (one, vec![0; MOST_STORED + 1].into()),
    ] {
        assert!(store.put(place, address, wrong).await.unwrap().is_err());
        assert!(!store.has(place, address).await.unwrap());
    }
}

#[tokio::test]
async fn chunk_that_changed_on_the_disk_is_removed_and_can_be_uploaded_again() {
    let (folder, store) = store();
    let home = workspace(1);
    let (address, stored) = chunk(home, b"text");
    store
        .put(home, address, stored.clone())
        .await
        .unwrap()
        .unwrap();
    let file = folder
        .path()
        .join("chunks")
        .join(key(home, address).as_ref());
    std::fs::write(file, b"damage").unwrap();
    assert!(store.read(home, address).await.unwrap().is_none());
    assert!(!store.has(home, address).await.unwrap());
    store.put(home, address, stored).await.unwrap().unwrap();
    assert!(store.read(home, address).await.unwrap().is_some());
}
