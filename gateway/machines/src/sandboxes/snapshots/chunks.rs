//! The gateway's store of chunks: one object for each chunk, below its workspace. The objects have the form that machines
//! send. Content is checked against its address when it is written and when it is read. The store is a folder or a bucket;
//! names of objects are the same in both.

use std::path::Path as FilePath;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutPayload};
use roost_sandbox_driver::private;
use roost_snapshot::chunk::{self, ChunkError, MOST_STORED};
use roost_snapshot::{Address, Tenant};

use super::bucket::Bucket;
use roost_platform::ids::WorkspaceId;

/// Questions to the store at the same time, for one request.
const AT_ONCE: usize = 32;

/// The longest time for one request to a bucket, with its retries.
const WITHIN: Duration = Duration::from_secs(60);
/// Written to find out whether the bucket can be used. No workspace has this name.
const CHECK: &str = "roost-check";

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChunkStoreError {
    #[error("the gateway's folder of chunks cannot be made")]
    Folder(#[source] std::io::Error),
    #[error("the gateway's folder of chunks does not work; its disk may be full")]
    Disk(#[source] Error),
    #[error("the bucket `{0}` does not exist; make it, or correct `snapshots.bucket`")]
    NoBucket(String, #[source] Error),
    #[error(
        "the service refuses the key for the bucket `{0}`; correct the key, or allow it to list, read, write and delete objects there"
    )]
    Denied(String, #[source] Error),
    #[error("{0} does not answer; correct `snapshots.endpoint`, or wait until it is back")]
    Away(String, #[source] Option<Error>),
    #[error(
        "{0} answers a request for chunks with an error; compare `snapshots.endpoint` and `snapshots.region` with the service's own"
    )]
    Service(String, #[source] Error),
}

/// The store. Cheap to clone.
#[derive(Clone)]
pub struct ChunkStore {
    objects: Arc<dyn ObjectStore>,
    /// `None`: the store is a folder.
    bucket: Option<Arc<Bucket>>,
    /// Whether the last check found a fault.
    faulty: Arc<AtomicBool>,
}

impl std::fmt::Debug for ChunkStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChunkStore")
            .field("bucket", &self.bucket)
            .finish_non_exhaustive()
    }
}

impl ChunkStore {
    /// A store in a folder of the gateway's host, which is made if it does not exist.
    ///
    /// # Errors
    /// [`ChunkStoreError::Folder`].
    pub fn in_folder(folder: &FilePath) -> Result<Self, ChunkStoreError> {
        private::make_folder(folder).map_err(ChunkStoreError::Folder)?;
        let objects = LocalFileSystem::new_with_prefix(folder)
            .map_err(ChunkStoreError::Disk)?
            // A chunk that the gateway confirmed survives a power cut.
            .with_fsync(true)
            .with_automatic_cleanup(true);
        Ok(Self {
            objects: Arc::new(objects),
            bucket: None,
            faulty: Arc::default(),
        })
    }

    /// A store in a bucket. The bucket is asked for nothing yet, so a gateway starts while its bucket cannot be used.
    ///
    /// # Errors
    /// When the settings make no client.
    pub fn in_bucket(bucket: Bucket, http: reqwest::Client) -> Result<Self, ChunkStoreError> {
        Ok(Self {
            objects: bucket.objects(http)?,
            bucket: Some(Arc::new(bucket)),
            faulty: Arc::default(),
        })
    }

    /// Whether the store is a bucket, which can be away while the gateway runs.
    pub fn is_bucket(&self) -> bool {
        self.bucket.is_some()
    }

    /// Writes and lists an object of a bucket. A folder was tried when it was made.
    ///
    /// # Errors
    /// What the operator has to correct.
    pub async fn check(&self) -> Result<(), ChunkStoreError> {
        if self.bucket.is_none() {
            return Ok(());
        }
        let payload = PutPayload::from_static(b"Roost can write here.\n");
        self.within(self.objects.put(&Path::from(CHECK), payload))
            .await?;
        self.lists().await
    }

    /// Checks the store and keeps the result for [`is_faulty`](Self::is_faulty). The log has each change.
    pub async fn watch(&self) {
        let checked = self.check().await;
        let was = self.faulty.swap(checked.is_err(), Ordering::Relaxed);
        match checked {
            Err(error) if !was => tracing::error!(
                error = &error as &dyn std::error::Error,
                "the store of chunks cannot be used; snapshots stay on their machines and are uploaded later"
            ),
            Ok(()) if was => tracing::info!("the store of chunks can be used again"),
            _ => {}
        }
    }

    /// Whether the last check found that the store cannot be used.
    pub fn is_faulty(&self) -> bool {
        self.faulty.load(Ordering::Relaxed)
    }

    /// Waits for the answer to one request, and says what an error means.
    async fn within<T>(
        &self,
        request: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, ChunkStoreError> {
        let Some(bucket) = &self.bucket else {
            return request.await.map_err(ChunkStoreError::Disk);
        };
        match tokio::time::timeout(WITHIN, request).await {
            Ok(answer) => answer.map_err(|error| bucket.failed(error)),
            Err(_) => Err(ChunkStoreError::Away(bucket.place(), None)),
        }
    }

    /// As [`within`](Self::within), for an object that may not exist.
    async fn found<T>(
        &self,
        request: impl Future<Output = Result<T, Error>>,
    ) -> Result<Option<T>, ChunkStoreError> {
        let found = async {
            match request.await {
                Ok(found) => Ok(Some(found)),
                Err(Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        };
        self.within(found).await
    }

    /// A missing object and a missing bucket have the same answer. Nothing counts as lost while the bucket is missing.
    async fn is_really_missing(&self) -> Result<(), ChunkStoreError> {
        match self.bucket {
            Some(_) => self.lists().await,
            None => Ok(()),
        }
    }

    /// Whether the bucket can be listed. The list is short: only the object of the check.
    async fn lists(&self) -> Result<(), ChunkStoreError> {
        let below = Path::from(CHECK);
        self.within(self.objects.list_with_delimiter(Some(&below)))
            .await?;
        Ok(())
    }

    /// Whether the chunk is here.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn has(
        &self,
        workspace: WorkspaceId,
        address: Address,
    ) -> Result<bool, ChunkStoreError> {
        let key = key(workspace, address);
        Ok(self.found(self.objects.head(&key)).await?.is_some())
    }

    /// The chunks that are not here, in the given order.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn missing(
        &self,
        workspace: WorkspaceId,
        addresses: impl IntoIterator<Item = Address>,
    ) -> Result<Vec<Address>, ChunkStoreError> {
        let asked = addresses.into_iter().map(|address| async move {
            let here = self.has(workspace, address).await?;
            Ok::<_, ChunkStoreError>((!here).then_some(address))
        });
        let answers = futures::stream::iter(asked).buffered(AT_ONCE);
        let missing: Vec<Address> = answers
            .try_filter_map(|missing| async move { Ok(missing) })
            .try_collect()
            .await?;
        if !missing.is_empty() {
            self.is_really_missing().await?;
        }
        Ok(missing)
    }

    /// Keeps the stored form of a chunk. A chunk that is here already is written again, so it counts as new for the sweep,
    /// and a damaged one is mended. A conditional put would do neither.
    ///
    /// # Errors
    /// The inner error when the bytes are not this chunk; nothing is kept then.
    pub async fn put(
        &self,
        workspace: WorkspaceId,
        address: Address,
        stored: Bytes,
    ) -> Result<Result<(), ChunkError>, ChunkStoreError> {
        if stored.len() > MOST_STORED {
            return Ok(Err(ChunkError::Form(address)));
        }
        if let Err(wrong) = chunk::decode(&Tenant::of(workspace.0), address, &stored) {
            return Ok(Err(wrong));
        }
        let payload = PutPayload::from_bytes(stored);
        let key = key(workspace, address);
        self.within(self.objects.put(&key, payload)).await?;
        Ok(Ok(()))
    }

    /// The stored form of a chunk and its content; `None` when it is not here. A damaged chunk is removed, so that a machine
    /// that has it can upload it again.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn read(
        &self,
        workspace: WorkspaceId,
        address: Address,
    ) -> Result<Option<(Bytes, Vec<u8>)>, ChunkStoreError> {
        let key = key(workspace, address);
        let whole = async { self.objects.get(&key).await?.bytes().await };
        let Some(stored) = self.found(whole).await? else {
            self.is_really_missing().await?;
            return Ok(None);
        };
        match chunk::decode(&Tenant::of(workspace.0), address, &stored) {
            Ok(content) => Ok(Some((stored, content))),
            Err(error) => {
                tracing::error!(%workspace, %error, "a chunk in the gateway's store is damaged; it is removed");
                metrics::counter!("roost_chunks_damaged_total").increment(1);
                self.delete(workspace, [address]).await?;
                Ok(None)
            }
        }
    }

    /// Removes chunks. One that is not here is no error. A bucket removes up to a thousand with one request.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn delete(
        &self,
        workspace: WorkspaceId,
        addresses: impl IntoIterator<Item = Address>,
    ) -> Result<(), ChunkStoreError> {
        let keys: Vec<_> = addresses
            .into_iter()
            .map(|address| Ok(key(workspace, address)))
            .collect();
        let mut deleted = self
            .objects
            .delete_stream(futures::stream::iter(keys).boxed());
        let mut next = async || match deleted.next().await {
            Some(Err(Error::NotFound { path, .. })) => Ok(Some(Path::from(path))),
            other => other.transpose(),
        };
        while self.within(next()).await?.is_some() {}
        Ok(())
    }

    /// The chunks of a workspace, with the time of their last upload.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn list(
        &self,
        workspace: WorkspaceId,
    ) -> Result<Vec<(Address, DateTime<Utc>)>, ChunkStoreError> {
        let prefix = Path::from(workspace.to_string());
        let mut objects = self.objects.list(Some(&prefix));
        let mut listed = Vec::new();
        // The limit of time is for each page.
        while let Some(object) = self.within(objects.try_next()).await? {
            let name = object.location.filename();
            if let Some(address) = name.and_then(|name| name.parse().ok()) {
                listed.push((address, object.last_modified));
            }
        }
        Ok(listed)
    }

    /// The workspaces that have chunks.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, ChunkStoreError> {
        let listed = self.within(self.objects.list_with_delimiter(None)).await?;
        let names = listed.common_prefixes.iter().filter_map(Path::filename);
        Ok(names.filter_map(|name| name.parse().ok()).collect())
    }
}

/// Two digits of the address make folders of a size that a file system finds quickly.
fn key(workspace: WorkspaceId, address: Address) -> Path {
    let name = address.to_string();
    Path::from_iter([workspace.to_string().as_str(), &name[..2], name.as_str()])
}

#[cfg(test)]
mod tests;
