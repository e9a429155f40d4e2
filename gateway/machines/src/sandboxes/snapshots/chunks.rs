//! The gateway's store of chunks: one object for each chunk, below its workspace. The objects have the form that machines
//! send. Content is checked against its address when it is written and when it is read.

use std::path::Path as FilePath;
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutPayload};
use roost_sandbox_driver::private;
use roost_snapshot::chunk::{self, ChunkError, MOST_STORED};
use roost_snapshot::{Address, Tenant};

use roost_platform::ids::WorkspaceId;

/// Questions to the store at the same time, for one request.
const AT_ONCE: usize = 32;

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChunkStoreError {
    #[error("the gateway's folder of chunks cannot be made")]
    Folder(#[source] std::io::Error),
    #[error("the gateway's store of chunks does not work; its disk may be full")]
    Store(#[from] Error),
}

/// The store. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ChunkStore {
    objects: Arc<dyn ObjectStore>,
}

impl ChunkStore {
    /// A store in a folder of the gateway's host, which is made if it does not exist.
    ///
    /// # Errors
    /// [`ChunkStoreError::Folder`].
    pub fn in_folder(folder: &FilePath) -> Result<Self, ChunkStoreError> {
        private::make_folder(folder).map_err(ChunkStoreError::Folder)?;
        let objects = LocalFileSystem::new_with_prefix(folder)?
            // A chunk that the gateway confirmed survives a power cut.
            .with_fsync(true)
            .with_automatic_cleanup(true);
        Ok(Self::new(Arc::new(objects)))
    }

    /// A store in any place that keeps objects.
    pub fn new(objects: Arc<dyn ObjectStore>) -> Self {
        Self { objects }
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
        match self.objects.head(&key(workspace, address)).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
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
        answers
            .try_filter_map(|missing| async move { Ok(missing) })
            .try_collect()
            .await
    }

    /// Keeps the stored form of a chunk. A chunk that is here already counts as new for the sweep.
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
        self.objects.put(&key(workspace, address), payload).await?;
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
        let found = match self.objects.get(&key).await {
            Ok(found) => found,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let stored = found.bytes().await?;
        match chunk::decode(&Tenant::of(workspace.0), address, &stored) {
            Ok(content) => Ok(Some((stored, content))),
            Err(error) => {
                tracing::error!(%workspace, %error, "a chunk in the gateway's store is damaged; it is removed");
                metrics::counter!("roost_chunks_damaged_total").increment(1);
                self.delete(workspace, address).await?;
                Ok(None)
            }
        }
    }

    /// Removes a chunk. One that is not here is no error.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn delete(
        &self,
        workspace: WorkspaceId,
        address: Address,
    ) -> Result<(), ChunkStoreError> {
        match self.objects.delete(&key(workspace, address)).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
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
        let objects = self.objects.list(Some(&prefix));
        let named = objects.try_filter_map(|object| async move {
            let address = object
                .location
                .filename()
                .and_then(|name| name.parse().ok());
            Ok(address.map(|address: Address| (address, object.last_modified)))
        });
        Ok(named.try_collect().await?)
    }

    /// The workspaces that have chunks.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, ChunkStoreError> {
        let listed = self.objects.list_with_delimiter(None).await?;
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
mod tests {
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
        store.delete(one, address).await.unwrap();
        store.delete(one, address).await.unwrap();
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
}
