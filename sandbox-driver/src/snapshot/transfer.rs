//! Snapshots between this machine and the gateway's store: only what the other side lacks.
use std::collections::HashSet;

use futures::{StreamExt, TryStreamExt};
use roost_protocol::snapshot::Stored;
use roost_snapshot::build::Store;
use roost_snapshot::{Address, Root, chunk};

use super::contents::Contents;
use super::remote::{Remote, RemoteError, RemoteSnapshot};
use super::store::SnapshotStore;
use super::{UploadPace, address, tenant};
use crate::error::DriverError;

/// Most chunks of one question.
const ASKED: usize = 1000;
/// Chunks on the way at once: enough for one connection's speed, few enough to leave room for others.
const AT_ONCE: usize = 4;

/// Why a snapshot was not transferred.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error(transparent)]
    Local(#[from] DriverError),
}

/// Uploads a snapshot, not faster than `pace`. The root goes last, so the store never names a snapshot that it does not have whole.
///
/// # Errors
/// [`TransferError`]; what arrived stays, and the next attempt sends only the rest.
pub async fn upload(
    store: &SnapshotStore,
    (remote, pace): (&dyn Remote, &UploadPace),
    stored: &Stored,
) -> Result<(), TransferError> {
    let of = RemoteSnapshot {
        workspace: stored.workspace,
        digest: address(&stored.digest)?,
    };
    if remote.complete(of).await? {
        return Ok(());
    }
    let (packs, tenant) = (store.packs().clone(), tenant(stored.workspace));
    let opened = tokio::task::spawn_blocking(move || Contents::open(&packs, &tenant, of.digest));
    let contents = opened
        .await
        .map_err(|error| DriverError::Archive(error.to_string()))??;
    let mut chunks: HashSet<Address> = contents.chunks();
    chunks.extend(contents.root.tree.iter().copied());
    chunks.remove(&of.digest);
    let chunks: Vec<Address> = chunks.into_iter().collect();
    drop(contents);
    for asked in chunks.chunks(ASKED) {
        let missing = remote.missing(of, asked).await?;
        futures::stream::iter(missing)
            .map(|chunk| put(store, (remote, pace), of, chunk))
            .buffer_unordered(AT_ONCE)
            .try_collect::<()>()
            .await?;
    }
    put(store, (remote, pace), of, of.digest).await?;
    match remote.complete(of).await? {
        true => Ok(()),
        false => Err(RemoteError::Away("it lost a chunk meanwhile".to_owned()).into()),
    }
}

async fn put(
    store: &SnapshotStore,
    (remote, pace): (&dyn Remote, &UploadPace),
    of: RemoteSnapshot,
    chunk: Address,
) -> Result<(), TransferError> {
    let packs = store.packs().clone();
    let read = tokio::task::spawn_blocking(move || packs.stored(&chunk));
    let stored = read
        .await
        .map_err(|error| DriverError::Archive(error.to_string()))?
        .map_err(|error| DriverError::Archive(error.to_string()))?
        .ok_or_else(|| DriverError::Archive(format!("the chunk {chunk} was removed meanwhile")))?;
    pace.take(stored.len()).await;
    Ok(remote.put(of, chunk, stored).await?)
}

/// Brings a snapshot from the gateway's store; `false` when the store does not have it. The caller holds
/// [`SnapshotStore::in_use`].
///
/// # Errors
/// [`TransferError`]; what arrived stays, and the next attempt asks only for the rest.
pub async fn fetch(
    store: &SnapshotStore,
    remote: &dyn Remote,
    of: RemoteSnapshot,
) -> Result<bool, TransferError> {
    let tenant = tenant(of.workspace);
    if !store.packs().has(&of.digest) {
        let Some(bytes) = remote.get(of, of.digest).await? else {
            return Ok(false);
        };
        let unusable =
            |error: &dyn std::fmt::Display| DriverError::Archive(format!("the root: {error}"));
        let root = chunk::decode(&tenant, of.digest, &bytes).map_err(|error| unusable(&error))?;
        let root = Root::decode(&root).map_err(|error| unusable(&error))?;
        // The root goes last here too: a root on this machine has its tree on this machine.
        bring(store, remote, of, root.tree).await?;
        bring(store, remote, of, vec![of.digest]).await?;
    }
    let packs = store.packs().clone();
    let opened = tokio::task::spawn_blocking(move || Contents::open(&packs, &tenant, of.digest));
    let contents = opened
        .await
        .map_err(|error| DriverError::Archive(error.to_string()))??;
    bring(store, remote, of, contents.chunks().into_iter().collect()).await?;
    Ok(true)
}

/// Brings chunks that are not here or damaged, each checked against its address.
///
/// # Errors
/// [`TransferError`]; what arrived before is not kept.
pub async fn bring(
    store: &SnapshotStore,
    remote: &dyn Remote,
    of: RemoteSnapshot,
    chunks: Vec<Address>,
) -> Result<(), TransferError> {
    let chunks = store.lacking(of.workspace, chunks).await;
    if chunks.is_empty() {
        return Ok(());
    }
    let tenant = &tenant(of.workspace);
    let mut writer = store.begin().await?;
    let mut coming = futures::stream::iter(chunks)
        .map(|chunk| async move { (chunk, remote.get(of, chunk).await) })
        .buffer_unordered(AT_ONCE);
    while let Some((chunk, got)) = coming.next().await {
        let bytes = got?
            .ok_or_else(|| RemoteError::Refused(format!("it does not have the chunk {chunk}")))?;
        chunk::decode(tenant, chunk, &bytes)
            .map_err(|error| DriverError::Archive(error.to_string()))?;
        if !writer.has(&chunk) {
            writer
                .put(chunk, &bytes)
                .map_err(|error| store.io_error(error))?;
        }
    }
    writer.finish().map_err(|error| store.io_error(error))?;
    Ok(())
}
